/* The scenario of a search, and the sizes of blocks that follow from it. */
#ifndef HARNESS_CACHES_SCENARIO_H
#define HARNESS_CACHES_SCENARIO_H

#include "harness/caches/caches.h"
#include "harness/caches/cases.h"
#include "harness/caches/latency.h"

#include <stdbool.h>

/* The scenario of a search: the machine and the workload of jin2016, and the cost model that they
 * make (sections 3 and 4.1). */

/* Effective caches of one core, and their latencies. */
struct blocking_machine {
    double bytes[CACHE_LEVELS]; /* L1, L2, L3; 0: there is no such cache */
    double c2, c3, c4;          /* latencies of L2, L3 and memory, divided by that of L1 */
    bool is_measured[3];        /* c2, c3, c4; false: typical */
};

/* Describes this machine, as the system reports its caches, shared by this number of busy cores.
 * Latencies are not measured: they are typical ratios. Takes about a millisecond. A level that the
 * system does not report has a typical size. */
void blocking_machine_read(unsigned busy_cores, struct blocking_machine *machine);

/* Replaces what was measured (harness/caches/survey.h) and is known. */
void blocking_machine_measured(const struct latency_levels *levels,
                               struct blocking_machine *machine);

struct blocking_workload {
    size_t n_docs, n_units;       /* n and m */
    double doc_bytes, unit_bytes; /* F and S: means */
    double lambda;
};

#define LAMBDA_TREE 1.0 /* of implementations that declare no lambda (impls/impl.h) */

/* The paper does not give its miss rates. 0.05 and 1 rank the times of its Table 4 best. With 0.02,
 * the ranks are nearly as good, and blocks that fit L2 are cheaper than blocks that fit L1, as on
 * current processors, which hide much of the latency of L2. */
extern const struct miss_rates miss_rates_standard;

/* What sizes of blocks and costs depend on. */
struct blocking_problem {
    struct blocking_machine machine;
    struct blocking_workload workload;
    struct miss_rates rates;
    unsigned lanes; /* blocks of documents are rounded up to a multiple */
    struct cost_model model;
};

/* Sets the model from the other members. All documents (or units) have their home in the first
 * level of which they fill at most a half, because the other half is for the units (or documents).
 */
void blocking_problem_init(struct blocking_problem *problem);

/* Sizes of blocks (jin2016, section 4.2). */

/* The paper's values of mu, the mean share of a document or unit that is used. Its Tables 2 and 3
 * are for the standard one. */
#define MU_STANDARD 0.5
enum { MUS = 4 };
extern const double block_mus[MUS];

/* Return d_i (s_i): as many documents (units) as fill half of the level, if a share mu of each is
 * used. At least 1, and at most all. All, if the level is memory. */
size_t block_docs(const struct blocking_problem *problem, unsigned level, double mu);
size_t block_units(const struct blocking_problem *problem, unsigned level, double mu);

/* Rounds a block of documents up to a multiple of the lanes, at most n_docs. */
size_t block_round_up(size_t docs, unsigned lanes, size_t n_docs);

#endif
