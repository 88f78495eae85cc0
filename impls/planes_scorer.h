/* What the implementations by bit planes share: a built model and the memory that a call needs. */
#ifndef IMPLS_PLANES_SCORER_H
#define IMPLS_PLANES_SCORER_H

#include "impls/impl.h"
#include "impls/planes_model.h"

enum { PLANES_UNIT = 16 }; /* bundles in a unit: a call finds all tests, whatever its units */

struct planes_scorer {
    struct scorer scorer;
    struct planes_model model;
    size_t n_blocks, block_bytes; /* as in struct planes_view */
    char note[160];
};

/* The workspace is `fixed_bytes` and a plane for each test. */
enum status planes_scorer_build(const struct impl *impl, const struct ensemble *ensemble,
                                const struct planes_shape *shape, size_t fixed_bytes,
                                struct scorer **scorer, struct error *error);
void planes_scorer_destroy(struct scorer *scorer);

#endif
