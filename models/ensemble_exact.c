/* Copies an ensemble with leaf values that reveal the exit leaves in the scores. */
#include "models/ensemble.h"

#include "base/memory.h"
#include "base/random.h"

#include <stdlib.h>

/* Integers below 2^20 have exact sums in double for any possible number of trees. Sums below 2^24
 * are exact in float32 too. */
enum { LARGEST_VALUE = 1 << 20, LARGEST_FLOAT_SUM = 1 << 24 };

/* Returns the width of the range from which each leaf value is drawn. The range is as wide as the
 * limits allow, because this makes it unlikely that two wrong leaves cancel out. */
static uint32_t value_step(const struct ensemble *e, uint32_t leaves) {
    uint32_t largest = LARGEST_FLOAT_SUM / e->n_trees;
    if (largest > LARGEST_VALUE)
        largest = LARGEST_VALUE;
    return largest > leaves ? largest / leaves : 1;
}

/* Draws distinct values for the leaves of a tree. The range of values is divided into steps. The
 * leaves get different steps in random order, and each value is random within its step. */
static void draw_values(struct random *random, uint32_t leaves, uint32_t step, double *value) {
    for (uint32_t i = 0; i < leaves; i++) {
        uint32_t j = (uint32_t)random_below(random, (uint64_t)i + 1);
        value[i] = value[j];
        value[j] = i;
    }
    for (uint32_t i = 0; i < leaves; i++)
        value[i] = value[i] * step + (double)random_below(random, step);
}

static void add_tree(struct ensemble_builder *builder, const struct ensemble *e, uint32_t t,
                     const double *value) {
    ensemble_builder_copy_nodes(builder, e, t);
    for (size_t l = e->tree_leaf[t]; l < e->tree_leaf[t + 1]; l++)
        ensemble_builder_add_leaf(builder, value[l],
                                  e->leaf_count ? e->leaf_count[l] : ENSEMBLE_NO_COUNT);
}

enum status ensemble_copy_with_exact_leaves(const struct ensemble *e, uint64_t seed,
                                            struct ensemble **copy, struct error *error) {
    struct ensemble_builder *builder = ensemble_builder_create();
    double *value = memory_aligned_calloc(e->n_leaves, sizeof *value);
    if (!builder || !value) {
        ensemble_builder_free(builder);
        free(value);
        return error_memory(error, "a copy of a model");
    }
    struct random random;
    random_seed(&random, seed);
    for (uint32_t t = 0; t < e->n_trees; t++) {
        uint32_t leaves = ensemble_tree_leaves(e, t);
        draw_values(&random, leaves, value_step(e, leaves), value + e->tree_leaf[t]);
        add_tree(builder, e, t, value);
    }
    free(value);
    const struct ensemble_shape shape = {.n_features = e->n_features,
                                         .n_outputs = e->n_outputs,
                                         .note = e->note,
                                         .origin = e->origin,
                                         .compares_doubles = e->threshold_double != NULL};
    return ensemble_builder_finish(builder, &shape, copy, error);
}
