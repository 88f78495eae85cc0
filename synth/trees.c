/* Creates balanced random trees. */
#include "synth/synth.h"

#include "base/origin.h"
#include "base/random.h"
#include "synth/stream.h"

#include <stdlib.h>

enum { MAX_DEPTH = 20 };

/* Values and thresholds are multiples of 2^-24, like those of random_float. Intervals are measured
 * in steps of 2^-24, so that the number of values in an interval is exact. */
enum { STEPS = 1 << 24 };

/* The nodes of one tree in heap order: the children of i are 2i + 1 and 2i + 2. */
struct split {
    uint32_t feature, step; /* goes left if x * 2^24 <= step */
};

struct interval {
    uint32_t first, last; /* steps, both included */
};

/* Returns the interval that the tests above a node leave for a feature. */
static struct interval interval_at(const struct split *splits, uint32_t node, uint32_t feature) {
    struct interval interval = {0, STEPS - 1};
    while (node > 0) {
        uint32_t parent = (node - 1) / 2;
        uint32_t step = splits[parent].step;
        if (splits[parent].feature == feature) {
            if (node == 2 * parent + 1 && step < interval.last)
                interval.last = step;
            else if (node == 2 * parent + 2 && step + 1 > interval.first)
                interval.first = step + 1;
        }
        node = parent;
    }
    return interval;
}

/* Draws a random split. The number of values on each side is at least the number of leaves below
 * that side. Even a path that tests only one feature therefore never runs out of values if 2^depth
 * <= 2^24. */
static struct split draw_split(const struct split *splits, uint32_t node, uint32_t side_leaves,
                               uint32_t n_features, struct random *random) {
    uint32_t feature = (uint32_t)random_below(random, n_features);
    struct interval interval = interval_at(splits, node, feature);
    uint32_t values = interval.last - interval.first + 1;
    uint32_t choices = values - 2 * side_leaves + 1;
    uint32_t step = interval.first + side_leaves - 1 + (uint32_t)random_below(random, choices);
    return (struct split){feature, step};
}

static void add_tree(struct ensemble_builder *builder, const struct synth_shape *shape,
                     struct split *splits, struct random *random) {
    ensemble_builder_add_tree(builder, 0);
    uint32_t node = 0;
    for (uint32_t level = 0; level < shape->depth; level++) {
        uint32_t side_leaves = 1u << (shape->depth - level - 1);
        for (uint32_t end = (2u << level) - 1; node < end; node++) {
            splits[node] = draw_split(splits, node, side_leaves, shape->n_features, random);
            struct inner_node inner = {.feature = splits[node].feature,
                                       .threshold = (float)splits[node].step * 0x1p-24f,
                                       .left = 2 * node + 1,
                                       .right = 2 * node + 2,
                                       .count = ENSEMBLE_NO_COUNT};
            ensemble_builder_add_inner(builder, &inner);
        }
    }
    for (uint32_t leaf = 0; leaf < 1u << shape->depth; leaf++)
        ensemble_builder_add_leaf(builder, 2 * random_double(random) - 1, ENSEMBLE_NO_COUNT);
}

static enum status check_shape(const struct synth_shape *shape, struct error *error) {
    if (shape->depth > MAX_DEPTH)
        return error_set(error, STATUS_INPUT, "synthetic trees: depth %u exceeds the limit of %d",
                         shape->depth, MAX_DEPTH);
    if (shape->n_features == 0 || shape->n_features > ENSEMBLE_MAX_FEATURES)
        return error_set(error, STATUS_INPUT,
                         "synthetic trees: the number of features is %u, expected 1 to %d",
                         shape->n_features, ENSEMBLE_MAX_FEATURES);
    if (shape->n_trees == 0 || shape->n_trees > ENSEMBLE_MAX_TREES ||
        (size_t)shape->n_trees << shape->depth > ENSEMBLE_MAX_NODES)
        return error_set(error, STATUS_INPUT,
                         "synthetic trees: %u trees of depth %u are not supported. The limits are "
                         "1 to %d trees and %zu leaves together",
                         shape->n_trees, shape->depth, ENSEMBLE_MAX_TREES, ENSEMBLE_MAX_NODES);
    return STATUS_OK;
}

enum status synth_trees(const struct synth_shape *shape, uint64_t seed, struct ensemble **ensemble,
                        struct error *error) {
    enum status status = check_shape(shape, error);
    if (status)
        return status;
    struct split *splits = malloc(sizeof *splits << shape->depth);
    struct ensemble_builder *builder = ensemble_builder_create();
    if (!splits || !builder) {
        free(splits);
        ensemble_builder_free(builder);
        return error_memory(error, "synthetic trees");
    }
    struct random random;
    random_seed(&random, random_derive(seed, STREAM_TREES));
    for (uint32_t t = 0; t < shape->n_trees; t++)
        add_tree(builder, shape, splits, &random);
    free(splits);
    const struct ensemble_shape all = {.n_features = shape->n_features, .origin = ORIGIN_SYNTHETIC};
    return ensemble_builder_finish(builder, &all, ensemble, error);
}
