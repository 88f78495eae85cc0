/* Functions on finished ensembles. ensemble_build.c creates them. */
#include "models/ensemble.h"

#include "models/categories.h"
#include "models/ctrs.h"
#include "models/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ensemble_free(struct ensemble *ensemble) {
    if (!ensemble)
        return;
    memory_pool_free(&ensemble->pool);
    free(ensemble->node_count);
    free(ensemble->leaf_count);
    free(ensemble->feature_names);
    categories_free(ensemble->categories);
    ctrs_free(ensemble->ctrs);
    free(ensemble);
}

enum status ensemble_give(enum status status, struct ensemble *made, struct ensemble **ensemble) {
    if (status)
        ensemble_free(made);
    else
        *ensemble = made;
    return status;
}

struct ensemble_shape ensemble_shape_of(const struct ensemble *e) {
    return (struct ensemble_shape){.n_features = e->n_features,
                                   .n_outputs = e->n_outputs,
                                   .base = e->base,
                                   .note = e->note,
                                   .origin = e->origin,
                                   .compares_doubles = e->threshold_double != NULL,
                                   .votes = e->votes};
}

static bool fit_float32(const double *value, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite((float)value[i]))
            return false;
    return true;
}

uint32_t ensemble_given_features(const struct ensemble *ensemble) {
    return ensemble->n_features - ctrs_count(ensemble->ctrs);
}

enum status ensemble_check_computed(const struct ensemble *ensemble, struct error *error) {
    if (!ensemble->ctrs)
        return STATUS_OK;
    return error_set(
        error, STATUS_UNSUPPORTED,
        "the trees test statistics of categories (CTR), which only treebench's program "
        "can compute, from a table with the categories. Use treebench score, or train "
        "with one_hot_max_size greater than the number of categories");
}

bool ensemble_fits_float32(const struct ensemble *e) {
    return fit_float32(e->value, e->n_leaves) && fit_float32(e->base, e->n_outputs);
}

void ensemble_keep_first(struct ensemble *ensemble, uint32_t n_trees) {
    if (n_trees >= ensemble->n_trees)
        return;
    ensemble->n_trees = n_trees;
    ensemble->best_trees = ensemble->best_trees <= n_trees ? ensemble->best_trees : 0;
    ensemble->n_nodes = ensemble->tree_node[n_trees];
    ensemble->n_leaves = ensemble->tree_leaf[n_trees];
    ensemble->any_nan_left = memchr(ensemble->nan_left, 1, ensemble->n_nodes) != NULL;
}

static void copy_plain(const char *begin, const char *end, char *text, size_t size) {
    size_t length = 0;
    for (; length < size - 1 && begin + length < end; length++) {
        char c = begin[length];
        bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
        text[length] = plain ? c : '?';
    }
    text[length] = '\0';
}

void ensemble_set_note(struct ensemble *e, const char *note) {
    copy_plain(note, note + strlen(note), e->note, sizeof e->note);
}

void ensemble_set_objective(struct ensemble *e, const char *begin, const char *end) {
    copy_plain(begin, end, e->objective, sizeof e->objective);
}

bool ensemble_tree_has_sets(const struct ensemble *e, uint32_t t) {
    for (size_t node = e->tree_node[t]; node < e->tree_node[t + 1]; node++)
        if (ensemble_is_set(e, node))
            return true;
    return false;
}

uint32_t ensemble_most_leaves(const struct ensemble *e, size_t begin, size_t end) {
    uint32_t most = 0;
    for (size_t t = begin; t < end; t++) {
        uint32_t leaves = ensemble_tree_leaves(e, (uint32_t)t);
        most = leaves > most ? leaves : most;
    }
    return most;
}

size_t ensemble_largest_tree(const struct ensemble *e) {
    size_t leaves = ensemble_most_leaves(e, 0, e->n_trees);
    return leaves ? 2 * leaves - 1 : 0;
}

void ensemble_sort_trees(const struct ensemble *e, size_t *begin, uint32_t *order) {
    for (uint32_t t = 0; t < e->n_trees; t++)
        begin[e->tree_output[t] + 2]++;
    for (uint32_t k = 0; k < e->n_outputs; k++)
        begin[k + 2] += begin[k + 1];
    for (uint32_t t = 0; t < e->n_trees; t++) /* begin[k + 1] becomes the end of output k */
        order[begin[e->tree_output[t] + 1]++] = t;
}

/* The number of cuts of a set that are below x. */
static size_t cuts_under(const struct ensemble *e, uint32_t set, float x) {
    size_t low = e->set_cut[set], high = e->set_cut[set + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (e->cut[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low - e->set_cut[set];
}

bool ensemble_goes_left(const struct ensemble *e, size_t node, float x) {
    if (x != x)
        return e->nan_left[node];
    if (!ensemble_is_set(e, node))
        return x <= e->threshold[node];
    return cuts_under(e, e->set[node], x) % 2 == 0;
}

void ensemble_builder_copy_nodes(struct ensemble_builder *builder, const struct ensemble *e,
                                 uint32_t t) {
    uint32_t n_inner = ensemble_tree_nodes(e, t);
    ensemble_builder_add_tree(builder, e->tree_output[t]);
    for (size_t n = e->tree_node[t]; n < e->tree_node[t + 1]; n++) {
        struct inner_node node = ensemble_inner_node(e, n);
        node.left = reader_child(n_inner, e->left[n]);
        node.right = reader_child(n_inner, e->right[n]);
        ensemble_builder_add_inner(builder, &node);
    }
}

struct inner_node ensemble_inner_node(const struct ensemble *e, size_t node) {
    struct inner_node inner = {.feature = e->feature[node],
                               .threshold = e->threshold_double ? e->threshold_double[node]
                                                                : (double)e->threshold[node],
                               .nan_left = e->nan_left[node],
                               .count = e->node_count ? e->node_count[node] : ENSEMBLE_NO_COUNT};
    if (ensemble_is_set(e, node)) {
        const size_t *begin = e->set_cut + e->set[node];
        inner.cuts = e->cut_double + begin[0];
        inner.n_cuts = (uint32_t)(begin[1] - begin[0]);
    }
    return inner;
}
