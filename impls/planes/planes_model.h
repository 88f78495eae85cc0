/* A built model of bit planes (kernel/planes_types.h). Its layout is the same for all processors,
 * except for what struct planes_shape describes. */
#ifndef IMPLS_PLANES_PLANES_MODEL_H
#define IMPLS_PLANES_PLANES_MODEL_H

#include "base/status.h"
#include "impls/planes/kernel/planes_types.h"
#include "impls/planes/planes_xors.h"
#include "models/ensemble.h"

#include <stdbool.h>

struct planes_model {
    size_t n_features, n_trees, n_bundles;
    size_t n_tests; /* plain tests; sets are not counted */
    struct planes_feature *features;
    struct planes_tree *trees;
    struct planes_bundle *bundles;
    struct planes_xor_program xors; /* makes the planes of sets */
    size_t bytes;                   /* size of all data that scoring reads */
    struct memory_pool pool;        /* of all arrays except those of xors */
    /* The arrays into which the structs above point. */
    int32_t *keys;
    uint32_t *ranks;
    planes_inputs *inputs;
    planes_output *separators;
    double *values;
    uint8_t *tables;
    const struct planes_compiler *compiler; /* as in struct planes_shape */
    uint8_t *code;                          /* machine code; NULL if nodes are data */
    size_t code_bytes;
    size_t n_keys, n_nodes, n_values; /* lengths of the arrays; `ranks` has n_tests */
    bool is_rearranged;               /* the trees were sorted or cut (planes_trees.c) */
};

/* The number of test planes that scoring makes, for plain tests and sets. */
static inline size_t planes_model_planes(const struct planes_model *model) {
    return model->n_tests + model->xors.n_planes;
}

/* How to build a model. */
struct planes_shape {
    const char *impl;                       /* for errors */
    unsigned fan_bits, plane_bytes;         /* nodes of a search tree have 2^fan_bits children */
    const struct planes_compiler *compiler; /* if NULL, nodes stay data */
    bool byte_values;     /* values that stay doubles lie byte by byte (planes_tables.h) */
    bool fixed;           /* the kernel can add values in fixed point (planes_digits_make) */
    uint32_t float_codes; /* Values are floats in bundles whose trees have at most this many codes.
                             0: all values are doubles. */
    bool in_chain;        /* sums are floats from the first tree to the last (sums=chain) */
};

/* Turns inner nodes into machine code, or into words for a GPU. Bundles then have no inputs and
 * separators. */
struct planes_compiler {
    /* Compiles a model that is complete but for its nodes. tests[n_nodes] has the index of each
     * node's test. `ensemble` has the trees of the model (planes_trees.c). */
    enum status (*compile)(const struct ensemble *ensemble, const uint32_t *tests,
                           const struct planes_shape *shape, struct planes_model *model,
                           struct error *error);
    /* Called also for a model without code; NULL if there is nothing to free. */
    void (*free_code)(struct planes_model *model);
};

/* Builds *model. STATUS_UNSUPPORTED if a large tree is too deep, if there are too many tests, or if
 * a value is too large for sums in float. */
enum status planes_model_build(const struct ensemble *ensemble, const struct planes_shape *shape,
                               struct planes_model *model, struct error *error);
void planes_model_free(struct planes_model *model);

/* Rearranged ensembles for bit planes: trees of the same output are consecutive, and no tree has
 * more than PLANES_MAX_LEAVES leaves. A larger tree is cut into pieces. A piece has a range of the
 * leaves, all nodes above these leaves, and one leaf for each omitted subtree. The value of that
 * leaf is -0, which changes no sum, so scores stay equal bit for bit.
 *
 * planes_trees_make makes a rearranged copy unless planes_trees_fit: the trees have that form
 * already. STATUS_UNSUPPORTED if the paths from the root are so long that pieces would consist
 * mostly of paths. `impl` is the name for the error's text. */
bool planes_trees_fit(const struct ensemble *ensemble);
enum status planes_trees_make(const struct ensemble *ensemble, const char *impl,
                              struct ensemble **made, struct error *error);

/* Gives the model's bundles values in fixed point, if sums of `ensemble`, of whose trees the model
 * consists, are exact in double: then every way to add gives the same bits. Otherwise nothing
 * changes. STATUS_MEMORY if memory ran out. */
enum status planes_digits_make(const struct ensemble *ensemble, struct planes_model *model,
                               struct error *error);

#endif
