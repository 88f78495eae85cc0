/* Measuring calls of n documents: who competes, and on how many documents. What `tune` and `map`
 * share. */
#ifndef HARNESS_CALLS_H
#define HARNESS_CALLS_H

#include "datasets/matrix.h"
#include "impls/auto_times.h"

#include <stdbool.h>
#include <stddef.h>

/* The implementations that score exactly and that this processor runs, `vpred` with 8, 16 and 32
 * lanes; without judges and baselines of papers, libraries and `auto`, and without `codegen` unless
 * asked for. Returns how many; at most `limit`. */
size_t calls_candidates(bool with_codegen, char specs[][AUTO_SPEC_SIZE], size_t limit);

/* The libraries that are here; likewise. */
size_t calls_libraries(char specs[][AUTO_SPEC_SIZE], size_t limit);

/* How many documents make so many visits of trees, as far as there is time for them. */
size_t calls_wanted(size_t n_trees, size_t visits);

/* The first of the documents: whole calls, as many as make so many visits of trees, but at least
 * `least` documents. A view, which is not to be freed. */
struct matrix calls_documents(const struct matrix *documents, size_t n_trees, size_t call,
                              size_t least, size_t visits);

#endif
