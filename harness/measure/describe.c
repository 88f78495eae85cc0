#include "harness/measure/describe.h"

#include "base/order.h"
#include "base/origin.h"
#include "harness/rows/point.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint64_t count_in(const struct ensemble *e, const float *x) {
    uint64_t count = 0;
    for (size_t node = 0; node < e->n_nodes; node++)
        count += !ensemble_goes_left(e, node, x[e->feature[node]]);
    return count;
}

struct false_nodes false_nodes_count(const struct ensemble *e, const struct matrix *documents,
                                     uint64_t max_tests) {
    size_t n = documents->n_rows;
    if (e->n_nodes > 0 && max_tests / e->n_nodes < n)
        n = max_tests < e->n_nodes ? 1 : (size_t)(max_tests / e->n_nodes);
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++) {
        size_t row = (size_t)((double)i * ((double)documents->n_rows / (double)n));
        count += count_in(e, matrix_row(documents, row));
    }
    double per_document = n ? (double)count / (double)n : (double)NAN;
    return (struct false_nodes){
        .documents = n,
        .per_tree = e->n_trees ? per_document / e->n_trees : (double)NAN,
        .share = e->n_nodes ? per_document / (double)e->n_nodes : (double)NAN,
    };
}

/* Enough visits of trees to compute the mean path and the share of left turns to three digits. */
enum { PATH_DOCUMENTS = 65536 };
/* With this many tests of nodes, the number of false nodes is precise to two digits. */
#define FALSE_NODE_TESTS ((uint64_t)1 << 24)

/* Walks one tree with one document. Adds the number of decisions to *decisions, and the number of
 * those that went left to *lefts. */
static void walk(const struct ensemble *e, uint32_t tree, const float *x, uint64_t *decisions,
                 uint64_t *lefts) {
    if (ensemble_tree_nodes(e, tree) == 0)
        return;
    size_t first = e->tree_node[tree];
    int32_t node = 0;
    while (node >= 0) {
        size_t i = first + (size_t)node;
        float value = x[e->feature[i]];
        bool left = ensemble_goes_left(e, i, value);
        node = left ? e->left[i] : e->right[i];
        *decisions += 1;
        *lefts += left;
    }
}

/* Records the mean length of paths and the share of left turns. Branch predictors do better with
 * short paths, and with decisions that mostly go one way. Records the false nodes, because
 * QuickScorer does a step for each of them. */
static void describe_paths(const struct ensemble *e, const struct matrix *documents,
                           struct row *rows, size_t n) {
    uint64_t decisions = 0, lefts = 0;
    size_t docs = PATH_DOCUMENTS / (e->n_trees ? e->n_trees : 1) + 1;
    docs = smaller(docs, documents->n_rows);
    for (size_t d = 0; d < docs; d++)
        for (uint32_t t = 0; t < e->n_trees; t++)
            walk(e, t, matrix_row(documents, d), &decisions, &lefts);
    double false_nodes = false_nodes_count(e, documents, FALSE_NODE_TESTS).per_tree;
    for (size_t i = 0; i < n && docs > 0 && e->n_trees > 0; i++) {
        rows[i].mean_path = (double)decisions / ((double)docs * e->n_trees);
        rows[i].left_share = decisions ? (double)lefts / (double)decisions : (double)NAN;
        rows[i].false_nodes = false_nodes;
    }
}

/* Joins the notes of the model and of the documents. A model made from such documents has said what
 * they are. */
static void join_notes(const struct ensemble *e, const struct matrix *documents, char *note,
                       size_t size) {
    snprintf(note, size, "%s", e->note[0] ? e->note : documents->note);
    if (e->note[0] && !strstr(e->note, documents->note))
        text_append(note, size, "; documents: %.*s", MATRIX_NOTE_SIZE, documents->note);
}

static uint32_t deepest_tree(const struct ensemble *e) {
    uint32_t depth = 0;
    for (uint32_t t = 0; t < e->n_trees; t++)
        depth = e->tree_depth[t] > depth ? e->tree_depth[t] : depth;
    return depth;
}

/* The depth of forests is a limit that identifies the point, so it stays. */
static void describe_inputs(const struct ensemble *e, const struct matrix *documents,
                            struct row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct workload *w = &rows[i].workload;
        if (!kind_is_forest(w->kind))
            w->depth = deepest_tree(e);
        w->features = e->n_features;
        w->documents = documents->n_rows;
        rows[i].model_trees = e->n_trees;
        rows[i].mean_tree_depth = ensemble_mean_depth(e);
        rows[i].origin = origin_join(e->origin, documents->origin);
        join_notes(e, documents, rows[i].note, sizeof rows[i].note);
    }
}

void describe_workload(const struct ensemble *ensemble, const struct matrix *documents,
                       struct row *rows, size_t n) {
    describe_inputs(ensemble, documents, rows, n);
    describe_paths(ensemble, documents, rows, n);
}
