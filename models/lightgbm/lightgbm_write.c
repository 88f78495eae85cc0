#include "models/lightgbm/lightgbm.h"

#include "base/memory.h"
#include "base/number.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Trees in LightGBM's order: position t has tree number t / n_outputs of output t % n_outputs. */
struct turns {
    struct memory_pool pool;
    uint32_t *tree;    /* grouped by output, in their original order */
    size_t *of_output; /* [n_outputs + 1] first tree of each output */
    size_t n_iterations;
};

static enum status find_turns(const struct ensemble *e, struct turns *turns, struct error *error) {
    struct memory_pool *pool = &turns->pool;
    turns->tree = memory_pool_array(pool, e->n_trees, sizeof *turns->tree);
    turns->of_output = memory_pool_array(pool, (size_t)e->n_outputs + 2, sizeof *turns->of_output);
    if (pool->failed)
        return error_memory(error, "the trees of a model");
    ensemble_sort_trees(e, turns->of_output, turns->tree);
    for (uint32_t output = 0; output < e->n_outputs; output++) {
        size_t count = turns->of_output[output + 1] - turns->of_output[output];
        turns->n_iterations = count > turns->n_iterations ? count : turns->n_iterations;
    }
    if ((uint64_t)turns->n_iterations * e->n_outputs > ENSEMBLE_MAX_TREES)
        return error_set(error, STATUS_UNSUPPORTED,
                         "LightGBM needs the same number of trees for each output: %u outputs with "
                         "%zu trees each exceed the limit of %d trees",
                         e->n_outputs, turns->n_iterations, (int)ENSEMBLE_MAX_TREES);
    return STATUS_OK;
}

/* --- one tree --------------------------------------------------------------------------------- */

static void write_integers(FILE *stream, const char *key, enum number_type type, const void *value,
                           size_t n) {
    fprintf(stream, "%s=", key);
    for (size_t i = 0; i < n; i++)
        fprintf(stream, "%s%" PRId64, i ? " " : "", number_integer_at(type, value, i));
    fputc('\n', stream);
}

/* Returns the threshold to write. LightGBM compares doubles. The result is the largest double that
 * rounds to a float32 <= threshold, so that every double goes to the same side as its nearest
 * float32. */
static double double_threshold(float threshold) {
    const double lowest = -0x1.ffffffp127; /* the largest double that rounds to -inf */
    if (isinf(threshold))
        return threshold < 0 ? lowest : (double)INFINITY;
    double above = threshold == FLT_MAX ? 0x1p128 : (double)nextafterf(threshold, INFINITY);
    double middle = (double)threshold + (above - (double)threshold) / 2;
    return (float)middle == threshold ? middle : nextafter(middle, -(double)INFINITY);
}

static double written_threshold(const struct ensemble *e, size_t node) {
    return e->threshold_double ? e->threshold_double[node] : double_threshold(e->threshold[node]);
}

static void write_thresholds(const struct ensemble *e, uint32_t t, FILE *stream) {
    fputs("threshold=", stream);
    for (size_t i = e->tree_node[t]; i < e->tree_node[t + 1]; i++) {
        char text[NUMBER_TEXT_SIZE];
        number_format_double(written_threshold(e, i), text);
        fprintf(stream, "%s%s", i > e->tree_node[t] ? " " : "", text);
    }
    fputc('\n', stream);
}

static void write_decision_types(const struct ensemble *e, uint32_t t, FILE *stream) {
    enum { NAN_RIGHT = 8, NAN_LEFT = 10 }; /* missing type NaN, default side right and left */
    fputs("decision_type=", stream);
    for (size_t i = e->tree_node[t]; i < e->tree_node[t + 1]; i++)
        fprintf(stream, "%s%d", i > e->tree_node[t] ? " " : "",
                e->nan_left[i] ? NAN_LEFT : NAN_RIGHT);
    fputc('\n', stream);
}

static enum status write_leaves(const struct ensemble *e, uint32_t t, double base, FILE *stream,
                                struct error *error) {
    fputs("leaf_value=", stream);
    for (uint32_t i = 0; i < ensemble_tree_leaves(e, t); i++) {
        char text[NUMBER_TEXT_SIZE];
        double value = e->value[e->tree_leaf[t] + i];
        if (base != 0) /* adding 0 would lose the sign of -0 */
            value += base;
        if (!isfinite(value))
            return error_set(error, STATUS_UNSUPPORTED,
                             "tree %u, leaf %u: the value plus the base score is infinite", t, i);
        number_format_double(value, text);
        fprintf(stream, "%s%s", i ? " " : "", text);
    }
    fputc('\n', stream);
    return STATUS_OK;
}

static enum status write_counts(FILE *stream, const char *key, uint32_t t, const uint64_t *count,
                                size_t n, struct error *error) {
    for (size_t i = 0; i < n; i++)
        if (count[i] > INT32_MAX)
            return error_set(error, STATUS_UNSUPPORTED,
                             "tree %u: %" PRIu64
                             " documents passed a node, but LightGBM supports at most 2^31 - 1",
                             t, count[i]);
    write_integers(stream, key, NUMBER_U64, count, n);
    return STATUS_OK;
}

static enum status write_tree(const struct ensemble *e, uint32_t t, double base, FILE *stream,
                              struct error *error) {
    size_t node = e->tree_node[t], n_nodes = ensemble_tree_nodes(e, t);
    size_t leaf = e->tree_leaf[t], n_leaves = ensemble_tree_leaves(e, t);
    fprintf(stream, "num_leaves=%zu\nnum_cat=0\n", n_leaves);
    write_integers(stream, "split_feature", NUMBER_U32, e->feature + node, n_nodes);
    write_thresholds(e, t, stream);
    write_decision_types(e, t, stream);
    write_integers(stream, "left_child", NUMBER_I32, e->left + node, n_nodes);
    write_integers(stream, "right_child", NUMBER_I32, e->right + node, n_nodes);
    enum status status = write_leaves(e, t, base, stream, error);
    if (!status && e->leaf_count)
        status = write_counts(stream, "leaf_count", t, e->leaf_count + leaf, n_leaves, error);
    if (!status && e->node_count)
        status = write_counts(stream, "internal_count", t, e->node_count + node, n_nodes, error);
    fputs("is_linear=0\nshrinkage=1\n", stream);
    return status;
}

/* Writes a placeholder for an output that has no trees left. */
static void write_constant(const struct ensemble *e, double value, FILE *stream) {
    char text[NUMBER_TEXT_SIZE];
    number_format_double(value, text);
    fprintf(stream,
            "num_leaves=1\nnum_cat=0\nsplit_feature=\nthreshold=\ndecision_type=\nleft_child=\n"
            "right_child=\nleaf_value=%s\n%sis_linear=0\nshrinkage=1\n",
            text, e->leaf_count ? "leaf_count=0\ninternal_count=\n" : "");
}

/* --- the model -------------------------------------------------------------------------------- */

/* Replaces white space, which separates names, by underscores, as LightGBM does. An empty name
 * becomes an underscore. */
static void write_name(const char *name, FILE *stream) {
    fputs(*name ? "" : "_", stream);
    for (; *name; name++)
        fputc(strchr(" \t\r\n", *name) ? '_' : *name, stream);
}

static void write_feature_names(const struct ensemble *e, FILE *stream) {
    const char *name = e->feature_names;
    fputs("feature_names=", stream);
    for (uint32_t f = 0; f < e->n_features; f++) {
        fputs(f ? " " : "", stream);
        if (name)
            write_name(name, stream);
        else
            fprintf(stream, "Column_%" PRIu32, f);
        name = name ? name + strlen(name) + 1 : NULL;
    }
    fputc('\n', stream);
}

/* Writes the range of each feature's thresholds, or "none" if no tree uses the feature. */
static enum status write_feature_infos(const struct ensemble *e, FILE *stream,
                                       struct error *error) {
    struct memory_pool pool = {0};
    float *low = memory_pool_array(&pool, e->n_features, sizeof *low);
    float *high = memory_pool_array(&pool, e->n_features, sizeof *high);
    if (pool.failed) {
        memory_pool_free(&pool);
        return error_memory(error, "the features of a model");
    }
    for (uint32_t f = 0; f < e->n_features; f++)
        low[f] = high[f] = NAN;
    for (size_t i = 0; i < e->n_nodes; i++) {
        float finite = fmaxf(-FLT_MAX, fminf(FLT_MAX, e->threshold[i]));
        low[e->feature[i]] = fminf(low[e->feature[i]], finite);
        high[e->feature[i]] = fmaxf(high[e->feature[i]], finite);
    }
    fputs("feature_infos=", stream);
    for (uint32_t f = 0; f < e->n_features; f++) {
        char from[NUMBER_TEXT_SIZE], to[NUMBER_TEXT_SIZE];
        fputs(f ? " " : "", stream);
        if (isnan(low[f])) {
            fputs("none", stream);
            continue;
        }
        number_format_double((double)low[f], from);
        number_format_double((double)high[f], to);
        fprintf(stream, "[%s:%s]", from, to);
    }
    fputc('\n', stream);
    memory_pool_free(&pool);
    return STATUS_OK;
}

/* Writes the trees in LightGBM's order. `sizes` receives the sizes of the trees' texts for the
 * header, which precedes the trees. */
static enum status write_trees(const struct ensemble *e, const struct turns *turns, FILE *trees,
                               FILE *sizes, struct error *error) {
    enum status status = STATUS_OK;
    uint32_t n_trees = (uint32_t)turns->n_iterations * e->n_outputs;
    for (uint32_t number = 0; number < n_trees && !status; number++) {
        uint32_t turn = number / e->n_outputs, output = number % e->n_outputs;
        size_t at = turns->of_output[output] + turn;
        double base = turn == 0 ? e->base[output] : 0;
        long begin = ftell(trees);
        fprintf(trees, "Tree=%" PRIu32 "\n", number);
        if (at < turns->of_output[output + 1])
            status = write_tree(e, turns->tree[at], base, trees, error);
        else
            write_constant(e, base, trees);
        fputs("\n\n", trees);
        fprintf(sizes, "%s%ld", number ? " " : "", ftell(trees) - begin);
    }
    return status;
}

static enum status write_model(const struct ensemble *e, const char *trees, size_t trees_size,
                               const char *sizes, FILE *stream, struct error *error) {
    fprintf(stream,
            "tree\nversion=v4\nnum_class=%" PRIu32 "\nnum_tree_per_iteration=%" PRIu32
            "\nlabel_index=0\nmax_feature_idx=%" PRIu32 "\n",
            e->n_outputs, e->n_outputs, e->n_features - 1);
    write_feature_names(e, stream);
    enum status status = write_feature_infos(e, stream, error);
    if (status)
        return status;
    fprintf(stream, "tree_sizes=%s\n\n", sizes);
    fwrite(trees, 1, trees_size, stream);
    fputs("end of trees\n", stream);
    return STATUS_OK;
}

enum status lightgbm_write(const struct ensemble *e, FILE *stream, struct error *error) {
    struct turns turns = {.n_iterations = 0};
    char *trees = NULL, *sizes = NULL;
    size_t trees_size, sizes_size;
    FILE *trees_stream = memory_open_stream(&trees, &trees_size);
    FILE *sizes_stream = memory_open_stream(&sizes, &sizes_size);
    enum status status = find_turns(e, &turns, error);
    if (!status && (!trees_stream || !sizes_stream))
        status = error_memory(error, "the text of a model");
    if (!status)
        status = write_trees(e, &turns, trees_stream, sizes_stream, error);
    bool complete = trees_stream && memory_close_stream(trees_stream);
    complete = sizes_stream && memory_close_stream(sizes_stream) && complete;
    if (!status && !complete)
        status = error_memory(error, "the text of a model");
    if (!status)
        status = write_model(e, trees, trees_size, sizes, stream, error);
    free(trees);
    free(sizes);
    memory_pool_free(&turns.pool);
    return status;
}

enum status lightgbm_write_exact(const struct ensemble *e, FILE *stream, struct error *error) {
    for (uint32_t t = 0; t < e->n_trees; t++) {
        for (size_t i = e->tree_node[t]; i < e->tree_node[t + 1]; i++) {
            char text[NUMBER_TEXT_SIZE];
            if (!lightgbm_separates_zeros(written_threshold(e, i)))
                continue;
            number_format_float(e->threshold[i], text);
            return error_set(error, STATUS_UNSUPPORTED,
                             "tree %u, node %zu: the threshold %s separates numbers from -1e-35 to "
                             "1e-35, which LightGBM reads as 0. Use another format",
                             t, i - e->tree_node[t], text);
        }
    }
    return lightgbm_write(e, stream, error);
}
