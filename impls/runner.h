/* Scoring by several threads, shared by all implementations.
 *
 * The threads of a plan divide the documents (throughput), the units (latency), or both. To divide
 * both, the threads form a grid that is as square as possible. Its longer side divides the
 * documents (4 threads: 2 x 2, 6 threads: 3 x 2; a prime number of threads: documents only). Shares
 * are contiguous and of equal size. If only documents are divided, each idle thread takes the next
 * piece instead, because the cores of a shared machine differ in speed. A piece is a multiple of
 * scorer->lanes. Libraries have no lanes, so their documents are divided into equal shares.
 *
 * If only documents are divided, scores equal those of scorer_run bit for bit. The exception is
 * auto,sums=float, which may choose another implementation for a share and round differently. If
 * units are divided, each share has its own sum, and the sums are added in the order of the shares.
 * The scores are the same in every run of a plan, but rounded differently from scorer_run.
 *
 * Threads are OpenMP threads. Each thread is bound to its own core, among the cores that the
 * creating thread may use (taskset, numactl). Second hyper-threads are used last. Surplus threads
 * share cores. Each thread is the first to touch the memory of its partial sums, so the memory is
 * on the thread's NUMA node. The built model stays on the node where it was built. Run
 * treebench with `numactl --interleave=all` to spread the model over all nodes. */
#ifndef IMPLS_RUNNER_H
#define IMPLS_RUNNER_H

#include "impls/scorer.h"

enum { RUNNER_MAX_THREADS = 1024 };

struct runner;

/* Creates a runner, which keeps a pointer to the scorer. Partial sums have room for n_docs
 * documents; larger calls are scored in parts of that size. STATUS_MACHINE if there are not enough
 * threads. */
enum status runner_create(const struct scorer *scorer, const struct plan *plan, size_t n_docs,
                          struct runner **runner, struct error *error);

/* Like scorer_run. Allocates nothing. Not reentrant. The calling thread is one of the threads and
 * is bound to the first core during the call. The call is cheaper if the calling thread is already
 * bound to the first core. */
void runner_run(struct runner *runner, const float *x, size_t stride, size_t n_docs,
                double *scores);

void runner_destroy(struct runner *runner); /* NULL is fine */

#endif
