/* Ensembles of every kind that a traversal may get wrong. For test programs: static functions. */
#ifndef TESTS_IMPLS_FORESTS_H
#define TESTS_IMPLS_FORESTS_H

#include "base/random.h"
#include "models/ensemble.h"
#include "synth/synth.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* A forest in the making: thresholds are drawn from few values, so that rows hit them often. */
struct forest {
    struct ensemble_builder *builder;
    struct random random;
    uint32_t n_features, n_outputs;
    bool nan_left; /* of a random half of the nodes */
    const float *thresholds;
    size_t n_thresholds; /* 0: any of [0, 1) */
    enum forest_sets {
        FOREST_PLAIN,      /* no set nodes */
        FOREST_ONE_HOT,    /* one category of n_categories */
        FOREST_CATEGORIES, /* any of them */
        FOREST_CUTS        /* some of the thresholds are a set's cuts; other nodes are plain */
    } sets;
    uint32_t first_category, n_categories;
    uint32_t n_classes; /* 0: the trees do not vote */
    double base;        /* of every output */
};

static struct forest forest_begin(uint32_t n_features, uint64_t seed) {
    struct forest forest = {
        .builder = ensemble_builder_create(), .n_features = n_features, .n_outputs = 1};
    assert_non_null(forest.builder);
    random_seed(&forest.random, seed);
    return forest;
}

static struct ensemble *forest_end(struct forest *forest) {
    const uint32_t n_outputs = forest->n_classes ? forest->n_classes : forest->n_outputs;
    double *base = calloc(n_outputs, sizeof *base);
    assert_non_null(base);
    for (uint32_t k = 0; k < n_outputs; k++)
        base[k] = forest->base;
    const struct ensemble_shape shape = {.n_features = forest->n_features,
                                         .n_outputs = n_outputs,
                                         .base = base,
                                         .votes = forest->n_classes > 0};
    struct ensemble *ensemble = NULL;
    struct error error = {""};
    if (ensemble_builder_finish(forest->builder, &shape, &ensemble, &error))
        fail_msg("%s", error.text);
    free(base);
    return ensemble;
}

enum { FOREST_MAX_CUTS = 620 };

/* Category k is [k, k + 1), as LightGBM's and XGBoost's are, and 0 is (-1, 1). */
static uint32_t forest_add_category(double *cuts, uint32_t n_cuts, uint32_t category) {
    double begin = category ? nextafter(category, -INFINITY) : -1;
    if (n_cuts && cuts[n_cuts - 1] == begin)
        n_cuts--;
    else
        cuts[n_cuts++] = begin;
    cuts[n_cuts++] = nextafter(category + 1.0, -INFINITY);
    return n_cuts;
}

static uint32_t forest_draw_categories(struct forest *forest, double *cuts) {
    struct random *random = &forest->random;
    if (forest->sets == FOREST_ONE_HOT)
        return forest_add_category(
            cuts, 0, forest->first_category + (uint32_t)random_below(random, forest->n_categories));
    uint32_t n_cuts = 0, share = 1 + (uint32_t)random_below(random, 4);
    bool alternating = random_below(random, 8) == 0;
    for (uint32_t k = 0; k < forest->n_categories; k++)
        if (alternating ? k % 2 : random_below(random, 5) < share)
            n_cuts = forest_add_category(cuts, n_cuts, forest->first_category + k);
    return n_cuts;
}

/* Of the thresholds, which ascend: each also as two doubles that are one float. */
static uint32_t forest_draw_cuts(struct forest *forest, double *cuts) {
    uint32_t n_cuts = 0;
    for (size_t i = 0; i < forest->n_thresholds; i++) {
        double cut = (double)forest->thresholds[i];
        uint64_t kind = random_below(&forest->random, 5);
        if (kind < 3)
            cuts[n_cuts++] = cut;
        if (kind == 0 && isfinite(cut) && cut != 0)
            cuts[n_cuts++] = cut + fabs(cut) * 0x1p-40;
    }
    return n_cuts;
}

/* A plain node is left as it is. */
static void forest_draw_set(struct forest *forest, struct inner_node *node,
                            double cuts[static FOREST_MAX_CUTS]) {
    if (forest->sets == FOREST_PLAIN ||
        (forest->sets == FOREST_CUTS && random_below(&forest->random, 2)))
        return;
    node->cuts = cuts;
    node->n_cuts = forest->sets == FOREST_CUTS ? forest_draw_cuts(forest, cuts)
                                               : forest_draw_categories(forest, cuts);
    node->lowest_right = forest->sets != FOREST_CUTS || random_below(&forest->random, 2);
}

static struct inner_node forest_draw_inner(struct forest *forest,
                                           double cuts[static FOREST_MAX_CUTS]) {
    struct random *random = &forest->random;
    float threshold = forest->n_thresholds
                          ? forest->thresholds[random_below(random, forest->n_thresholds)]
                          : random_float(random);
    struct inner_node node = {.feature = (uint32_t)random_below(random, forest->n_features),
                              .threshold = threshold,
                              .nan_left = forest->nan_left && random_below(random, 2),
                              .count = ENSEMBLE_NO_COUNT};
    forest_draw_set(forest, &node, cuts);
    return node;
}

static void forest_add_inner(struct forest *forest, uint32_t left, uint32_t right) {
    double cuts[FOREST_MAX_CUTS];
    struct inner_node node = forest_draw_inner(forest, cuts);
    node.left = left;
    node.right = right;
    ensemble_builder_add_inner(forest->builder, &node);
}

static void forest_add_leaf(struct forest *forest) {
    double class = forest->n_classes ? (double)random_below(&forest->random, forest->n_classes) : 0;
    ensemble_builder_add_leaf(forest->builder, class, ENSEMBLE_NO_COUNT);
}

/* A tree of `leaves` leaves in which random leaves were split: node i of the split order gets the
 * numbers 2i + 1 and 2i + 2 for its children. */
static void forest_add_random_tree(struct forest *forest, uint32_t leaves) {
    enum { MAX_LEAVES = 5000 };
    uint32_t open[MAX_LEAVES] = {0}, left[2 * MAX_LEAVES] = {0};
    assert_in_range(leaves, 1, MAX_LEAVES);
    for (uint32_t i = 0; i + 1 < leaves; i++) {
        uint32_t *split = &open[random_below(&forest->random, (uint64_t)i + 1)];
        left[*split] = 2 * i + 1;
        *split = 2 * i + 1;
        open[i + 1] = 2 * i + 2;
    }
    ensemble_builder_add_tree(forest->builder,
                              (uint32_t)random_below(&forest->random, forest->n_outputs));
    for (uint32_t node = 0; node < 2 * leaves - 1; node++) {
        if (left[node])
            forest_add_inner(forest, left[node], left[node] + 1);
        else
            forest_add_leaf(forest);
    }
}

enum chain_side { CHAIN_LEFT, CHAIN_RIGHT, CHAIN_ZIGZAG };

/* A tree as deep as it can be: one child of each node is a leaf. */
static void forest_add_chain(struct forest *forest, uint32_t depth, enum chain_side side) {
    ensemble_builder_add_tree(forest->builder, 0);
    for (uint32_t i = 0; i < depth; i++) {
        uint32_t leaf = 2 * i + 1, next = 2 * i + 2;
        bool left = side == CHAIN_LEFT || (side == CHAIN_ZIGZAG && i % 2);
        forest_add_inner(forest, left ? next : leaf, left ? leaf : next);
        forest_add_leaf(forest);
    }
    forest_add_leaf(forest);
}

/* A balanced tree in heap order. */
static void forest_add_balanced(struct forest *forest, uint32_t depth) {
    ensemble_builder_add_tree(forest->builder, 0);
    for (uint32_t node = 0; node < (2u << depth) - 1; node++) {
        if (node < (1u << depth) - 1)
            forest_add_inner(forest, 2 * node + 1, 2 * node + 2);
        else
            forest_add_leaf(forest);
    }
}

/* A balanced tree in heap order whose nodes of a depth have the same test, as CatBoost's have. */
static void forest_add_oblivious(struct forest *forest, uint32_t depth) {
    double cuts[FOREST_MAX_CUTS];
    ensemble_builder_add_tree(forest->builder,
                              (uint32_t)random_below(&forest->random, forest->n_outputs));
    const uint32_t n_leaves = 1u << depth;
    for (uint32_t first = 0; first + 1 < n_leaves; first = 2 * first + 1) {
        struct inner_node node = forest_draw_inner(forest, cuts);
        for (uint32_t i = first; i < 2 * first + 1; i++) {
            node.left = 2 * i + 1;
            node.right = 2 * i + 2;
            ensemble_builder_add_inner(forest->builder, &node);
        }
    }
    for (uint32_t leaf = 0; leaf < n_leaves; leaf++)
        forest_add_leaf(forest);
}

static struct ensemble *single_leaf(void) {
    struct forest forest = forest_begin(1, 1);
    forest_add_random_tree(&forest, 1);
    return forest_end(&forest);
}

static struct ensemble *stumps(void) {
    struct forest forest = forest_begin(3, 2);
    for (int i = 0; i < 20; i++)
        forest_add_balanced(&forest, 1);
    return forest_end(&forest);
}

static struct ensemble *balanced_of_every_depth(void) {
    struct forest forest = forest_begin(20, 3);
    for (uint32_t depth = 0; depth <= 11; depth++)
        forest_add_balanced(&forest, depth);
    return forest_end(&forest);
}

static struct ensemble *balanced_over_one_feature(void) {
    const struct synth_shape shape = {.depth = 8, .n_features = 1, .n_trees = 2};
    struct ensemble *ensemble = NULL;
    assert_int_equal(synth_trees(&shape, 4, &ensemble, NULL), STATUS_OK);
    return ensemble;
}

static struct ensemble *chains(void) {
    struct forest forest = forest_begin(12, 5);
    forest_add_chain(&forest, 40, CHAIN_LEFT);
    forest_add_chain(&forest, 40, CHAIN_RIGHT);
    forest_add_chain(&forest, 40, CHAIN_ZIGZAG);
    return forest_end(&forest);
}

static struct ensemble *long_chain(void) {
    struct forest forest = forest_begin(250, 6);
    forest_add_chain(&forest, 300, CHAIN_ZIGZAG);
    return forest_end(&forest);
}

static struct ensemble *random_shapes(void) {
    struct forest forest = forest_begin(10, 7);
    for (int i = 0; i < 12; i++)
        forest_add_random_tree(&forest, 1 + (uint32_t)random_below(&forest.random, 200));
    return forest_end(&forest);
}

static struct ensemble *small_trees_over_many_features(void) {
    struct forest forest = forest_begin(700, 8);
    for (int i = 0; i < 60; i++)
        forest_add_random_tree(&forest, 1 + (uint32_t)random_below(&forest.random, 16));
    return forest_end(&forest);
}

/* Kernels that look up ranks have code for each number of columns; a feature makes two of them. */
static struct ensemble *shallow_trees(uint32_t n_features, uint64_t seed) {
    struct forest forest = forest_begin(n_features, seed);
    forest.nan_left = true;
    for (int i = 0; i < 70; i++)
        forest_add_random_tree(&forest, 1 + (uint32_t)random_below(&forest.random, 9));
    return forest_end(&forest);
}

static struct ensemble *shallow_trees_over_60_features(void) {
    return shallow_trees(60, 20);
}

static struct ensemble *shallow_trees_over_120_features(void) {
    return shallow_trees(120, 21);
}

static struct ensemble *several_outputs(void) {
    struct forest forest = forest_begin(6, 9);
    forest.n_outputs = 3;
    for (int i = 0; i < 17; i++)
        forest_add_random_tree(&forest, 1 + (uint32_t)random_below(&forest.random, 30));
    return forest_end(&forest);
}

static struct ensemble *nan_goes_left(void) {
    struct forest forest = forest_begin(6, 10);
    forest.nan_left = true;
    for (int i = 0; i < 10; i++)
        forest_add_random_tree(&forest, 20 + (uint32_t)random_below(&forest.random, 40));
    return forest_end(&forest);
}

/* Tests that differ in the side of NaN alone. */
static struct ensemble *one_threshold(void) {
    static const float threshold = 0.5f;
    struct forest forest = forest_begin(2, 17);
    forest.nan_left = true;
    forest.thresholds = &threshold;
    forest.n_thresholds = 1;
    for (int i = 0; i < 10; i++)
        forest_add_random_tree(&forest, 8);
    return forest_end(&forest);
}

static struct ensemble *extreme_thresholds(void) {
    static const float thresholds[] = {INFINITY,   -INFINITY, 0.0f,    -0.0f,    0x1p-149f,
                                       -0x1p-149f, 0x1p-126f, FLT_MAX, -FLT_MAX, 0.5f};
    struct forest forest = forest_begin(8, 11);
    forest.nan_left = true;
    forest.thresholds = thresholds;
    forest.n_thresholds = sizeof thresholds / sizeof *thresholds;
    for (int i = 0; i < 10; i++)
        forest_add_random_tree(&forest, 40);
    return forest_end(&forest);
}

/* Trees of at most so many leaves, some of exactly so many: those fill words of leaf sets. */
static struct ensemble *words_of(uint32_t leaves, uint64_t seed) {
    struct forest forest = forest_begin(7, seed);
    forest.nan_left = true;
    forest.n_outputs = 2;
    for (uint32_t i = 0; i < 9; i++)
        forest_add_random_tree(&forest, i % 3 ? leaves : leaves / 2 + i);
    return forest_end(&forest);
}

static struct ensemble *words_of_32(void) {
    return words_of(32, 12);
}

static struct ensemble *words_of_64(void) {
    return words_of(64, 13);
}

static struct ensemble *words_of_128(void) {
    return words_of(128, 14);
}

static struct ensemble *large_trees(void) {
    struct forest forest = forest_begin(7, 15);
    forest.nan_left = true;
    forest.n_outputs = 2;
    for (uint32_t leaves = 257; leaves < 1500; leaves += 311)
        forest_add_random_tree(&forest, leaves);
    return forest_end(&forest);
}

static struct ensemble *one_hot(void) {
    struct forest forest = forest_begin(5, 16);
    forest.nan_left = true;
    forest.sets = FOREST_ONE_HOT;
    forest.n_categories = 30;
    for (uint32_t leaves = 1; leaves < 64; leaves += 4)
        forest_add_random_tree(&forest, leaves);
    return forest_end(&forest);
}

/* A feature has up to 300 categories, the others fewer. */
static struct ensemble *many_categories(void) {
    static const uint32_t counts[] = {2, 7, 45, 64, 65, 300};
    struct forest forest = forest_begin(3, 17);
    forest.nan_left = true;
    forest.n_outputs = 2;
    forest.sets = FOREST_CATEGORIES;
    for (size_t i = 0; i < 2 * sizeof counts / sizeof *counts; i++) {
        forest.n_categories = counts[i / 2];
        forest.first_category = i % 2 * 1000;
        forest_add_random_tree(&forest, 2 + (uint32_t)random_below(&forest.random, 12));
    }
    return forest_end(&forest);
}

/* Sets that have parts in common. */
static struct ensemble *trees_of_categories(void) {
    struct forest forest = forest_begin(2, 20);
    forest.nan_left = true;
    forest.sets = FOREST_CATEGORIES;
    forest.n_categories = 45;
    for (int i = 0; i < 10; i++)
        forest_add_random_tree(&forest, 30);
    return forest_end(&forest);
}

static struct ensemble *sets_on_shared_thresholds(void) {
    static const float thresholds[] = {-INFINITY, -FLT_MAX, -2.5f, -0x1p-149f, -0.0f,
                                       0x1p-149f, 0.25f,    0.5f,  FLT_MAX,    INFINITY};
    struct forest forest = forest_begin(3, 18);
    forest.nan_left = true;
    forest.sets = FOREST_CUTS;
    forest.thresholds = thresholds;
    forest.n_thresholds = sizeof thresholds / sizeof *thresholds;
    for (uint32_t leaves = 2; leaves < 60; leaves += 3)
        forest_add_random_tree(&forest, leaves);
    return forest_end(&forest);
}

static struct ensemble *large_trees_of_categories(void) {
    struct forest forest = forest_begin(9, 19);
    forest.nan_left = true;
    forest.sets = FOREST_CATEGORIES;
    forest.n_categories = 12;
    forest_add_random_tree(&forest, 700);
    forest_add_random_tree(&forest, 30);
    return forest_end(&forest);
}

/* Of every depth, one deeper than a piece of bit planes. Some have a test at several depths. */
static struct ensemble *oblivious_trees(void) {
    static const float thresholds[] = {-0.5f, 0.25f, 0.5f, 0.75f};
    struct forest forest = forest_begin(3, 22);
    forest.nan_left = true;
    forest.n_outputs = 2;
    forest.thresholds = thresholds;
    forest.n_thresholds = sizeof thresholds / sizeof *thresholds;
    for (int i = 0; i < 3; i++)
        for (uint32_t depth = 0; depth <= 9; depth++)
            forest_add_oblivious(&forest, depth);
    return forest_end(&forest);
}

static struct ensemble *oblivious_trees_of_categories(void) {
    struct forest forest = forest_begin(4, 23);
    forest.sets = FOREST_ONE_HOT;
    forest.n_categories = 12;
    for (uint32_t depth = 1; depth <= 6; depth++)
        forest_add_oblivious(&forest, depth);
    return forest_end(&forest);
}

static const struct forest_maker {
    const char *name;
    struct ensemble *(*make)(void);
} forest_makers[] = {
    {"single leaf", single_leaf},
    {"stumps", stumps},
    {"balanced of every depth", balanced_of_every_depth},
    {"balanced over one feature", balanced_over_one_feature},
    {"chains", chains},
    {"long chain", long_chain},
    {"random shapes", random_shapes},
    {"small trees over many features", small_trees_over_many_features},
    {"shallow trees over 60 features", shallow_trees_over_60_features},
    {"shallow trees over 120 features", shallow_trees_over_120_features},
    {"several outputs", several_outputs},
    {"NaN goes left", nan_goes_left},
    {"one threshold", one_threshold},
    {"extreme thresholds", extreme_thresholds},
    {"words of 32 leaves", words_of_32},
    {"words of 64 leaves", words_of_64},
    {"words of 128 leaves", words_of_128},
    {"large trees", large_trees},
    {"one-hot", one_hot},
    {"many categories", many_categories},
    {"trees of categories", trees_of_categories},
    {"sets on shared thresholds", sets_on_shared_thresholds},
    {"large trees of categories", large_trees_of_categories},
    {"oblivious trees", oblivious_trees},
    {"oblivious trees of categories", oblivious_trees_of_categories},
};

enum { FOREST_COUNT = sizeof forest_makers / sizeof *forest_makers };

#endif
