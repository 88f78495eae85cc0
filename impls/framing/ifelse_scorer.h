/* The scorer that ifelse, ifelse-swap and ifelse-opt share. One call of the generated code scores
 * one document with all trees that were compiled together: all trees of the ensemble, unless they
 * have over 4,096 leaves in all. */
#ifndef IMPLS_FRAMING_IFELSE_SCORER_H
#define IMPLS_FRAMING_IFELSE_SCORER_H

#include "impls/framing/ifelse_source.h"

/* Reads the options that say what documents hold. */
enum status ifelse_read_values(const struct impl *impl, const struct options *options,
                               enum ifelse_values *values, struct error *error);

/* `note` is the scorer's note if the form depends on counts of documents, but the ensemble has
 * none; NULL if it does not depend on them. */
enum status ifelse_build(const struct impl *impl, const struct ensemble *ensemble,
                         const struct ifelse_form *form, const char *note, struct scorer **scorer,
                         struct error *error);
void ifelse_score(const struct scorer *scorer, struct span units, struct span docs,
                  const struct batch *batch);

#define IFELSE_NO_COUNTS                                                                           \
    "the model has no counts of documents, so all branches count as equally likely"

#endif
