#include "synth/grown.h"

#include "base/order.h"
#include "base/origin.h"
#include "base/random.h"
#include "synth/stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MAX_CUTS = 255,          /* LightGBM's max_bin */
    QUANTILE_ROWS = 1 << 16, /* documents used for the quantiles */
    CODED_ROWS = 1 << 14,    /* documents that trees grow on, rows_of_tree() each */
    TRIES = 32,              /* attempts to find a split before a leaf remains a leaf */
    CLOSE_TRIES = 16         /* the first attempts, which reject splits unlike the drawn one */
};

/* At each node, a share of 0 to RARE_SHARE of the documents takes the rare side. This is the right
 * side, except at one node in LEFT_IS_RARE. As in trained trees, most nodes are then true for
 * almost all documents, and a few are false for almost all. QuickScorer and its vectorised form
 * take about as many instructions as in lettich2018, Table 5. */
#define RARE_SHARE 0.08
enum { LEFT_IS_RARE = 32 };

/* The cuts of each feature, and the features of all documents as codes. The code of x is the number
 * of cuts below x, so x <= cut[c] exactly if the code is <= c. */
struct quantiles {
    uint32_t n_features;
    size_t n_rows; /* number of coded documents */
    uint32_t *n_cuts;
    float *cut;    /* [n_features * MAX_CUTS] */
    uint8_t *code; /* [n_features * n_rows]; NaN has the highest code, n_cuts */
};

/* --- quantiles -------------------------------------------------------------------------------- */
/* Returns the i-th of n rows that are spread evenly over all rows. */
static size_t spread(size_t i, size_t n, size_t n_rows) {
    return (size_t)((double)i * ((double)n_rows / (double)n));
}

/* Returns the middle of two values, the threshold that learners choose between them. Returns the
 * lower value if the middle is infinite or no float lies between the values. */
static float between(float low, float high) {
    float middle = low + (high - low) / 2;
    return middle >= low && middle < high ? middle : low;
}

/* Makes a cut between every two distinct values. If there would be more than MAX_CUTS, makes at
 * most MAX_CUTS cuts that divide the rows into equal shares. */
static uint32_t make_cuts(const float *sorted, size_t n, float *cut) {
    uint32_t count = 0;
    size_t distinct = n > 0;
    for (size_t i = 1; i < n; i++)
        distinct += sorted[i] > sorted[i - 1];
    size_t step = distinct <= MAX_CUTS + 1 ? 1 : n / MAX_CUTS, next = step;
    for (size_t i = 1; i < n && count < MAX_CUTS; i++) {
        if (i < next || !(sorted[i] > sorted[i - 1]))
            continue;
        cut[count++] = between(sorted[i - 1], sorted[i]);
        next = i + step;
    }
    return count;
}

static uint8_t encode(float x, const float *cut, uint32_t n_cuts) {
    uint32_t low = 0, high = n_cuts;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (x <= cut[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return (uint8_t)low;
}

static void make_feature(struct quantiles *q, const struct matrix *documents, uint32_t feature,
                         float *sorted) {
    size_t n = documents->n_rows < QUANTILE_ROWS ? documents->n_rows : QUANTILE_ROWS, kept = 0;
    for (size_t i = 0; i < n; i++) {
        float x = matrix_row(documents, spread(i, n, documents->n_rows))[feature];
        if (!isnan(x))
            sorted[kept++] = x;
    }
    qsort(sorted, kept, sizeof *sorted, compare_floats);
    float *cut = q->cut + (size_t)feature * MAX_CUTS;
    q->n_cuts[feature] = make_cuts(sorted, kept, cut);
    for (size_t i = 0; i < q->n_rows; i++)
        q->code[feature * q->n_rows + i] =
            encode(matrix_row(documents, spread(i, q->n_rows, documents->n_rows))[feature], cut,
                   q->n_cuts[feature]);
}

static void quantiles_free(struct quantiles *q) {
    free(q->n_cuts);
    free(q->cut);
    free(q->code);
}

static enum status quantiles_make(const struct matrix *documents, struct quantiles *q,
                                  struct error *error) {
    *q = (struct quantiles){.n_features = documents->n_features,
                            .n_rows =
                                documents->n_rows < CODED_ROWS ? documents->n_rows : CODED_ROWS};
    q->n_cuts = calloc(q->n_features, sizeof *q->n_cuts);
    q->cut = calloc(q->n_features, MAX_CUTS * sizeof *q->cut);
    q->code = calloc(q->n_features, q->n_rows);
    float *sorted = malloc(QUANTILE_ROWS * sizeof *sorted);
    enum status status = STATUS_OK;
    if (!q->n_cuts || !q->cut || !q->code || !sorted)
        status = error_memory(error, "the quantiles of the documents");
    for (uint32_t f = 0; !status && f < q->n_features; f++)
        make_feature(q, documents, f, sorted);
    free(sorted);
    return status;
}

/* --- one tree --------------------------------------------------------------------------------- */
struct leaf {
    uint32_t node;       /* index of the leaf's node in the tree */
    uint32_t begin, end; /* range of its rows in grower.rows */
    double gain;         /* random; negative if the leaf cannot be split */
};

struct node {
    uint32_t feature, cut, left, right; /* left is 0 for a leaf */
    uint32_t count;
};

struct split {
    uint32_t feature, cut;
    uint32_t n_right; /* number of rows that go right */
    uint32_t off;     /* difference to the number that should go right */
};

struct grower {
    const struct quantiles *q;
    struct random random;
    uint32_t *order;     /* [n_features] features, most used first */
    uint32_t *rows;      /* [n_rows] the coded rows, grouped by leaf */
    struct leaf *leaves; /* [max_leaves] */
    struct node *nodes;  /* [2 * max_leaves] */
    uint32_t n_rows, max_leaves, n_leaves, n_nodes;
};

static uint8_t code_of(const struct grower *g, uint32_t feature, uint32_t row) {
    return g->q->code[(size_t)feature * g->q->n_rows + row];
}

/* Draws a feature. Features at the beginning of `order` are drawn most often: for every u in [0,
 * 1], a share u of all draws comes from the first u^2 of the features. */
static uint32_t draw_feature(struct grower *g) {
    float u = random_float(&g->random);
    return g->order[(uint32_t)(u * u * (float)g->q->n_features)];
}

static uint32_t distance(uint32_t a, uint32_t b) {
    return a > b ? a - b : b - a;
}

/* Draws how many rows of a leaf should go right. */
static uint32_t draw_wanted(struct grower *g, uint32_t rows) {
    uint32_t rare = (uint32_t)(RARE_SHARE * random_double(&g->random) * rows);
    return random_below(&g->random, LEFT_IS_RARE) == 0 ? rows - rare : rare;
}

/* Finds the cut of a feature that sends about the drawn number of rows right. All rows go left if
 * the feature is constant in the leaf. */
static struct split draw_split(struct grower *g, const struct leaf *leaf, uint32_t feature) {
    uint32_t with_code[MAX_CUTS + 1] = {0}, rows = leaf->end - leaf->begin, right = 0;
    uint32_t wanted = draw_wanted(g, rows);
    struct split split = {.n_right = 0};
    for (uint32_t i = leaf->begin; i < leaf->end; i++)
        with_code[code_of(g, feature, g->rows[i])]++;
    for (uint32_t cut = g->q->n_cuts[feature]; cut-- > 0 && (right == 0 || right < wanted);) {
        right += with_code[cut + 1];
        if (right == rows)
            break;
        if (split.n_right == 0 || distance(right, wanted) < split.off)
            split = (struct split){feature, cut, right, distance(right, wanted)};
    }
    return split;
}

/* Moves the rows of a leaf that go left before those that go right. */
static void partition(struct grower *g, const struct leaf *leaf, uint32_t feature, uint32_t cut) {
    uint32_t low = leaf->begin, high = leaf->end;
    while (low < high) {
        uint32_t row = g->rows[low];
        if (code_of(g, feature, row) <= cut) {
            low++;
        } else {
            g->rows[low] = g->rows[--high];
            g->rows[high] = row;
        }
    }
}

static void set_leaf(struct grower *g, uint32_t at, uint32_t begin, uint32_t end) {
    uint32_t count = end - begin;
    double gain = count < 2 ? -1 : sqrt(sqrt(count)) * random_double(&g->random);
    g->nodes[g->n_nodes] = (struct node){.count = count};
    g->leaves[at] = (struct leaf){g->n_nodes++, begin, end, gain};
}

/* Is a split close to what was drawn? In small leaves, a single row may be more than RARE_SHARE. */
static bool is_close(const struct leaf *leaf, const struct split *split) {
    return split->n_right == 1 || split->off <= RARE_SHARE * (leaf->end - leaf->begin);
}

static bool split_leaf(struct grower *g, uint32_t at) {
    const struct leaf leaf = g->leaves[at];
    for (int i = 0; i < TRIES; i++) {
        const struct split split = draw_split(g, &leaf, draw_feature(g));
        if (split.n_right == 0 || (i < CLOSE_TRIES && !is_close(&leaf, &split)))
            continue;
        uint32_t middle = leaf.end - split.n_right;
        partition(g, &leaf, split.feature, split.cut);
        struct node *node = &g->nodes[leaf.node];
        node->feature = split.feature;
        node->cut = split.cut;
        node->left = g->n_nodes;
        set_leaf(g, at, leaf.begin, middle);
        node->right = g->n_nodes;
        set_leaf(g, g->n_leaves++, middle, leaf.end);
        return true;
    }
    return false;
}

static void grow_tree(struct grower *g) {
    for (uint32_t i = 0; i < g->n_rows; i++)
        g->rows[i] = (uint32_t)random_below(&g->random, g->q->n_rows);
    g->n_nodes = 0;
    g->n_leaves = 1;
    set_leaf(g, 0, 0, g->n_rows);
    while (g->n_leaves < g->max_leaves) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < g->n_leaves; i++)
            if (g->leaves[i].gain > g->leaves[best].gain)
                best = i;
        if (g->leaves[best].gain < 0)
            return;
        if (!split_leaf(g, best))
            g->leaves[best].gain = -1;
    }
}

static void add_tree(struct grower *g, struct ensemble_builder *builder) {
    ensemble_builder_add_tree(builder, 0);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *node = &g->nodes[i];
        if (node->left == 0) {
            /* Small values, as in trained leaves with shrinkage. */
            ensemble_builder_add_leaf(builder, (2 * random_double(&g->random) - 1) * 0x1p-5,
                                      node->count);
            continue;
        }
        struct inner_node inner = {.feature = node->feature,
                                   .threshold =
                                       g->q->cut[(size_t)node->feature * MAX_CUTS + node->cut],
                                   .left = node->left,
                                   .right = node->right,
                                   .count = node->count};
        ensemble_builder_add_inner(builder, &inner);
    }
}

/* --- all trees -------------------------------------------------------------------------------- */
static void shuffle_features(struct grower *g) {
    for (uint32_t i = 0; i < g->q->n_features; i++) {
        uint32_t j = (uint32_t)random_below(&g->random, (uint64_t)i + 1);
        g->order[i] = g->order[j];
        g->order[j] = i;
    }
}

/* Rows are drawn with replacement, so large trees on few documents use some rows repeatedly. */
static uint32_t rows_of_tree(const struct quantiles *q, uint32_t max_leaves) {
    uint32_t wanted = GROWN_ROWS_PER_LEAF * max_leaves;
    if (q->n_rows < GROWN_ROWS)
        return (uint32_t)q->n_rows;
    return wanted > GROWN_ROWS ? wanted : GROWN_ROWS;
}

static enum status grower_make(const struct quantiles *q, uint32_t max_leaves, uint64_t seed,
                               struct grower *g, struct error *error) {
    *g = (struct grower){.q = q, .n_rows = rows_of_tree(q, max_leaves), .max_leaves = max_leaves};
    g->order = malloc(q->n_features * sizeof *g->order);
    g->rows = malloc(g->n_rows * sizeof *g->rows);
    g->leaves = malloc(max_leaves * sizeof *g->leaves);
    g->nodes = malloc(2 * (size_t)max_leaves * sizeof *g->nodes);
    if (!g->order || !g->rows || !g->leaves || !g->nodes)
        return error_memory(error, "growing trees");
    random_seed(&g->random, random_derive(seed, STREAM_GROWTH));
    shuffle_features(g);
    return STATUS_OK;
}

static void grower_free(struct grower *g) {
    free(g->order);
    free(g->rows);
    free(g->leaves);
    free(g->nodes);
}

static enum status grow(const struct quantiles *q, const struct grown_shape *shape, uint64_t seed,
                        const char *note, unsigned origin, struct ensemble **ensemble,
                        struct error *error) {
    struct grower g;
    enum status status = grower_make(q, shape->max_leaves, seed, &g, error);
    struct ensemble_builder *builder = status ? NULL : ensemble_builder_create();
    if (!status && !builder)
        status = error_memory(error, "the grown trees");
    if (!status) {
        for (uint32_t t = 0; t < shape->n_trees; t++) {
            grow_tree(&g);
            add_tree(&g, builder);
        }
        const struct ensemble_shape all = {
            .n_features = q->n_features, .note = note, .origin = origin};
        status = ensemble_builder_finish(builder, &all, ensemble, error);
    }
    grower_free(&g);
    return status;
}

static enum status check(const struct matrix *documents, const struct grown_shape *shape,
                         struct error *error) {
    if (shape->n_trees == 0 || shape->n_trees > ENSEMBLE_MAX_TREES || shape->max_leaves < 2 ||
        shape->max_leaves > GROWN_MAX_LEAVES)
        return error_set(error, STATUS_INPUT,
                         "grown trees: %u trees of %u leaves are not supported. The limits are 1 "
                         "to %d trees and 2 to %d leaves",
                         shape->n_trees, shape->max_leaves, ENSEMBLE_MAX_TREES, GROWN_MAX_LEAVES);
    if (documents->n_rows < 2 || documents->n_features == 0)
        return error_set(error, STATUS_INPUT,
                         "grown trees: too few documents (%zu) or features (%u); at least 2 "
                         "documents and 1 feature are needed",
                         documents->n_rows, documents->n_features);
    return STATUS_OK;
}

enum status synth_grown(const struct matrix *documents, const struct grown_shape *shape,
                        uint64_t seed, struct ensemble **ensemble, struct error *error) {
    enum status status = check(documents, shape, error);
    if (status)
        return status;
    char note[ENSEMBLE_NOTE_SIZE];
    snprintf(note, sizeof note, "random trees grown on quantiles, not trained, seed %llu%s%.90s",
             (unsigned long long)seed, documents->note[0] ? "; documents: " : "", documents->note);
    struct quantiles q;
    status = quantiles_make(documents, &q, error);
    if (!status)
        status = grow(&q, shape, seed, note, documents->origin | ORIGIN_GROWN, ensemble, error);
    quantiles_free(&q);
    return status;
}

/* --- copies ----------------------------------------------------------------------------------- */
static void add_copy(const struct ensemble *e, uint32_t t, double divisor,
                     struct ensemble_builder *builder) {
    ensemble_builder_copy_nodes(builder, e, t);
    for (size_t i = e->tree_leaf[t]; i < e->tree_leaf[t + 1]; i++)
        ensemble_builder_add_leaf(builder, e->votes ? e->value[i] : e->value[i] / divisor,
                                  e->leaf_count ? e->leaf_count[i] : ENSEMBLE_NO_COUNT);
}

/* Makes an ensemble of n_trees trees, those of the members in turn. The members together count as
 * `divisor` ensembles. The shape has the note and the origin. */
static enum status join(const struct ensemble *const *members, uint32_t n_members, uint32_t n_trees,
                        double divisor, const struct ensemble_shape *shape,
                        struct ensemble **joined, struct error *error) {
    struct ensemble_builder *builder = ensemble_builder_create();
    if (!builder)
        return error_memory(error, "the copies of a model");
    for (uint32_t t = 0, m = 0, of_member = 0; t < n_trees; t++, of_member++) {
        if (of_member == members[m]->n_trees) {
            m = (m + 1) % n_members;
            of_member = 0;
        }
        add_copy(members[m], of_member, divisor, builder);
    }
    return ensemble_builder_finish(builder, shape, joined, error);
}

enum status synth_copies(const struct ensemble *ensemble, uint32_t n_trees,
                         struct ensemble **copies, struct error *error) {
    if (n_trees < ensemble->n_trees || n_trees > ENSEMBLE_MAX_TREES)
        return error_set(error, STATUS_INPUT,
                         "copies: %u trees were requested, but the model already has %u. Request "
                         "from that number to %d trees",
                         n_trees, ensemble->n_trees, ENSEMBLE_MAX_TREES);
    char note[ENSEMBLE_NOTE_SIZE];
    snprintf(note, sizeof note, "bagging copies of a model of %u trees%s%.120s", ensemble->n_trees,
             ensemble->note[0] ? "; model: " : "", ensemble->note);
    struct ensemble_shape all = ensemble_shape_of(ensemble);
    all.note = note;
    all.origin |= ORIGIN_COPIED;
    return join(&ensemble, 1, n_trees, (double)n_trees / ensemble->n_trees, &all, copies, error);
}

enum status synth_bag(const struct ensemble *const *members, uint32_t n_members,
                      struct ensemble **bag, struct error *error) {
    uint32_t n_trees = 0;
    for (uint32_t m = 0; m < n_members; m++)
        n_trees += members[m]->n_trees;
    struct ensemble_shape all = ensemble_shape_of(members[0]);
    return join(members, n_members, n_trees, n_members, &all, bag, error);
}
