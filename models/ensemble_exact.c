/* Copies an ensemble with leaf values that reveal the exit leaves in the scores. */
#include "models/ensemble.h"

#include "base/random.h"
#include "models/rewrite.h"

#include <string.h>

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

enum status ensemble_copy_with_exact_leaves(const struct ensemble *e, uint64_t seed,
                                            struct ensemble **copy, struct error *error) {
    struct ensemble *made;
    struct random random;
    enum status status = ensemble_copy(e, &made, error);
    if (status)
        return status;
    made->votes = false;
    memset(made->base, 0, made->n_outputs * sizeof *made->base);
    random_seed(&random, seed);
    for (uint32_t t = 0; t < e->n_trees; t++) {
        uint32_t leaves = ensemble_tree_leaves(e, t);
        draw_values(&random, leaves, value_step(e, leaves), made->value + made->tree_leaf[t]);
    }
    *copy = made;
    return STATUS_OK;
}
