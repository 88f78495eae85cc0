/* The scorer of implementations that are compiled to C: everything except their `score`. A unit is
 * a group of trees. */
#ifndef IMPLS_CODEGEN_CODEGEN_SCORER_H
#define IMPLS_CODEGEN_CODEGEN_SCORER_H

#include "impls/codegen/codegen_library.h"

struct codegen_scorer {
    struct scorer scorer;
    codegen_function *const *groups; /* [scorer.n_units] owned by the library */
    struct codegen_library *library;
};

enum status codegen_scorer_build(const struct impl *impl, const struct ensemble *ensemble,
                                 const struct codegen_writer *writer, struct scorer **scorer,
                                 struct error *error);
void codegen_scorer_destroy(struct scorer *scorer);

#endif
