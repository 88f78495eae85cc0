/* The traversals against each other: an ensemble of plain nodes and sets, and documents, are made
 * from the input. Whatever is registered, runs here and takes the ensemble must reach the leaves
 * that a plain walk reaches. Where the bytes end, random numbers that depend on all of them go on.
 * codegen is left out, because it runs a C compiler for each ensemble: test_exactness.c has it. */
#include "base/hash.h"
#include "base/order.h"
#include "base/random.h"
#include "impls/scorer.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEATURES_MOST = 300, TREES_MOST = 40, LEAVES_MOST = 300, DOCS_MOST = 300, POOL_MOST = 64 };
/* Most implementations have sets rewritten as plain nodes, which multiplies trees. */
enum { TREES_WITH_SETS = 6, LEAVES_WITH_SETS = 16 };
enum { CUTS_MOST = 12, SPEC_SIZE = 128, OUTPUTS_MOST = 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
    if (!holds)
        abort();
}

/* --- what the bytes decide -------------------------------------------------------------------- */

struct source {
    const uint8_t *at, *end;
    struct random random;
};

static struct source source_begin(const uint8_t *data, size_t size) {
    struct source source = {.at = data, .end = data + size};
    random_seed(&source.random, hash_bytes(HASH_START, data, size));
    return source;
}

static uint32_t draw_bits(struct source *source) {
    uint32_t bits = 0;
    if (source->end - source->at < (ptrdiff_t)sizeof bits)
        return (uint32_t)random_u64(&source->random);
    memcpy(&bits, source->at, sizeof bits);
    source->at += sizeof bits;
    return bits;
}

/* One of 0 .. n-1, by a byte or two. */
static uint32_t draw(struct source *source, uint32_t n) {
    uint32_t bytes = n > 256 ? 2 : 1, value = 0;
    if (source->end - source->at < (ptrdiff_t)bytes)
        return (uint32_t)random_below(&source->random, n);
    for (uint32_t i = 0; i < bytes; i++)
        value = value << 8 | *source->at++;
    return value % n;
}

/* 1 .. most; a small number half of the time. */
static uint32_t draw_size(struct source *source, uint32_t most) {
    return 1 + draw(source, draw(source, 2) && most > 20 ? 20 : most);
}

/* --- the ensemble ----------------------------------------------------------------------------- */

/* Thresholds that nodes share, and that documents fall on. */
struct pool {
    float values[POOL_MOST];
    uint32_t count;
};

static float draw_float(struct source *source) {
    static const float special[] = {INFINITY,   -INFINITY, 0.0f,    -0.0f,    0x1p-149f,
                                    -0x1p-149f, 0x1p-126f, FLT_MAX, -FLT_MAX, 0.5f};
    enum { SPECIAL = sizeof special / sizeof *special };
    uint32_t which = draw(source, 4 * SPECIAL), bits;
    float value;
    if (which < SPECIAL)
        return special[which];
    if (which < 2 * SPECIAL)
        return (float)which - 1.5f * SPECIAL;
    bits = draw_bits(source);
    memcpy(&value, &bits, sizeof value);
    return isnan(value) ? 0.25f : value;
}

static struct pool draw_pool(struct source *source) {
    struct pool pool = {.count = draw_size(source, POOL_MOST)};
    for (uint32_t i = 0; i < pool.count; i++)
        pool.values[i] = draw_float(source);
    return pool;
}

struct forest {
    struct ensemble_builder *builder;
    uint32_t n_features, n_outputs;
    struct pool pool;
    uint32_t nan_left, sets; /* of 4 nodes so many */
    bool doubles;            /* thresholds lie between floats */
    uint32_t n_classes;      /* 0: the trees do not vote */
};

static double draw_threshold(struct source *source, const struct forest *forest) {
    double value = (double)forest->pool.values[draw(source, forest->pool.count)];
    return forest->doubles ? nextafter(value, draw(source, 2) ? INFINITY : -INFINITY) : value;
}

/* Returns how many there are. */
static uint32_t draw_cuts(struct source *source, const struct forest *forest,
                          double cuts[CUTS_MOST]) {
    uint32_t drawn = draw(source, CUTS_MOST + 1), count = 0;
    for (uint32_t i = 0; i < drawn; i++)
        cuts[i] = draw_threshold(source, forest);
    qsort(cuts, drawn, sizeof *cuts, compare_doubles);
    for (uint32_t i = 0; i < drawn; i++)
        if (i == 0 || cuts[i] != cuts[i - 1])
            cuts[count++] = cuts[i];
    return count;
}

static void add_inner(struct source *source, struct forest *forest, uint32_t left) {
    double cuts[CUTS_MOST];
    struct inner_node node = {.feature = draw(source, forest->n_features),
                              .threshold = draw_threshold(source, forest),
                              .left = left,
                              .right = left + 1,
                              .nan_left = draw(source, 4) < forest->nan_left,
                              .count = ENSEMBLE_NO_COUNT};
    if (draw(source, 4) < forest->sets) {
        node.cuts = cuts;
        node.n_cuts = draw_cuts(source, forest, cuts);
        node.lowest_right = draw(source, 2);
    }
    ensemble_builder_add_inner(forest->builder, &node);
}

/* Which of so many leaves is split next: any, the first, the last or the oldest, by `shape`. */
static uint32_t next_leaf(struct source *source, uint32_t shape, uint32_t count) {
    const uint32_t choices[] = {draw(source, count), 0, count - 1, 0};
    return choices[shape];
}

/* Node i of those that are split has the children 2i + 1 and 2i + 2. */
static void add_tree(struct source *source, struct forest *forest) {
    uint32_t open[LEAVES_MOST] = {0}, left[2 * LEAVES_MOST] = {0};
    uint32_t leaves = draw_size(source, forest->sets ? LEAVES_WITH_SETS : LEAVES_MOST),
             shape = draw(source, 4);
    ensemble_builder_add_tree(forest->builder,
                              forest->n_classes ? 0 : draw(source, forest->n_outputs));
    for (uint32_t i = 0; i + 1 < leaves; i++) {
        uint32_t at = next_leaf(source, shape, i + 1);
        left[open[at]] = 2 * i + 1;
        if (shape == 3) /* the oldest goes, and two come behind the others: a balanced tree */
            memmove(open, open + 1, i * sizeof *open);
        open[shape == 3 ? i : at] = 2 * i + 1;
        open[i + 1] = 2 * i + 2;
    }
    for (uint32_t node = 0; node < 2 * leaves - 1; node++) {
        if (left[node])
            add_inner(source, forest, left[node]);
        else
            ensemble_builder_add_leaf(
                forest->builder, forest->n_classes ? (double)draw(source, forest->n_classes) : 0,
                ENSEMBLE_NO_COUNT);
    }
}

/* With votes, or with leaves whose sums tell which were reached. A class that gets no votes shows
 * the sign of its base score. */
static struct ensemble *draw_ensemble(struct source *source, struct pool *pool) {
    struct forest forest = {.builder = ensemble_builder_create(),
                            .n_features = draw_size(source, FEATURES_MOST),
                            .n_outputs = 1 + draw(source, 3),
                            .pool = draw_pool(source),
                            .nan_left = draw(source, 5),
                            .sets = draw(source, 2) * draw(source, 5),
                            .doubles = draw(source, 2),
                            .n_classes = draw(source, 4) ? 0 : 2 + draw(source, OUTPUTS_MOST - 1)};
    uint32_t trees = draw_size(source, forest.sets ? TREES_WITH_SETS : TREES_MOST);
    for (uint32_t t = 0; t < trees; t++)
        add_tree(source, &forest);
    static const double base[OUTPUTS_MOST] = {-0.0, 0, -0.0, 3};
    const struct ensemble_shape shape = {.n_features = forest.n_features,
                                         .n_outputs =
                                             forest.n_classes ? forest.n_classes : forest.n_outputs,
                                         .base = base,
                                         .votes = forest.n_classes > 0,
                                         .compares_doubles = forest.doubles};
    struct ensemble *ensemble = NULL, *exact = NULL;
    require(!ensemble_builder_finish(forest.builder, &shape, &ensemble, NULL));
    *pool = forest.pool;
    if (ensemble->votes)
        return ensemble;
    require(!ensemble_copy_with_exact_leaves(ensemble, random_u64(&source->random), &exact, NULL));
    ensemble_free(ensemble);
    return exact;
}

/* --- documents -------------------------------------------------------------------------------- */

struct documents {
    float *x; /* without anything behind the last feature of the last */
    size_t count, stride;
};

static float draw_value(struct source *source, const struct pool *pool) {
    float threshold = pool->values[draw(source, pool->count)];
    switch (draw(source, 8)) {
    case 0:
        return NAN;
    case 1:
        return nextafterf(threshold, INFINITY);
    case 2:
        return nextafterf(threshold, -INFINITY);
    case 3:
        return -threshold;
    case 4:
        return draw_float(source);
    default:
        return threshold;
    }
}

static struct documents draw_documents(struct source *source, const struct pool *pool,
                                       uint32_t n_features) {
    struct documents docs = {.count = draw_size(source, DOCS_MOST)};
    docs.stride = n_features + draw(source, 20);
    size_t values = (docs.count - 1) * docs.stride + n_features;
    docs.x = malloc(values * sizeof *docs.x);
    require(docs.x != NULL);
    for (size_t i = 0; i < values; i++)
        docs.x[i] = draw_value(source, pool);
    return docs;
}

/* --- scores ----------------------------------------------------------------------------------- */

/* The pieces between the cuts of a set are in it by turns, from the lowest on. */
static bool is_in_set(const struct ensemble *e, size_t node, float value) {
    size_t below = 0, begin = e->set_cut[e->set[node]], end = e->set_cut[e->set[node] + 1];
    for (size_t i = begin; i < end; i++)
        below += (e->cut_double ? e->cut_double[i] : (double)e->cut[i]) < (double)value;
    return below % 2 == 0;
}

static bool is_below(const struct ensemble *e, size_t node, float value) {
    return e->threshold_double ? (double)value <= e->threshold_double[node]
                               : value <= e->threshold[node];
}

static double walk(const struct ensemble *e, uint32_t tree, const float *x) {
    int32_t at = e->tree_node[tree] == e->tree_node[tree + 1] ? ~0 : 0;
    while (at >= 0) {
        size_t node = e->tree_node[tree] + (size_t)at;
        float value = x[e->feature[node]];
        bool left = isnan(value)               ? e->nan_left[node]
                    : ensemble_is_set(e, node) ? is_in_set(e, node, value)
                                               : is_below(e, node, value);
        at = left ? e->left[node] : e->right[node];
    }
    return e->value[e->tree_leaf[tree] + (size_t)~at];
}

/* The scores before the trees are added. */
static double *begin_scores(const struct ensemble *e, const struct documents *docs) {
    double *scores = calloc(docs->count * e->n_outputs, sizeof *scores);
    require(scores != NULL);
    for (size_t i = 0; i < docs->count; i++)
        memcpy(scores + i * e->n_outputs, e->base, e->n_outputs * sizeof *scores);
    return scores;
}

static double *walk_all(const struct ensemble *e, const struct documents *docs) {
    double *scores = begin_scores(e, docs);
    for (size_t i = 0; i < docs->count; i++)
        for (uint32_t t = 0; t < e->n_trees; t++) {
            double value = walk(e, t, docs->x + i * docs->stride);
            if (e->votes)
                scores[i * e->n_outputs + (size_t)value] += 1;
            else
                scores[i * e->n_outputs + e->tree_output[t]] += value;
        }
    return scores;
}

/* Any one of the values that each parameter lists; without any a quarter of the time. */
static void draw_spec(struct source *source, const struct impl *impl, char spec[SPEC_SIZE]) {
    size_t used = (size_t)snprintf(spec, SPEC_SIZE, "%s", impl->name);
    bool plain = draw(source, 4) == 0;
    for (const struct impl_param *p = impl->params; p && p->name && !plain; p++) {
        uint32_t count = 1;
        for (const char *space = p->values; (space = strchr(space, ' ')) != NULL; space++)
            count++;
        const char *value = p->values;
        for (uint32_t skip = draw(source, count); skip > 0; skip--)
            value = strchr(value, ' ') + 1;
        used += (size_t)snprintf(spec + used, SPEC_SIZE - used, ",%s=%.*s", p->name,
                                 (int)strcspn(value, " "), value);
        require(used < SPEC_SIZE);
    }
}

static void expect_scores(const char *spec, const double *found, const double *expected, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (memcmp(&found[i], &expected[i], sizeof *found) == 0)
            continue;
        fprintf(stderr, "%s: score %zu is %.17g, not %.17g\n", spec, i, found[i], expected[i]);
        abort();
    }
}

static void check_impl(struct source *source, const struct impl *impl, const struct ensemble *e,
                       const struct documents *docs, const double *expected) {
    char spec[SPEC_SIZE];
    struct scorer *scorer = NULL;
    draw_spec(source, impl, spec);
    const struct plan plan = {.order = (enum order)draw(source, ORDERS),
                              .doc_block = draw(source, 2) * draw_size(source, DOCS_MOST),
                              .unit_block = draw(source, 3)};
    enum status status = scorer_build(spec, e, &scorer, NULL);
    require(!status || status == STATUS_UNSUPPORTED);
    if (status)
        return;
    size_t n_scores = docs->count * e->n_outputs;
    void *workspace = scorer_workspace(scorer);
    double *scores = begin_scores(e, docs);
    require(workspace != NULL);
    scorer_run(scorer, &plan, docs->count,
               &(struct batch){docs->x, docs->stride, scores, workspace});
    expect_scores(spec, scores, expected, n_scores);
    free(scores);
    free(workspace);
    scorer_destroy(scorer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct source source = source_begin(data, size);
    struct pool pool;
    struct ensemble *ensemble = draw_ensemble(&source, &pool);
    struct documents docs = draw_documents(&source, &pool, ensemble->n_features);
    double *expected = walk_all(ensemble, &docs);
    size_t count;
    const struct impl *const *impls = impl_all(&count);
    for (size_t i = 0; i < count; i++)
        if (impls[i]->kind == IMPL_TRAVERSAL && impl_runs_here(impls[i]) && !impls[i]->compiles)
            check_impl(&source, impls[i], ensemble, &docs, expected);
    free(expected);
    free(docs.x);
    ensemble_free(ensemble);
    return 0;
}
