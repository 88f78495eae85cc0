/* Scoring by several threads, shared by all implementations.
 *
 * The threads of a plan divide the documents (throughput), the units (latency), or both. To divide
 * both, the threads form a grid that is as square as possible. Its longer side divides the
 * documents: 4 threads form a 2 x 2 grid, and 6 threads divide the documents by 3 and the units
 * by 2. A prime number of threads divides only the documents. Each thread gets one contiguous
 * share, and shares have equal size. If only documents are divided, there are no shares: each idle
 * thread takes the next piece of the documents, because the cores of a shared machine differ in
 * speed. The size of a piece is a multiple of scorer->lanes. Libraries have no lanes, so their
 * documents are divided into equal shares. So are those of an order other than DS, whose blocks are
 * blocks of a share.
 *
 * If only documents are divided, scores equal those of scorer_run bit for bit. The exception is
 * auto,sums=float: it may choose an implementation for a piece that it would not choose for the
 * whole call and that rounds differently. If units are divided, each share of the units has its own
 * sums, which are added in the order of the shares. The scores are then the same in every run, but
 * their rounding differs from scorer_run's.
 *
 * Threads are OpenMP threads. Each thread is bound to its own core, among the cores that the
 * creating thread may use (taskset, numactl). The second hyper-thread of a core is used only after
 * the first of every core. If there are more threads than cores, threads share cores. Each thread
 * is the first to touch the memory of its partial sums, so the memory is on the thread's NUMA node.
 * The built model stays on the node where it was built. Run treebench with `numactl
 * --interleave=all` to spread the model over all nodes. */
#ifndef IMPLS_RUNNER_H
#define IMPLS_RUNNER_H

#include "impls/scorer.h"

enum { RUNNER_MAX_THREADS = 1024 };

struct runner;

/* Creates a runner. The scorer must outlive it. n_docs is the usual number of documents of a call.
 * If units are divided, larger calls are scored n_docs documents at a time. STATUS_MACHINE if
 * OpenMP provides too few threads. */
enum status runner_create(const struct scorer *scorer, const struct plan *plan, size_t n_docs,
                          struct runner **runner, struct error *error);

/* If the scorer reads integers, converts documents, so that passes over them find them converted.
 * Without it, runner_run scores nothing. It may then score any of these documents. For other
 * scorers, does nothing. STATUS_UNSUPPORTED if a value is not an integer in range
 * (impls/integers.h). */
enum status runner_prepare(struct runner *runner, const float *x, size_t stride, size_t n_docs,
                           struct error *error);

/* Like scorer_run. Allocates nothing. Not reentrant. The calling thread is one of the threads and
 * is bound to the first core during the call. The call is cheaper if the calling thread is already
 * bound to the first core. */
void runner_run(struct runner *runner, const float *x, size_t stride, size_t n_docs,
                double *scores);

void runner_destroy(struct runner *runner); /* NULL is fine */

#endif
