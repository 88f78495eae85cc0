/* Statistics of an ensemble, and whether its sums are exact. */
#include "models/ensemble.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* --- paths ------------------------------------------------------------------------------------ */

struct paths {
    double sum;      /* of the lengths of the paths to all leaves */
    double weighted; /* the same sum, each length multiplied by the count of the leaf */
    double count;    /* of documents in all leaves */
};

static void add_child(const struct ensemble *e, uint32_t t, int32_t child, uint32_t level,
                      uint32_t *levels, struct paths *paths) {
    if (child >= 0) {
        levels[child] = level;
        return;
    }
    paths->sum += level;
    if (e->leaf_count) {
        double count = (double)e->leaf_count[e->tree_leaf[t] + (uint32_t)~child];
        paths->weighted += count * level;
        paths->count += count;
    }
}

/* Sums up the paths of a tree. One pass is enough, because parents come before their children.
 * `levels` is scratch memory with room for every inner node of the tree. */
static struct paths tree_paths(const struct ensemble *e, uint32_t t, uint32_t *levels) {
    struct paths paths = {0};
    uint32_t inner_nodes = ensemble_tree_nodes(e, t);
    if (inner_nodes == 0)
        add_child(e, t, ~0, 0, levels, &paths);
    else
        levels[0] = 0;
    for (uint32_t i = 0; i < inner_nodes; i++) {
        size_t n = e->tree_node[t] + i;
        add_child(e, t, e->left[n], levels[i] + 1, levels, &paths);
        add_child(e, t, e->right[n], levels[i] + 1, levels, &paths);
    }
    return paths;
}

static enum status describe_trees(const struct ensemble *e, struct ensemble_stats *stats,
                                  struct error *error) {
    uint32_t most_leaves = ensemble_most_leaves(e, 0, e->n_trees);
    double paths = 0, weighted = 0;
    for (uint32_t t = 0; t < e->n_trees; t++)
        if (e->tree_depth[t] > stats->depth_max)
            stats->depth_max = e->tree_depth[t];
    uint32_t *levels = memory_aligned_alloc(most_leaves * sizeof *levels);
    if (!levels)
        return error_memory(error, "the statistics of a model");
    for (uint32_t t = 0; t < e->n_trees; t++) {
        struct paths of_tree = tree_paths(e, t, levels);
        paths += of_tree.sum / ensemble_tree_leaves(e, t);
        weighted += e->leaf_count ? of_tree.weighted / of_tree.count : (double)NAN;
    }
    free(levels);
    stats->leaves_max = most_leaves;
    stats->leaves_mean = (double)e->n_leaves / e->n_trees;
    stats->depth_mean = ensemble_mean_depth(e);
    stats->path_mean = paths / e->n_trees;
    stats->path_weighted = weighted / e->n_trees;
    return STATUS_OK;
}

double ensemble_mean_depth(const struct ensemble *e) {
    double sum = 0;
    for (uint32_t t = 0; t < e->n_trees; t++)
        sum += e->tree_depth[t];
    return e->n_trees ? sum / e->n_trees : (double)NAN;
}

/* --- thresholds ------------------------------------------------------------------------------- */

static int compare_tests(const void *left, const void *right) {
    const struct ensemble_test *a = left, *b = right;
    if (a->feature != b->feature)
        return a->feature < b->feature ? -1 : 1;
    return (a->threshold > b->threshold) - (a->threshold < b->threshold);
}

void ensemble_sort_tests(const struct ensemble *e, struct ensemble_test *tests) {
    for (size_t i = 0; i < e->n_nodes; i++)
        tests[i] = (struct ensemble_test){e->feature[i], e->threshold[i]};
    qsort(tests, e->n_nodes, sizeof *tests, compare_tests);
}

static enum status describe_thresholds(const struct ensemble *e, struct ensemble_stats *stats,
                                       struct error *error) {
    struct ensemble_test *tests = memory_aligned_calloc(e->n_nodes, sizeof *tests);
    if (!tests)
        return error_memory(error, "the statistics of a model");
    for (size_t i = 0; i < e->n_nodes; i++) {
        stats->nan_left_nodes += e->nan_left[i];
        stats->set_nodes += ensemble_is_set(e, i);
    }
    ensemble_sort_tests(e, tests);
    size_t distinct = 0;
    uint32_t of_feature = 0;
    for (size_t i = 0; i < e->n_nodes; i++) {
        bool new_feature = i == 0 || tests[i].feature != tests[i - 1].feature;
        if (new_feature) {
            stats->features_used++;
            of_feature = 0;
        }
        if (new_feature || compare_tests(&tests[i], &tests[i - 1]) != 0) {
            distinct++;
            of_feature++;
        }
        if (of_feature > stats->thresholds_max)
            stats->thresholds_max = of_feature;
    }
    free(tests);
    if (stats->features_used > 0)
        stats->thresholds_mean = (double)distinct / stats->features_used;
    return STATUS_OK;
}

enum status ensemble_compute_stats(const struct ensemble *e, struct ensemble_stats *stats,
                                   struct error *error) {
    *stats = (struct ensemble_stats){
        .trees = e->n_trees, .features = e->n_features, .outputs = e->n_outputs};
    enum status status = describe_trees(e, stats, error);
    return status ? status : describe_thresholds(e, stats, error);
}

/* --- exact sums ------------------------------------------------------------------------------- */

/* The exponent of a number's lowest bit that is 1. The number is finite and not 0. */
static int lowest_bit(double value) {
    int exponent;
    int64_t mantissa = (int64_t)ldexp(frexp(fabs(value), &exponent), DBL_MANT_DIG);
    return exponent - DBL_MANT_DIG + __builtin_ctzll((unsigned long long)mantissa);
}

/* The largest exponent, but at most 0, of which all values are multiples. */
static int grid_exponent(const double *value, size_t count) {
    int exponent = 0;
    for (size_t i = 0; i < count; i++) {
        if (value[i] == 0)
            continue;
        int lowest = lowest_bit(value[i]);
        exponent = lowest < exponent ? lowest : exponent;
    }
    return exponent;
}

static bool all_finite(const double *value, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(value[i]))
            return false;
    return true;
}

static double largest_of_tree(const struct ensemble *e, uint32_t t) {
    double largest = 0;
    for (size_t leaf = e->tree_leaf[t]; leaf < e->tree_leaf[t] + ensemble_tree_leaves(e, t); leaf++)
        largest = fmax(largest, fabs(e->value[leaf]));
    return largest;
}

/* Adds up the largest values of each output's trees, in units of the grid. Below 2^53, these sums
 * of integers are exact. */
static double most_units(const struct ensemble *e, int exponent, double *sums) {
    double most = 0;
    for (uint32_t t = 0; t < e->n_trees; t++) {
        double *sum = &sums[e->tree_output[t]];
        *sum += ldexp(largest_of_tree(e, t), -exponent);
        most = fmax(most, *sum);
    }
    return most;
}

enum status ensemble_find_sum_grid(const struct ensemble *ensemble, struct sum_grid *grid,
                                   struct error *error) {
    double *sums = calloc(ensemble->n_outputs, sizeof *sums);
    if (!sums)
        return error_memory(error, "the sums of all outputs");
    *grid = (struct sum_grid){.most = INFINITY};
    if (all_finite(ensemble->value, ensemble->n_leaves)) {
        grid->exponent = grid_exponent(ensemble->value, ensemble->n_leaves);
        grid->most = most_units(ensemble, grid->exponent, sums);
    }
    free(sums);
    return STATUS_OK;
}
