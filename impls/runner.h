/* Scoring by several threads, written once for every implementation.
 *
 * The threads of a plan share out the documents (throughput), the units (latency), or both: then
 * they stand in a grid, as square as their number allows, with no fewer over the documents (4: 2 x
 * 2, 6: 3 x 2; a prime number: documents only). Shares are contiguous and equal in
 * number, but where only documents are shared out: those are taken in pieces of whole steps by the
 * thread that is free, as cores of a shared machine are not equally fast. Libraries, which have no
 * steps, get equal shares.
 *
 * Over documents, scores are those of scorer_run to the last bit (but of auto,sums=float, which may
 * take another implementation for a share, and round otherwise). Over units, each share's sum is
 * made on its own and the sums are then added in the order of the shares: the same in every run of
 * the same plan, but rounded otherwise than in scorer_run (equal where sums are exact).
 *
 * Threads are OpenMP's. Each is tied to a core of its own, of those that the creator may use
 * (taskset and numactl have their say); the second hyper-threads of cores come last, and with more
 * threads than those they share. Memory of partial sums is first touched by the thread that adds in
 * it; the built model is where its builder touched it: on a machine with several NUMA nodes,
 * `numactl --interleave=all` spreads it. */
#ifndef IMPLS_RUNNER_H
#define IMPLS_RUNNER_H

#include "impls/impl.h"

enum { RUNNER_MAX_THREADS = 1024 };

struct runner;

/* Keeps a pointer to the scorer. Partial sums are for n_docs documents; more are scored one such
 * part after the other. STATUS_MACHINE where the threads are not to be had. */
enum status runner_create(const struct scorer *scorer, const struct plan *plan, size_t n_docs,
                          struct runner **runner, struct error *error);

/* As scorer_run, and allocates as little. Not reentrant. The caller is one of the threads; it is
 * tied to the first core for the time of the call: cheaper where it already is. */
void runner_run(struct runner *runner, const float *x, size_t stride, size_t n_docs,
                double *scores);

void runner_destroy(struct runner *runner); /* NULL is fine */

#endif
