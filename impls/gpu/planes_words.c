#include "impls/gpu/planes_words.h"

#include "base/memory.h"
#include "impls/planes/planes_model.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = sizeof(uint32_t) };

/* --- features and tests ----------------------------------------------------------------------- */

static void copy_feature(const struct planes_model *model, const struct planes_feature *feature,
                         uint32_t *test, struct planes_words *words) {
    uint32_t i = words->n_features++, plane = words->first_plane[i];
    uint32_t n_tests = feature->n_tests + feature->n_nan_left;
    words->features[i] = feature->feature;
    words->first_key[i] = feature->n_levels ? (uint32_t)(feature->levels[0] - model->keys) : 0;
    words->first_plane[i + 1] = plane + feature->n_bits;
    words->first_test[i + 1] = *test + n_tests;
    for (uint32_t j = 0; j < n_tests; j++, ++*test) {
        words->test_rank[*test] = feature->ranks[j];
        words->test_nan_rank[*test] = j < feature->n_tests ? 0 : feature->nan_rank;
    }
}

static bool copy_features(const struct planes_model *model, struct planes_words *words) {
    words->features = memory_aligned_alloc(model->n_features * sizeof *words->features);
    words->first_key = memory_aligned_alloc(model->n_features * sizeof *words->first_key);
    words->first_plane = memory_aligned_calloc(model->n_features + 1, sizeof *words->first_plane);
    words->keys = memory_aligned_alloc(model->n_keys * sizeof *words->keys);
    words->first_test = memory_aligned_calloc(model->n_features + 1, sizeof *words->first_test);
    words->test_rank = memory_aligned_alloc(model->n_tests * sizeof *words->test_rank);
    words->test_nan_rank = memory_aligned_alloc(model->n_tests * sizeof *words->test_nan_rank);
    if (!words->features || !words->first_key || !words->first_plane || !words->keys ||
        !words->first_test || !words->test_rank || !words->test_nan_rank)
        return false;
    words->n_keys = model->n_keys;
    memcpy(words->keys, model->keys, model->n_keys * sizeof *words->keys);
    for (size_t i = 0; i < model->n_features; i++)
        copy_feature(model, &model->features[i], &words->n_tests, words);
    return true;
}

/* --- trees ------------------------------------------------------------------------------------ */

/* Where the nodes of a bundle's trees go: one tree after the other. */
struct bundle_nodes {
    uint32_t next[PLANES_BUNDLE];   /* place of the tree's next node */
    uint32_t leaves[PLANES_BUNDLE]; /* 1 more than its nodes */
};

/* The tree of a bundle whose separators include a slot. */
static size_t tree_of_slot(const struct planes_bundle *bundle, uint32_t slot) {
    size_t tree = bundle->n_trees;
    while (bundle->trees[--tree].first_slot >= slot)
        ;
    return tree;
}

static uint32_t number_of_slot(uint32_t slot, uint32_t first_slot, uint32_t n_leaves) {
    return slot == PLANES_SLOT_ALL ? 0 : slot == PLANES_SLOT_NONE ? n_leaves : slot - first_slot;
}

/* Does a node make a plane of a tree? The others pad a bundle or a group of separators. */
static bool is_node(const struct planes_bundle *bundle, size_t node) {
    return (bundle->inputs[node] & 0xffff) / WORD_BYTES != PLANES_SLOT_NONE;
}

static void count_leaves(const struct planes_bundle *bundle, struct bundle_nodes *nodes) {
    for (size_t i = 0; i < bundle->n_trees; i++)
        nodes->leaves[i] = 1;
    for (size_t i = 0; i < bundle->n_nodes; i++)
        if (is_node(bundle, i))
            nodes->leaves[tree_of_slot(bundle, bundle->separators[i] / WORD_BYTES)]++;
}

static void copy_node(const struct planes_bundle *bundle, size_t i, struct bundle_nodes *nodes,
                      struct planes_words *words) {
    uint32_t above = (uint32_t)(bundle->inputs[i] & 0xffff) / WORD_BYTES;
    uint32_t below = (uint32_t)(bundle->inputs[i] >> 16 & 0xffff) / WORD_BYTES;
    uint32_t slot = bundle->separators[i] / WORD_BYTES;
    size_t tree = tree_of_slot(bundle, slot);
    uint32_t first = bundle->trees[tree].first_slot, leaves = nodes->leaves[tree];
    uint32_t *node = words->nodes + 2 * (size_t)nodes->next[tree]++;
    node[0] = number_of_slot(above, first, leaves) | number_of_slot(below, first, leaves) << 10 |
              number_of_slot(slot, first, leaves) << 20;
    node[1] = (uint32_t)(bundle->inputs[i] >> 32) / WORD_BYTES;
}

static void copy_bundle(const struct planes_model *model, const struct planes_bundle *bundle,
                        struct planes_words *words) {
    struct bundle_nodes nodes;
    count_leaves(bundle, &nodes);
    for (size_t i = 0; i < bundle->n_trees; i++) {
        uint32_t tree = words->n_trees++, leaves = nodes.leaves[i];
        nodes.next[i] = (uint32_t)words->n_nodes;
        words->tree_node[tree] = (uint32_t)words->n_nodes;
        words->tree_leaves[tree] = leaves;
        words->tree_value[tree] = (uint32_t)(bundle->trees[i].values - model->values);
        words->tree_output[tree] = bundle->trees[i].output;
        words->most_leaves = leaves > words->most_leaves ? leaves : words->most_leaves;
        words->n_nodes += leaves - 1;
    }
    for (size_t i = 0; i < bundle->n_nodes; i++)
        if (is_node(bundle, i))
            copy_node(bundle, i, &nodes, words);
}

static bool copy_trees(const struct planes_model *model, struct planes_words *words) {
    words->tree_node = memory_aligned_alloc(model->n_trees * sizeof *words->tree_node);
    words->tree_leaves = memory_aligned_alloc(model->n_trees * sizeof *words->tree_leaves);
    words->tree_value = memory_aligned_alloc(model->n_trees * sizeof *words->tree_value);
    words->tree_output = memory_aligned_alloc(model->n_trees * sizeof *words->tree_output);
    words->nodes = memory_aligned_alloc(model->n_nodes * 2 * sizeof *words->nodes);
    words->values = memory_aligned_alloc(model->n_values * sizeof *words->values);
    if (!words->tree_node || !words->tree_leaves || !words->tree_value || !words->tree_output ||
        !words->nodes || !words->values)
        return false;
    words->n_values = model->n_values;
    memcpy(words->values, model->values, model->n_values * sizeof *words->values);
    for (size_t i = 0; i < model->n_bundles; i++)
        copy_bundle(model, &model->bundles[i], words);
    return true;
}

/* --- all of it -------------------------------------------------------------------------------- */

enum status planes_words_build(const struct ensemble *ensemble, const char *impl,
                               struct planes_words *words, struct error *error) {
    const struct planes_shape shape = {.impl = impl, .fan_bits = 1, .plane_bytes = WORD_BYTES};
    struct planes_model model;
    *words = (struct planes_words){.most_leaves = 1};
    enum status status = planes_model_build(ensemble, &shape, &model, error);
    if (status)
        return status;
    if (model.n_nodes > UINT32_MAX || model.n_values > UINT32_MAX || model.n_keys > UINT32_MAX)
        status = error_set(error, STATUS_UNSUPPORTED, "%s: the model has too many nodes", impl);
    else if (!copy_features(&model, words) || !copy_trees(&model, words))
        status = error_memory(error, "the trees as bit planes");
    planes_model_free(&model);
    if (status)
        planes_words_free(words);
    return status;
}

void planes_words_free(struct planes_words *words) {
    free(words->features);
    free(words->first_key);
    free(words->first_plane);
    free(words->keys);
    free(words->first_test);
    free(words->test_rank);
    free(words->test_nan_rank);
    free(words->tree_node);
    free(words->tree_leaves);
    free(words->tree_value);
    free(words->tree_output);
    free(words->nodes);
    free(words->values);
    *words = (struct planes_words){.n_trees = 0};
}
