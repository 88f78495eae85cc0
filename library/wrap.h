/* Lets treebench make calls of libtreebench with scorers that tb_scorer_build refuses because they
 * are only for measuring: other people's libraries, and the empty loop. Not part of the library's
 * interface. */
#ifndef LIBRARY_WRAP_H
#define LIBRARY_WRAP_H

#include "impls/scorer.h"
#include "library/treebench.h"

/* Makes a scorer of libtreebench that uses `scorer`, which must outlive it and score floats. Its
 * documents were placed for the model when they were read. library_unwrap frees it. */
enum status library_wrap(const struct ensemble *ensemble, struct scorer *scorer,
                         struct tb_scorer **wrapped, struct error *error);
void library_unwrap(struct tb_scorer *wrapped); /* NULL is allowed */

#endif
