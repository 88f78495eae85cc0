/* --threads and --parallel: what they say, for every command that scores. */
#ifndef HARNESS_THREADS_H
#define HARNESS_THREADS_H

#include "base/status.h"
#include "impls/impl.h"

#define THREADS_HELP "threads, each on a core of its own (default: 1)"
#define PARALLEL_HELP "what threads share out (default: documents)"

/* Sets the plan's threads and parallel. Either text may be NULL: one thread, over documents. */
enum status threads_parse(const char *threads, const char *parallel, struct plan *plan,
                          struct error *error);

/* "documents", "trees" or "both". */
const char *threads_parallel_name(enum parallel parallel);

/* "documents", "trees" or "both". */
enum status threads_parse_parallel(const char *text, enum parallel *parallel, struct error *error);

#endif
