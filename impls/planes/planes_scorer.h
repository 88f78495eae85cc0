/* The scorer of all bit-plane implementations, which contains a built model. */
#ifndef IMPLS_PLANES_PLANES_SCORER_H
#define IMPLS_PLANES_PLANES_SCORER_H

#include "impls/impl.h"
#include "impls/planes/planes_model.h"

enum { PLANES_UNIT = 16 }; /* bundles per unit; many, as each call makes all test planes */

struct planes_scorer {
    struct scorer scorer;
    struct planes_model model;
    size_t n_blocks, block_bytes; /* as in struct planes_view */
    bool in_chain;                /* as in struct planes_shape */
    char note[160];
};

/* Builds a scorer. The workspace has, for each block, `fixed_bytes` bytes and then a plane for each
 * test. */
enum status planes_scorer_build(const struct impl *impl, const struct ensemble *ensemble,
                                const struct planes_shape *shape, size_t fixed_bytes,
                                struct scorer **scorer, struct error *error);
void planes_scorer_destroy(struct scorer *scorer);

/* Of planes-avx512. Exports contain it, on all machines. */
extern const struct impl_cost planes_vbmi_costs[IMPL_PROCESSORS];

#endif
