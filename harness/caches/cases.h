/* The range cases of jin2016 (Tables 1, 8, 9 and 10) and their cost T.
 *
 * The paper's symbols, of which the printed text has lost the Greek letters:
 *   n, m        number of documents, and of units (trees, or blocks of trees of QuickScorer)
 *   d, s        documents and units per block
 *   F, S        bytes of a document, and of a unit
 *   c2, c3, c4  what an access that goes to L2, L3 or memory costs, in accesses to L1
 *   lambda      accesses to a unit per access to a document
 *   al, be      miss rates of L1 and L2 for documents
 *   T           cost of all accesses, divided by the cost of the accesses to documents in L1
 *
 * T counts data accesses only. It is no time: see harness/caches/predict.h. */
#ifndef HARNESS_CACHES_CASES_H
#define HARNESS_CACHES_CASES_H

#include "impls/order.h"

#include <stdbool.h>

/* Levels are numbered from 1: L1, L2, L3, memory. */
enum { LEVEL_MEMORY = 4, LEVELS = 4 };

/* A range case fixes the order, and the levels which a block of documents and a block of units just
 * fit: DSD2S1 is the order DSDS with documents that fit L2 and units that fit L1. */
struct range_case {
    enum order order;    /* DSD, SDS, DSDS or SDSD */
    unsigned doc_level;  /* 0: the order has no block of documents */
    unsigned unit_level; /* 0: the order has no block of units */
};

/* All cases, in the sequence of the paper's Table 4. */
enum { RANGE_CASES = 28, RANGE_CASE_NAME = 8 };
extern const struct range_case range_cases[RANGE_CASES];

/* Writes the paper's name: "DSD2", "SDS1", "DSD2S1" (DSDS) or "SDS2D1" (SDSD). */
void range_case_name(const struct range_case *range_case, char name[static RANGE_CASE_NAME]);

/* Returns the case of this name. NULL: there is none. */
const struct range_case *range_case_find(const char *name);

struct miss_rates {
    double l1, l2; /* al and be: misses / accesses of that level */
};

/* What T depends on, except the case and its blocks. */
struct cost_model {
    double extra[LEVELS + 1]; /* [level]: 0 for L1, then c2, c3, c4; [0] is not used */
    double lambda;
    struct miss_rates rates;
    double n_docs, n_units;
    /* the level which one document, and one unit, fits */
    unsigned doc_fits, unit_fits;
    /* The level which all documents, and all units, fit. The paper takes both to be memory. */
    unsigned docs_home, units_home;
};

/* Returns true if the model has the case (sections 4.1.1 and 4.1.3, appendix A). A block cannot
 * stay in a level that a single document or unit fills. The paper says so of units in DSD and SDSD,
 * and of documents in SDS and DSDS; the other way round is ours. A level above the home of all
 * documents or units does not exist either (ours): the block at home holds all of them. */
bool range_case_exists(const struct range_case *range_case, const struct cost_model *model);

/* Returns T for blocks of `docs` documents and `units` units; an order ignores the blocks that it
 * does not have. With both homes in memory, this is the formula of the paper's tables. Otherwise
 * each first load costs an access to the home instead of c4 (ours). */
double range_case_cost(const struct range_case *range_case, const struct cost_model *model,
                       double docs, double units);

/* Returns T of the loop without blocks (DS). */
double range_case_cost_ds(const struct cost_model *model);

#endif
