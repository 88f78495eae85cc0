/* Calls of a few documents, shared out over the threads of a pool by trees. Scores are those of one
 * thread, bit for bit: helpers write the value of the exit leaf of each of their trees, and the
 * calling thread adds all values in the order of the trees.
 *
 * Only implementations with the function `spread` (impls/impl.h) are shared out. */
#ifndef LIBRARY_SHARING_H
#define LIBRARY_SHARING_H

#include "impls/impl.h"
#include "library/pool.h"

enum { SHARING_DOCS = 16 }; /* larger calls are not shared out */

struct sharing;

/* Decides, for each number of documents, how the scorer's calls are shared out. The scorer and the
 * pool must outlive the result, which uses the pool in every call. A scorer that chooses among
 * others and predicts times (`auto`) is shared out where that is predicted to take less time.
 * Another one is shared out in equal parts wherever that is possible. */
enum status sharing_create(const struct scorer *scorer, struct pool *pool, struct sharing **sharing,
                           struct error *error);
void sharing_free(struct sharing *sharing); /* NULL is fine */

/* The number of threads that a call of n_docs documents uses if all are awake; 1: it is not shared
 * out. */
size_t sharing_threads(const struct sharing *sharing, size_t n_docs);

/* Adds the leaf values of all trees to the scores of some documents. Returns false if the call is
 * not shared out, or if a thread of the pool slept; nothing was added then. */
bool sharing_score(const struct sharing *sharing, struct span docs, const struct batch *batch);

/* --- shares ----------------------------------------------------------------------------------- */

/* Shares of a call: the calling thread scores the first `own` units, and threads - 1 helpers share
 * the others equally. */
struct shares {
    size_t threads, own;
};

/* The shares of n_units units of `trees` trees each for at most `threads` threads. Equal ones if
 * the cost is NULL; otherwise those with the least predicted time, which may be one thread. */
struct shares sharing_choose(const struct call_cost *cost, size_t n_units, double trees,
                             size_t n_docs, size_t threads);

#endif
