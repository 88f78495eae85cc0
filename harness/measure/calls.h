/* Selects the implementations and the documents for measuring calls of a given size (a number of
 * documents). Used by `tune` and `map`. */
#ifndef HARNESS_MEASURE_CALLS_H
#define HARNESS_MEASURE_CALLS_H

#include "datasets/matrix.h"
#include "harness/rows/row.h"
#include "impls/auto/auto_times.h"
#include "impls/impl.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stddef.h>

/* Lists the traversals that this processor can run. `vpred` is listed three times, with 8, 16 and
 * 32 lanes. The reference, baselines of papers and `auto` are left out, and so are implementations
 * that run a compiler unless they are requested. Returns the number of listed specs, at most
 * `limit`. */
size_t calls_candidates(bool with_compiled, char specs[][AUTO_SPEC_SIZE], size_t limit);

/* Lists the implementations of a kind that run here, such as the installed libraries; those of a
 * device only with a named device. Returns the number of listed specs, at most `limit`. */
size_t calls_of_kind(enum impl_kind kind, char specs[][AUTO_SPEC_SIZE], size_t limit);

/* Moves the library of the model's maker to the front of listed libraries, behind the user's peers:
 * XGBoost for a model in one of its formats. */
void calls_maker_first(const struct ensemble *ensemble, char specs[][AUTO_SPEC_SIZE], size_t count);

/* Sorts listed candidates by what `auto` without tuning would expect of them for calls of `least`
 * and `most` documents, the most promising first. Those without costs come last. */
enum status calls_promising_first(const struct ensemble *ensemble, size_t least, size_t most,
                                  char specs[][AUTO_SPEC_SIZE], size_t count, struct error *error);

/* Returns the number of documents whose scoring visits about `visits` trees in all. The number is
 * limited, so that a pass does not take long. */
size_t calls_wanted(size_t n_trees, size_t visits);

/* Returns a view of the first documents: whole calls of `call` documents that visit about `visits`
 * trees in all. The view has at least `least` documents, rounded down to whole calls, if there are
 * that many. Do not free the view. */
struct matrix calls_documents(const struct matrix *documents, size_t n_trees, size_t call,
                              size_t least, size_t visits);

/* Fails if memory ran out while a row was measured. Such a row must not be stored, because a later
 * run may have enough memory. */
enum status calls_check_memory(const struct row *rows, size_t count, struct error *error);

#endif
