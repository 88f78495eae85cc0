/* What the readers of this folder share. */
#ifndef MODELS_READER_H
#define MODELS_READER_H

#include "base/status.h"
#include "models/ensemble.h"

/* ensemble_builder_finish, with the file's name before the error: "FILE: tree 3, node 5: ...". */
enum status reader_finish(const char *name, struct ensemble_builder *builder,
                          const struct ensemble_shape *shape, struct ensemble **ensemble,
                          struct error *error);

/* The number to give to the builder for a child in canonical notation (c >= 0 the inner node c,
 * c < 0 the leaf ~c), where all inner nodes are added before the leaves. */
static inline uint32_t reader_child(uint32_t n_inner, int32_t child) {
    return child >= 0 ? (uint32_t)child : n_inner + (uint32_t)~child;
}

#endif
