/* What every implementation by bit planes is built into (see planes_types.h): no part of it depends
 * on a processor, but for the width of a plane. */
#ifndef IMPLS_PLANES_MODEL_H
#define IMPLS_PLANES_MODEL_H

#include "base/status.h"
#include "impls/planes_types.h"
#include "impls/planes_xors.h"
#include "models/ensemble.h"

#include <stdbool.h>

struct planes_model {
    size_t n_features, n_trees, n_bundles;
    size_t n_tests; /* plain ones */
    struct planes_feature *features;
    struct planes_tree *trees;
    struct planes_bundle *bundles;
    struct planes_xor_program xors; /* the planes of sets */
    size_t bytes;                   /* of all that scoring reads */
    /* What the structs above point into. */
    int32_t *keys;
    uint32_t *ranks;
    planes_inputs *inputs;
    planes_output *separators;
    double *values;
    uint8_t *tables;
    uint8_t *code;                    /* mapped; NULL where nodes are no machine code */
    size_t code_bytes;                /* of the mapping */
    size_t n_keys, n_nodes, n_values; /* n_tests ranks */
    bool is_rearranged; /* the trees are not those of the ensemble: see planes_trees.h */
};

/* How many planes of tests scoring makes. */
static inline size_t planes_model_planes(const struct planes_model *model) {
    return model->n_tests + model->xors.n_planes;
}

/* What inner nodes become: the bundles' inputs and separators, or machine code (planes_jit.h). */
enum planes_nodes { PLANES_DATA, PLANES_AVX2_CODE, PLANES_AVX512_CODE };

/* A search tree's nodes have 2^fan_bits children; a plane has plane_bytes. STATUS_UNSUPPORTED, in
 * the name of `impl`, where a large tree is too deep or there are too many tests. */
struct planes_shape {
    const char *impl;
    unsigned fan_bits, plane_bytes;
    enum planes_nodes nodes;
    uint32_t float_codes; /* where values are floats, of bundles whose trees have up to so many
                             codes; 0: nowhere */
};
enum status planes_model_build(const struct ensemble *ensemble, const struct planes_shape *shape,
                               struct planes_model *model, struct error *error);
void planes_model_free(struct planes_model *model);

#endif
