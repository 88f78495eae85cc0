/* Grows trees depth first from sorted columns. The best split maximises sum(left)^2 / n(left) +
 * sum(right)^2 / n(right). For classification (Gini), sum(side)^2 stands for the sum of the squared
 * class counts. For regression (variance), sum(side) is the sum of the labels' differences from the
 * node's mean. The other terms of the impurity do not depend on the split. As in scikit-learn,
 * nodes are split until they are pure, even if a split gains nothing. */
#include "models/learn/learn_tree.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INSERTION_SORT_MAX = 48, RADIX = 256, RADIX_PASSES = 4 };

/* The documents of a node on one side of a split. */
struct side {
    double weight;  /* number of documents, counting repeated draws */
    double sum;     /* regression: of labels minus the node's mean */
    double squares; /* classification: sum of the squared class counts */
    double *counts; /* [n_classes] */
};

struct job {
    uint32_t node, depth;
    size_t begin, end; /* range of grower.rows */
};

struct split {
    double gain;
    uint32_t feature;
    float threshold;
};

struct grower {
    const struct tree_task *task;
    struct grown_tree *tree;
    struct random random;
    struct memory_pool pool; /* of all arrays except `jobs` */
    uint32_t *weight;        /* [n_rows] how often each document was drawn */
    uint32_t *rows;          /* the documents drawn at least once; every node has a range of them */
    uint32_t n_rows;
    uint32_t *features;     /* features already drawn at this node come first */
    uint64_t *keys, *spare; /* [n_rows] a column to be sorted */
    struct side all, left, right;
    double mean; /* mean of the node's labels */
    struct job *jobs;
    size_t n_jobs, jobs_capacity;
};

void grown_tree_free(struct grown_tree *tree) {
    free(tree->nodes);
    free(tree->class_counts);
    *tree = (struct grown_tree){0};
}

/* --- sorting a column ------------------------------------------------------------------------- */

static void insertion_sort(uint64_t *keys, size_t n) {
    for (size_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        size_t at = i;
        for (; at > 0 && keys[at - 1] > key; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/* Sorts by eight bits of the keys. Returns false if all keys are equal in these bits; nothing is
 * then moved. */
static bool radix_pass(const uint64_t *keys, uint64_t *sorted, size_t n, unsigned shift) {
    size_t begin[RADIX] = {0};
    for (size_t i = 0; i < n; i++)
        begin[keys[i] >> shift & (RADIX - 1)]++;
    if (begin[keys[0] >> shift & (RADIX - 1)] == n)
        return false;
    for (size_t digit = 0, sum = 0; digit < RADIX; digit++) {
        size_t count = begin[digit];
        begin[digit] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        sorted[begin[keys[i] >> shift & (RADIX - 1)]++] = keys[i];
    return true;
}

/* Sorts by the upper half of the keys. The result is in grower.keys. */
static void sort_keys(struct grower *g, size_t n) {
    if (n <= INSERTION_SORT_MAX) {
        insertion_sort(g->keys, n);
        return;
    }
    for (unsigned pass = 0; pass < RADIX_PASSES; pass++) {
        if (radix_pass(g->keys, g->spare, n, 32 + 8 * pass)) {
            uint64_t *sorted = g->spare;
            g->spare = g->keys;
            g->keys = sorted;
        }
    }
}

/* --- how good a split is ---------------------------------------------------------------------- */

/* Adds a document to a side, or removes it (sign -1). */
static void side_add(const struct grower *g, struct side *side, uint32_t row, double sign) {
    double weight = sign * g->weight[row];
    side->weight += weight;
    if (g->task->n_classes) {
        double *count = &side->counts[g->task->class_of[row]];
        side->squares += weight * (2 * *count + weight);
        *count += weight;
    } else {
        side->sum += weight * ((double)g->task->data->labels[row] - g->mean);
    }
}

static void side_copy(const struct grower *g, struct side *to, const struct side *from) {
    to->weight = from->weight;
    to->sum = from->sum;
    to->squares = from->squares;
    if (g->task->n_classes)
        memcpy(to->counts, from->counts, g->task->n_classes * sizeof *to->counts);
}

static void side_clear(const struct grower *g, struct side *side) {
    *side = (struct side){.counts = side->counts};
    if (g->task->n_classes)
        memset(side->counts, 0, g->task->n_classes * sizeof *side->counts);
}

static void all_go_right(struct grower *g) {
    side_clear(g, &g->left);
    side_copy(g, &g->right, &g->all);
}

static void go_left(struct grower *g, uint32_t row) {
    side_add(g, &g->left, row, 1);
    side_add(g, &g->right, row, -1);
}

static double side_gain(const struct grower *g, const struct side *side) {
    return (g->task->n_classes ? side->squares : side->sum * side->sum) / side->weight;
}

static void offer_split(const struct grower *g, uint32_t feature, float threshold,
                        struct split *best) {
    double gain = side_gain(g, &g->left) + side_gain(g, &g->right);
    if (gain > best->gain)
        *best = (struct split){gain, feature, threshold};
}

/* --- finding a split -------------------------------------------------------------------------- */

static float value_of(const struct grower *g, uint32_t row, uint32_t feature) {
    const struct learner_data *data = g->task->data;
    return data->values[row * data->stride + feature];
}

/* Tries every threshold between two values. False if the feature is constant. */
static bool try_thresholds(struct grower *g, const struct job *job, uint32_t feature,
                           struct split *best) {
    size_t n = job->end - job->begin;
    for (size_t i = 0; i < n; i++) {
        uint32_t row = g->rows[job->begin + i];
        g->keys[i] = (uint64_t)number_to_ordered(value_of(g, row, feature)) << 32 | row;
    }
    sort_keys(g, n);
    if (g->keys[0] >> 32 == g->keys[n - 1] >> 32)
        return false;
    all_go_right(g);
    for (size_t i = 0; i + 1 < n; i++) {
        go_left(g, (uint32_t)g->keys[i]);
        uint32_t here = (uint32_t)(g->keys[i] >> 32), next = (uint32_t)(g->keys[i + 1] >> 32);
        if (here == next)
            continue;
        double middle = ((double)number_from_ordered(here) + (double)number_from_ordered(next)) / 2;
        offer_split(g, feature, number_round_down(middle), best);
    }
    return true;
}

/* Tries one threshold, drawn from [least, greatest). False if the feature is constant. */
static bool try_random_threshold(struct grower *g, const struct job *job, uint32_t feature,
                                 struct split *best) {
    float least = INFINITY, greatest = -INFINITY;
    for (size_t i = job->begin; i < job->end; i++) {
        float value = value_of(g, g->rows[i], feature);
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
    }
    if (least >= greatest)
        return false;
    double width = (double)greatest - (double)least;
    float threshold = number_round_down((double)least + random_double(&g->random) * width);
    if (threshold >= greatest)
        threshold = least;
    all_go_right(g);
    for (size_t i = job->begin; i < job->end; i++)
        if (value_of(g, g->rows[i], feature) <= threshold)
            go_left(g, g->rows[i]);
    offer_split(g, feature, threshold, best);
    return true;
}

/* Returns the next feature to try: a random one that this node has not tried, or all in order. */
static uint32_t draw_feature(struct grower *g, uint32_t n_drawn) {
    uint32_t n_features = g->task->data->n_features;
    if (g->task->n_tried < n_features) {
        uint32_t at = n_drawn + (uint32_t)random_below(&g->random, n_features - n_drawn);
        uint32_t feature = g->features[at];
        g->features[at] = g->features[n_drawn];
        g->features[n_drawn] = feature;
    }
    return g->features[n_drawn];
}

/* Finds the best split among n_tried features. If all of them are constant, tries more until one is
 * not. */
static bool find_split(struct grower *g, const struct job *job, struct split *best) {
    bool found = false;
    *best = (struct split){.gain = -INFINITY};
    for (uint32_t i = 0; i < g->task->data->n_features && (i < g->task->n_tried || !found); i++) {
        uint32_t feature = draw_feature(g, i);
        found |= g->task->random_threshold ? try_random_threshold(g, job, feature, best)
                                           : try_thresholds(g, job, feature, best);
    }
    return found;
}

/* --- nodes ------------------------------------------------------------------------------------ */

/* Sums up a node. Returns whether all its labels are equal. */
static bool sum_up(struct grower *g, const struct job *job) {
    const float *labels = g->task->data->labels;
    bool is_pure = true;
    double sum = 0, weight = 0;
    for (size_t i = job->begin; i < job->end; i++) {
        uint32_t row = g->rows[i];
        sum += (double)g->weight[row] * (double)labels[row];
        weight += g->weight[row];
        is_pure &= labels[row] == labels[g->rows[job->begin]];
    }
    g->mean = is_pure ? (double)labels[g->rows[job->begin]] : sum / weight;
    side_clear(g, &g->all);
    for (size_t i = job->begin; i < job->end; i++)
        side_add(g, &g->all, g->rows[i], 1);
    return is_pure;
}

static uint32_t add_node(struct grown_tree *tree) {
    if (!memory_grow((void **)&tree->nodes, &tree->nodes_capacity, tree->n_nodes,
                     sizeof *tree->nodes))
        return UINT32_MAX;
    tree->nodes[tree->n_nodes] = (struct grown_node){0};
    return (uint32_t)tree->n_nodes++;
}

static bool add_job(struct grower *g, uint32_t depth, size_t begin, size_t end, uint32_t *node) {
    *node = add_node(g->tree);
    const struct job job = {*node, depth, begin, end};
    return *node != UINT32_MAX &&
           memory_append((void **)&g->jobs, &g->jobs_capacity, &g->n_jobs, &job, 1, sizeof job);
}

static bool make_leaf(struct grower *g, const struct job *job) {
    struct grown_tree *tree = g->tree;
    struct grown_node *node = &tree->nodes[job->node];
    node->leaf = tree->n_leaves++;
    node->mean = g->mean;
    for (uint32_t k = 0; k < g->task->n_classes; k++) {
        size_t at = (size_t)node->leaf * g->task->n_classes + k;
        if (!memory_grow((void **)&tree->class_counts, &tree->class_counts_capacity, at,
                         sizeof *tree->class_counts))
            return false;
        tree->class_counts[at] = (uint64_t)g->all.counts[k];
    }
    return true;
}

/* Moves the documents that go left before the others. Returns where the others begin. */
static size_t partition(struct grower *g, const struct job *job, const struct split *split) {
    size_t middle = job->begin;
    for (size_t i = job->begin; i < job->end; i++) {
        uint32_t row = g->rows[i];
        if (value_of(g, row, split->feature) <= split->threshold) {
            g->rows[i] = g->rows[middle];
            g->rows[middle++] = row;
        }
    }
    return middle;
}

static bool grow_node(struct grower *g, const struct job *job) {
    bool is_pure = sum_up(g, job);
    g->tree->nodes[job->node].count = (uint64_t)g->all.weight;
    struct split split;
    if (is_pure || job->depth == g->task->max_depth || !find_split(g, job, &split))
        return make_leaf(g, job);
    size_t middle = partition(g, job, &split);
    uint32_t left, right;
    if (!add_job(g, job->depth + 1, job->begin, middle, &left) ||
        !add_job(g, job->depth + 1, middle, job->end, &right))
        return false;
    struct grown_node *node = &g->tree->nodes[job->node];
    node->feature = split.feature;
    node->threshold = split.threshold;
    node->left = left;
    node->right = right;
    return true;
}

/* --- a tree ----------------------------------------------------------------------------------- */

/* Takes every document once, or draws the same number of documents with replacement (bootstrap). */
static void draw_rows(struct grower *g) {
    uint32_t n = (uint32_t)g->task->data->n_rows;
    for (uint32_t i = 0; i < n; i++)
        g->weight[g->task->bootstrap ? random_below(&g->random, n) : i]++;
    for (uint32_t row = 0; row < n; row++)
        if (g->weight[row])
            g->rows[g->n_rows++] = row;
}

static bool grower_create(struct grower *g) {
    size_t n = g->task->data->n_rows, n_classes = g->task->n_classes + (size_t)1;
    uint32_t n_features = g->task->data->n_features;
    g->weight = memory_pool_array(&g->pool, n, sizeof *g->weight);
    g->rows = memory_pool_array(&g->pool, n, sizeof *g->rows);
    g->keys = memory_pool_array(&g->pool, n, sizeof *g->keys);
    g->spare = memory_pool_array(&g->pool, n, sizeof *g->spare);
    g->features = memory_pool_array(&g->pool, n_features, sizeof *g->features);
    g->all.counts = memory_pool_array(&g->pool, n_classes, sizeof *g->all.counts);
    g->left.counts = memory_pool_array(&g->pool, n_classes, sizeof *g->left.counts);
    g->right.counts = memory_pool_array(&g->pool, n_classes, sizeof *g->right.counts);
    for (uint32_t f = 0; g->features && f < n_features; f++)
        g->features[f] = f;
    return !g->pool.failed;
}

bool grow_tree(const struct tree_task *task, uint64_t seed, struct grown_tree *tree) {
    struct grower g = {.task = task, .tree = tree};
    uint32_t root;
    *tree = (struct grown_tree){0};
    random_seed(&g.random, seed);
    bool good = grower_create(&g);
    if (good) {
        draw_rows(&g);
        good = add_job(&g, 0, 0, g.n_rows, &root);
    }
    while (good && g.n_jobs > 0) {
        struct job job = g.jobs[--g.n_jobs];
        good = grow_node(&g, &job);
    }
    memory_pool_free(&g.pool);
    free(g.jobs);
    if (!good)
        grown_tree_free(tree);
    return good;
}
