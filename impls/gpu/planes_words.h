/* A model of bit planes in the form that planes.cl reads: flat arrays of 32-bit numbers, in host
 * memory. It is made from a struct planes_model with planes of 4 bytes. */
#ifndef IMPLS_GPU_PLANES_WORDS_H
#define IMPLS_GPU_PLANES_WORDS_H

#include "base/status.h"
#include "models/ensemble.h"

#include <stddef.h>
#include <stdint.h>

struct planes_words {
    uint32_t n_features;   /* that are tested */
    uint32_t *features;    /* [n_features] */
    uint32_t *first_key;   /* [n_features] root of the search tree in `keys` */
    uint32_t *first_plane; /* [n_features + 1] first plane of the ranks' bits */
    int32_t *keys;         /* [n_keys] */
    size_t n_keys;

    uint32_t n_tests;
    uint32_t *first_test;    /* [n_features + 1] first test of a feature */
    uint32_t *test_rank;     /* [n_tests] documents of this rank or a higher one go right */
    uint32_t *test_nan_rank; /* [n_tests] except those of this rank; 0: no exception */

    uint32_t n_trees, most_leaves;
    uint32_t *tree_node;   /* [n_trees] first node in `nodes` */
    uint32_t *tree_leaves; /* [n_trees] */
    uint32_t *tree_value;  /* [n_trees] first value in `values` */
    uint32_t *tree_output; /* [n_trees] ascending */
    uint32_t *nodes; /* [n_nodes][2] a | b << 10 | c << 20 for L_c = L_b | (L_a & test), and the
                        test; a parent comes before its children */
    size_t n_nodes;
    double *values; /* [n_values] in the order of codes */
    size_t n_values;
};

/* Fails as planes_model_build does. `impl` is the name for errors. */
enum status planes_words_build(const struct ensemble *ensemble, const char *impl,
                               struct planes_words *words, struct error *error);
void planes_words_free(struct planes_words *words);

#endif
