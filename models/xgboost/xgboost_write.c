/* Writes XGBoost's JSON. */
#include "base/number.h"
#include "models/feature_names.h"
#include "models/rewrite.h"
#include "models/xgboost/xgboost_model.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CATEGORIES_END = 1 << 24,     /* categories are less than this */
    CATEGORIES_WRITTEN = 16 << 20 /* per model; beyond this, plain tests are written */
};

/* XGBoost's prediction expects the right child directly after the left one. Inner node i of the
 * canonical form therefore has the children 2 i + 1 and 2 i + 2 here. The root is 0. */
struct tree_writer {
    const struct ensemble *e;
    FILE *stream;
    size_t node, leaf; /* first inner node and leaf of the tree */
    uint32_t n_inner, n_leaves;
};

static void write_float(FILE *stream, float value) {
    char text[NUMBER_TEXT_SIZE];
    if (isinf(value)) {
        fputs(value > 0 ? "Infinity" : "-Infinity", stream);
        return;
    }
    number_format_float(value, text);
    fprintf(stream, "%s%s", text,
            strpbrk(text, ".e") ? "" : "E0"); /* otherwise XGBoost reads an integer */
}

/* --- sets of categories ----------------------------------------------------------------------- */

/* Finds the category that begins at a cut. False if there is none. */
static bool begins_category(float cut, uint32_t *category) {
    float begin = nextafterf(cut, INFINITY);
    if (!(begin >= 0 && begin <= CATEGORIES_END) || begin != floorf(begin))
        return false;
    *category = (uint32_t)begin;
    return true;
}

/* The categories [*first, *end) of a piece of a set. They go right in XGBoost. */
static bool find_piece(const struct ensemble *e, uint32_t set, size_t piece, uint32_t *first,
                       uint32_t *end) {
    const float *cut = e->cut + e->set_cut[set] + 2 * piece;
    return begins_category(cut[0], first) && begins_category(cut[1], end);
}

static size_t count_pieces(const struct ensemble *e, uint32_t set) {
    return (e->set_cut[set + 1] - e->set_cut[set]) / 2;
}

/* Counts the categories of a set. False if it contains other numbers. */
static bool count_categories(const struct ensemble *e, uint32_t set, size_t *count) {
    *count = 0;
    for (size_t piece = 0; piece < count_pieces(e, set); piece++) {
        uint32_t first, end;
        if (!find_piece(e, set, piece, &first, &end))
            return false;
        *count += end - first;
    }
    return true;
}

/* Can all sets be written as categories? Numbers above all cuts must go left, as in XGBoost. */
static bool are_categories(const struct ensemble *e) {
    uint64_t n_written = 0;
    for (size_t node = 0; node < e->n_nodes; node++) {
        if (!ensemble_is_set(e, node))
            continue;
        uint32_t set = e->set[node];
        size_t n_cuts = e->set_cut[set + 1] - e->set_cut[set], n_categories;
        if (n_cuts % 2 || !count_categories(e, set, &n_categories))
            return false;
        if (n_categories == 0) /* XGBoost does not accept empty sets */
            return false;
        n_written += n_categories;
    }
    return n_written <= CATEGORIES_WRITTEN;
}

static void write_set(const struct ensemble *e, uint32_t set, bool is_first, FILE *stream) {
    for (size_t piece = 0; piece < count_pieces(e, set); piece++) {
        uint32_t first = 0, end = 0;
        find_piece(e, set, piece, &first, &end);
        for (uint32_t category = first; category < end; category++, is_first = false)
            fprintf(stream, "%s%" PRIu32, is_first ? "" : ",", category);
    }
}

/* --- trees ------------------------------------------------------------------------------------ */

/* If the threshold is infinite, all documents with a value go left, which no `x < t` can express.
 * The children are swapped instead, and x < -infinity is never true. */
static bool is_swapped(const struct tree_writer *w, uint32_t i) {
    return w->e->threshold[w->node + i] == INFINITY && !ensemble_is_set(w->e, w->node + i);
}

/* The content of node `number`, in canonical form: >= 0 an inner node, < 0 a leaf. */
static int32_t node_at(const struct tree_writer *w, uint32_t number) {
    if (number == 0)
        return w->n_inner > 0 ? 0 : ~0;
    uint32_t parent = (number - 1) / 2;
    bool right = number % 2 == 0;
    return (right != is_swapped(w, parent) ? w->e->right : w->e->left)[w->node + parent];
}

static void write_left(const struct tree_writer *w, uint32_t i) {
    fprintf(w->stream, "%" PRIu32, 2 * i + 1);
}
static void write_right(const struct tree_writer *w, uint32_t i) {
    fprintf(w->stream, "%" PRIu32, 2 * i + 2);
}
static void write_feature(const struct tree_writer *w, uint32_t i) {
    fprintf(w->stream, "%" PRIu32, w->e->feature[w->node + i]);
}
static void write_condition(const struct tree_writer *w, uint32_t i) {
    float threshold = w->e->threshold[w->node + i];
    if (ensemble_is_set(w->e, w->node + i))
        write_float(w->stream, 0); /* ignored by XGBoost */
    else
        write_float(w->stream, is_swapped(w, i) ? -INFINITY : nextafterf(threshold, INFINITY));
}
static void write_default_left(const struct tree_writer *w, uint32_t i) {
    fprintf(w->stream, "%d", (w->e->nan_left[w->node + i] != 0) != is_swapped(w, i));
}
static void write_split_type(const struct tree_writer *w, uint32_t i) {
    fputc(ensemble_is_set(w->e, w->node + i) ? '1' : '0', w->stream);
}
static void write_node_count(const struct tree_writer *w, uint32_t i) {
    write_float(w->stream, w->e->node_count ? (float)w->e->node_count[w->node + i] : 0);
}
static void write_value(const struct tree_writer *w, uint32_t i) {
    write_float(w->stream, (float)w->e->value[w->leaf + i]);
}
static void write_leaf_count(const struct tree_writer *w, uint32_t i) {
    write_float(w->stream, w->e->leaf_count ? (float)w->e->leaf_count[w->leaf + i] : 0);
}

/* An array of a tree: functions that write its elements, or NULL if `constant` is each. */
static const struct column {
    const char *name;
    void (*write_inner)(const struct tree_writer *w, uint32_t i);
    void (*write_leaf)(const struct tree_writer *w, uint32_t i);
    const char *constant;
} columns[] = {
    {"base_weights", NULL, write_value, "0E0"},
    {"default_left", write_default_left, NULL, "0"},
    {"left_children", write_left, NULL, "-1"},
    {"loss_changes", NULL, NULL, "0E0"},
    {"right_children", write_right, NULL, "-1"},
    {"split_conditions", write_condition, write_value, NULL},
    {"split_indices", write_feature, NULL, "0"},
    {"split_type", write_split_type, NULL, "0"},
    {"sum_hessian", write_node_count, write_leaf_count, NULL},
};

static void write_column(const struct tree_writer *w, const struct column *column) {
    fprintf(w->stream, "\"%s\":[", column->name);
    for (uint32_t number = 0; number < w->n_inner + w->n_leaves; number++) {
        int32_t node = node_at(w, number);
        if (number)
            fputc(',', w->stream);
        void (*write)(const struct tree_writer *w, uint32_t i) =
            node >= 0 ? column->write_inner : column->write_leaf;
        if (write)
            write(w, (uint32_t)(node >= 0 ? node : ~node));
        else
            fputs(column->constant, w->stream);
    }
    fputs("],", w->stream);
}

/* In XGBoost, the parent of the root is 2147483647. */
static enum status write_parents(const struct tree_writer *w, struct error *error) {
    uint32_t *number_of = malloc((w->n_inner + (size_t)1) * sizeof *number_of); /* inner nodes */
    if (!number_of)
        return error_memory(error, "the numbers of a tree's nodes");
    fprintf(w->stream, "\"parents\":[%" PRId32, INT32_MAX);
    number_of[0] = 0;
    for (uint32_t number = 1; number < w->n_inner + w->n_leaves; number++) {
        int32_t node = node_at(w, number);
        if (node >= 0)
            number_of[node] = number;
        fprintf(w->stream, ",%" PRIu32, number_of[(number - 1) / 2]);
    }
    fputs("],", w->stream);
    free(number_of);
    return STATUS_OK;
}

static void write_tree_param(FILE *stream, uint32_t n_nodes, uint32_t n_features) {
    fprintf(stream,
            "\"tree_param\":{\"num_deleted\":\"0\",\"num_feature\":\"%" PRIu32
            "\",\"num_nodes\":\"%" PRIu32 "\",\"size_leaf_vector\":\"1\"}}",
            n_features, n_nodes);
}

static void write_tree_begin(FILE *stream, uint32_t id) {
    fprintf(stream, "%s{\"id\":%" PRIu32 ",", id ? "," : "", id);
}

/* Writes the nodes with sets, and the position of their categories in the list of all
 * categories. */
static void write_categories(const struct tree_writer *w) {
    static const char *const names[] = {"categories", "categories_nodes", "categories_segments",
                                        "categories_sizes"};
    for (int list = 0; list < 4; list++) {
        size_t n_before = 0; /* categories */
        bool is_first = true;
        fprintf(w->stream, "\"%s\":[", names[list]);
        for (uint32_t number = 0; w->e->set && number < w->n_inner + w->n_leaves; number++) {
            int32_t node = node_at(w, number);
            if (node < 0 || !ensemble_is_set(w->e, w->node + (uint32_t)node))
                continue;
            uint32_t set = w->e->set[w->node + (uint32_t)node];
            size_t size;
            count_categories(w->e, set, &size);
            if (list == 0)
                write_set(w->e, set, n_before == 0, w->stream);
            else
                fprintf(w->stream, "%s%zu", is_first ? "" : ",",
                        list == 1   ? (size_t)number
                        : list == 2 ? n_before
                                    : size);
            n_before += size;
            is_first = false;
        }
        fputs("],", w->stream);
    }
}

static enum status write_tree(const struct ensemble *e, uint32_t t, uint32_t id, FILE *stream,
                              struct error *error) {
    struct tree_writer w = {e,
                            stream,
                            e->tree_node[t],
                            e->tree_leaf[t],
                            ensemble_tree_nodes(e, t),
                            ensemble_tree_leaves(e, t)};
    write_tree_begin(stream, id);
    write_categories(&w);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        write_column(&w, &columns[c]);
    enum status status = write_parents(&w, error);
    write_tree_param(stream, w.n_inner + w.n_leaves, e->n_features);
    return status;
}

/* Writes a tree with a single leaf. */
static void write_constant(const struct ensemble *e, float value, uint32_t id, FILE *stream) {
    const struct ensemble without_sets = {.set = NULL};
    write_tree_begin(stream, id);
    write_categories(&(struct tree_writer){.e = &without_sets, .stream = stream});
    fputs(
        "\"base_weights\":[0E0],\"default_left\":[0],\"left_children\":[-1],\"loss_changes\":[0E0],"
        "\"parents\":[2147483647],\"right_children\":[-1],\"split_conditions\":[",
        stream);
    write_float(stream, value);
    fputs("],\"split_indices\":[0],\"split_type\":[0],\"sum_hessian\":[0E0],", stream);
    write_tree_param(stream, 1, e->n_features);
}

/* Versions before 3.1 have one base score for all outputs, so different base scores become
 * trees. */
static bool needs_constants(const struct ensemble *e) {
    for (uint32_t k = 1; k < e->n_outputs; k++) {
        if (e->base[k] != e->base[0])
            return true;
    }
    return false;
}

static void write_outputs(const struct ensemble *e, uint32_t n_constants, FILE *stream) {
    fputs("\"tree_info\":[", stream);
    for (uint32_t k = 0; k < n_constants; k++)
        fprintf(stream, "%s%" PRIu32, k ? "," : "", k);
    for (uint32_t t = 0; t < e->n_trees; t++)
        fprintf(stream, "%s%" PRIu32, t || n_constants ? "," : "", e->tree_output[t]);
    fputs("],", stream);
}

static void write_learner_params(const struct ensemble *e, float base, FILE *stream) {
    uint32_t n_classes = e->n_outputs > 1 ? e->n_outputs : 0;
    fputs("\"learner_model_param\":{\"base_score\":\"", stream);
    write_float(stream, base);
    fprintf(stream,
            "\",\"boost_from_average\":\"1\",\"num_class\":\"%" PRIu32
            "\",\"num_feature\":\"%" PRIu32 "\",\"num_target\":\"1\"},",
            n_classes, e->n_features);
    if (n_classes)
        fprintf(stream,
                "\"objective\":{\"name\":\"multi:softprob\",\"softmax_multiclass_param\":"
                "{\"num_class\":\"%" PRIu32 "\"}}",
                n_classes);
    else
        fputs("\"objective\":{\"name\":\"reg:squarederror\",\"reg_loss_param\":"
              "{\"scale_pos_weight\":\"1\"}}",
              stream);
}

static enum status write_model(const struct ensemble *e, FILE *stream, struct error *error) {
    uint32_t n_constants = needs_constants(e) ? e->n_outputs : 0;
    uint32_t n_trees = n_constants + e->n_trees;
    enum status status = STATUS_OK;
    fputs("{\"learner\":{\"attributes\":{},\"feature_names\":", stream);
    feature_names_write_json(e, stream);
    fprintf(stream,
            ",\"feature_types\":[],"
            "\"gradient_booster\":{\"model\":{\"gbtree_model_param\":{\"num_parallel_tree\":\"1\","
            "\"num_trees\":\"%" PRIu32 "\"},\"iteration_indptr\":[0,%" PRIu32 "],",
            n_trees, n_trees);
    write_outputs(e, n_constants, stream);
    fputs("\"trees\":[\n", stream);
    for (uint32_t k = 0; k < n_constants; k++)
        write_constant(e, (float)e->base[k], k, stream);
    for (uint32_t t = 0; t < e->n_trees && !status; t++) {
        status = write_tree(e, t, n_constants + t, stream, error);
        fputc('\n', stream);
    }
    fputs("]},\"name\":\"gbtree\"},", stream);
    write_learner_params(e, n_constants ? 0 : (float)e->base[0], stream);
    fputs("},\"version\":[2,0,0]}\n", stream);
    return status;
}

enum status xgboost_write_json(const struct ensemble *e, FILE *stream, struct error *error) {
    if (!ensemble_fits_float32(e))
        return error_set(error, STATUS_UNSUPPORTED,
                         "a leaf value or base score exceeds the range of XGBoost's float32");
    if (are_categories(e))
        return write_model(e, stream, error);
    struct ensemble *plain = NULL;
    enum status status = ensemble_rewrite_for_writer(e, &plain, error);
    if (!status)
        status = write_model(plain, stream, error);
    ensemble_free(plain);
    return status;
}
