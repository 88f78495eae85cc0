/* The nodes of a model by bit planes as machine code (planes_jit_code.h): where it lives. */
#ifndef IMPLS_PLANES_JIT_H
#define IMPLS_PLANES_JIT_H

#include "impls/planes_model.h"

/* Compiles the bundles of a model whose trees are filled in; tests [n_nodes] are the numbers of the
 * ensemble's nodes' tests. STATUS_MACHINE where the system refuses to run what was written,
 * STATUS_UNSUPPORTED for too many tests. */
enum status planes_jit_compile(const struct ensemble *ensemble, const uint32_t *tests,
                               const struct planes_shape *shape, struct planes_model *model,
                               struct error *error);
void planes_jit_free(struct planes_model *model);

#endif
