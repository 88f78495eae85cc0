/* Sizes of blocks (jin2016, section 4.2). */
#ifndef HARNESS_BLOCKING_SIZES_H
#define HARNESS_BLOCKING_SIZES_H

#include "harness/blocking/scenario.h"

/* The paper's values of mu, the mean share of a document or unit that is used. Its Tables 2 and 3
 * are for 0.5. */
enum { MUS = 4 };
extern const double block_mus[MUS];

/* Return d_i (s_i): as many documents (units) as fill half of the level, if a share mu of each is
 * used. At least 1, and at most all. All, if the level is memory. */
size_t block_docs(const struct blocking_machine *machine, const struct blocking_workload *workload,
                  unsigned level, double mu);
size_t block_units(const struct blocking_machine *machine, const struct blocking_workload *workload,
                   unsigned level, double mu);

/* Rounds a block of documents up to a multiple of the lanes, at most n_docs. */
size_t block_round_up(size_t docs, unsigned lanes, size_t n_docs);

#endif
