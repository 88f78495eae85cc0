/* Reads CatBoost's own files, .cbm: "CBM1", the size of the model (4 bytes; if they are all ones, 8
 * more bytes), the model as a FlatBuffer, the tables of CTRs (catboost_binary_ctrs.c), and texts,
 * which are not read. Little-endian. Field numbers are those of CatBoost's model.fbs and
 * features.fbs.
 *
 * A model lists the number of splits of each tree, and the bins of all splits. Oblivious trees have
 * 2^splits leaves each, one tree after the other. In other trees, each split is a node. It stores
 * the distances to its children among the nodes, and the position of its own leaf's values. A
 * distance of 0 means that the node's own leaf takes the place of that child. */
#include "models/catboost/catboost_binary.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORE_FORMAT = 0, CORE_TREES = 1, CORE_PARTS = 3 };
enum {
    TREES_OUTPUTS = 0,
    TREES_SPLITS = 1,
    TREES_SIZES = 2,
    TREES_STARTS = 3,
    TREES_CATEGORIES = 4,
    TREES_FLOATS = 5,
    TREES_ONE_HOT = 6,
    TREES_STATISTICS = 7,
    TREES_VALUES = 8,
    TREES_STEPS = 10,
    TREES_LEAVES = 11,
    TREES_TEXTS = 12,
    TREES_ESTIMATED = 13,
    TREES_SCALE = 14,
    TREES_BIAS = 15,
    TREES_BIASES = 16,
    TREES_EMBEDDINGS = 18
};
enum {
    FLOAT_NANS = 0,
    FLOAT_INDEX = 1,
    FLOAT_COLUMN = 2,
    FLOAT_BORDERS = 3,
    FLOAT_NAME = 4,
    FLOAT_TREATMENT = 5
};
enum {
    OTHER_INDEX = 0,
    OTHER_COLUMN = 1,
    OTHER_NAME = 2
}; /* of categories, texts and embeddings */
enum { ONE_HOT_INDEX = 0, ONE_HOT_HASHES = 1 };
enum { AS_TRUE = 2, TREATMENTS = 3 };

enum status catboost_binary_fail(const struct binary_reader *r, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(r->buffer.error, STATUS_INPUT, "%s: %s", r->buffer.name, text);
}

enum status catboost_binary_place(const struct binary_reader *r, enum status status,
                                  const struct error *error) {
    return status ? error_set(r->buffer.error, status, "%s: %s", r->buffer.name, error->text)
                  : STATUS_OK;
}

static enum status get_list(const struct binary_reader *r, uint16_t field, size_t item_size,
                            struct flatbuffer_list *list) {
    return flatbuffer_list(&r->buffer, &r->trees, field, item_size, list);
}

/* --- features --------------------------------------------------------------------------------- */

static enum status get_index(const struct binary_reader *r, const struct flatbuffer_table *table,
                             uint16_t field, const char *what, uint32_t *index) {
    uint64_t bits = UINT32_MAX;
    enum status status = flatbuffer_number(&r->buffer, table, field, 4, &bits);
    if (!status && bits >= ENSEMBLE_MAX_FEATURES)
        return catboost_binary_fail(r, "%s of a feature: %" PRId32 " is out of range (0 to %d)",
                                    what, (int32_t)(uint32_t)bits, ENSEMBLE_MAX_FEATURES - 1);
    *index = (uint32_t)bits;
    return status;
}

static enum status add_name(struct binary_reader *r, const struct flatbuffer_table *table,
                            uint16_t field, uint32_t column) {
    struct flatbuffer_list name;
    enum status status = flatbuffer_list(&r->buffer, table, field, 1, &name);
    if (!status &&
        !catboost_add_name(&r->model, column, (const char *)name.items, name.count, r->buffer.size))
        status = error_memory(r->buffer.error, "the names of features");
    return status;
}

enum status catboost_binary_borders(struct binary_reader *r, struct catboost_borders *to,
                                    const struct flatbuffer_list *borders) {
    enum status status = STATUS_OK;
    struct error inner;
    if (borders->count > r->buffer.size / sizeof(float) - to->n_bins)
        return catboost_binary_fail(r, "the model has more borders than fit the file");
    for (uint32_t i = 0; i < borders->count && !status; i++)
        status = catboost_add_border(to, flatbuffer_f32(borders, i), &inner);
    return catboost_binary_place(r, status, &inner);
}

static enum status read_float_feature(struct binary_reader *r,
                                      const struct flatbuffer_table *table) {
    struct catboost_feature *feature = catboost_begin_feature(&r->model.floats);
    struct flatbuffer_list borders;
    uint64_t has_nans = 0, treatment = 0;
    struct error inner;
    enum status status;
    if (!feature)
        return error_memory(r->buffer.error, "the features of a model");
    if ((status = get_index(r, table, FLOAT_INDEX, "Index", &feature->index)) ||
        (status = get_index(r, table, FLOAT_COLUMN, "FlatIndex", &feature->column)) ||
        (status = flatbuffer_number(&r->buffer, table, FLOAT_NANS, 1, &has_nans)) ||
        (status = flatbuffer_number(&r->buffer, table, FLOAT_TREATMENT, 1, &treatment)) ||
        (status = flatbuffer_list(&r->buffer, table, FLOAT_BORDERS, sizeof(float), &borders)))
        return status;
    if (treatment >= TREATMENTS)
        return catboost_binary_fail(
            r, "NanValueTreatment of a feature: %" PRIu64 " is out of range (0 to 2)", treatment);
    feature->nan_holds = has_nans && treatment == AS_TRUE;
    if ((status = add_name(r, table, FLOAT_NAME, feature->column)))
        return status;
    if ((status = catboost_binary_borders(r, &r->model.floats, &borders)))
        return status;
    status = catboost_end_feature(&r->model, &inner);
    return catboost_binary_place(r, status, &inner);
}

static enum status read_other_feature(struct binary_reader *r,
                                      const struct flatbuffer_table *table) {
    uint32_t column = 0;
    enum status status = get_index(r, table, OTHER_COLUMN, "FlatIndex", &column);
    if (status)
        return status;
    catboost_add_column(&r->model, column);
    return add_name(r, table, OTHER_NAME, column);
}

static enum status read_categorical_feature(struct binary_reader *r,
                                            const struct flatbuffer_table *table) {
    uint32_t index = 0, column = 0;
    struct error inner;
    enum status status;
    if ((status = get_index(r, table, OTHER_INDEX, "Index", &index)) ||
        (status = get_index(r, table, OTHER_COLUMN, "FlatIndex", &column)))
        return status;
    status = catboost_add_categorical(&r->model, index, column, &inner);
    status = catboost_binary_place(r, status, &inner);
    return status ? status : add_name(r, table, OTHER_NAME, column);
}

/* Adds the hashes of a feature. As for borders, their total number is limited by the size of the
 * file. */
static enum status add_hashes(struct binary_reader *r, const struct flatbuffer_list *hashes) {
    enum status status = STATUS_OK;
    struct error inner;
    if (hashes->count > r->buffer.size / 4 - r->model.n_hashes)
        return catboost_binary_fail(r, "the model has more categories than fit the file");
    for (uint32_t i = 0; i < hashes->count && !status; i++)
        status = catboost_add_hash(&r->model, (int32_t)flatbuffer_u32(hashes, i), &inner);
    return catboost_binary_place(r, status, &inner);
}

static enum status read_one_hot(struct binary_reader *r, const struct flatbuffer_table *table) {
    struct catboost_category *category = catboost_begin_category(&r->model);
    const struct catboost_column *column;
    struct flatbuffer_list hashes;
    struct error inner;
    enum status status;
    if (!category)
        return error_memory(r->buffer.error, "the features of a model");
    if ((status = get_index(r, table, ONE_HOT_INDEX, "Index", &category->index)))
        return status;
    if (!(column = catboost_find_column(&r->model, category->index)))
        return catboost_binary_fail(
            r, "trees test the categorical feature %" PRIu32 ", which does not exist",
            category->index);
    category->column = column->column;
    if ((status = flatbuffer_list(&r->buffer, table, ONE_HOT_HASHES, 4, &hashes)) ||
        (status = add_hashes(r, &hashes)))
        return status;
    status = catboost_end_category(&r->model, &inner);
    return catboost_binary_place(r, status, &inner);
}

static enum status read_features(struct binary_reader *r, uint16_t field,
                                 enum status (*read)(struct binary_reader *r,
                                                     const struct flatbuffer_table *table)) {
    struct flatbuffer_list list;
    struct flatbuffer_table table;
    enum status status = get_list(r, field, 4, &list);
    for (uint32_t i = 0; i < list.count && !status; i++)
        if (!(status = flatbuffer_item(&r->buffer, &list, i, &table)))
            status = read(r, &table);
    return status;
}

/* Rejects features of other kinds. Their bins would come after the bins of float features. */
static enum status refuse_features(const struct binary_reader *r, uint16_t field,
                                   const char *what) {
    struct flatbuffer_list list;
    enum status status = get_list(r, field, 4, &list);
    if (!status && list.count)
        status = error_set(r->buffer.error, STATUS_UNSUPPORTED,
                           "%s: the trees test %s" CATBOOST_ONLY, r->buffer.name, what);
    return status;
}

static enum status read_all_features(struct binary_reader *r) {
    enum status status;
    if ((status = refuse_features(r, TREES_ESTIMATED, "texts or embeddings")) ||
        (status = read_features(r, TREES_FLOATS, read_float_feature)) ||
        (status = read_features(r, TREES_CATEGORIES, read_categorical_feature)) ||
        (status = read_features(r, TREES_TEXTS, read_other_feature)))
        return status;
    if ((status = read_features(r, TREES_EMBEDDINGS, read_other_feature)) ||
        (status = read_features(r, TREES_ONE_HOT, read_one_hot)))
        return status;
    return catboost_binary_ctrs(r);
}

/* --- trees ------------------------------------------------------------------------------------ */

static enum status read_lists(struct binary_reader *r) {
    enum status status;
    if ((status = get_list(r, TREES_SPLITS, 4, &r->splits)) ||
        (status = get_list(r, TREES_SIZES, 4, &r->sizes)) ||
        (status = get_list(r, TREES_STARTS, 4, &r->starts)) ||
        (status = get_list(r, TREES_VALUES, 8, &r->values)) ||
        (status = get_list(r, TREES_STEPS, 4, &r->steps)) ||
        (status = get_list(r, TREES_LEAVES, 4, &r->leaves)))
        return status;
    r->value = malloc(((size_t)r->values.count + 1) * sizeof *r->value);
    if (!r->value)
        return error_memory(r->buffer.error, "the leaves of a model");
    for (size_t i = 0; i < r->values.count; i++)
        r->value[i] = flatbuffer_f64(&r->values, i);
    return STATUS_OK;
}

static enum status get_bin(const struct binary_reader *r, size_t tree, size_t split,
                           uint32_t *bin) {
    *bin = flatbuffer_u32(&r->splits, split);
    if (*bin >= catboost_count_bins(&r->model))
        return catboost_binary_fail(r,
                                    "tree %zu: split %zu: border %" PRIu32
                                    " is out of range (the number of borders is %zu)",
                                    tree, split, *bin, catboost_count_bins(&r->model));
    return STATUS_OK;
}

static enum status read_oblivious_tree(struct binary_reader *r, size_t tree, size_t *split,
                                       size_t *leaf) {
    uint32_t bins[CATBOOST_MAX_DEPTH], depth = flatbuffer_u32(&r->sizes, tree);
    enum status status = STATUS_OK;
    if (depth > CATBOOST_MAX_DEPTH || depth > r->splits.count - *split)
        return catboost_binary_fail(
            r, "tree %zu: the number of splits, %" PRIu32 ", exceeds %d or the rest of the file",
            tree, depth, CATBOOST_MAX_DEPTH);
    size_t n_values = ((size_t)1 << depth) * r->model.n_outputs;
    if (n_values > r->values.count - *leaf)
        return catboost_binary_fail(r, "tree %zu: the leaves do not fit the rest of the file",
                                    tree);
    for (uint32_t i = 0; i < depth && !status; i++)
        status = get_bin(r, tree, (*split)++, &bins[i]);
    if (!status)
        catboost_add_oblivious(&r->model, depth, bins, r->value + *leaf);
    *leaf += n_values;
    return status;
}

/* Creates the leaf that replaces a split or one of its children. Leaves must not share values.
 * Otherwise, the model could have many more leaves than the file has bytes. */
static enum status convert_leaf(struct binary_reader *r, size_t tree, size_t split,
                                struct catboost_node *node) {
    uint32_t first = flatbuffer_u32(&r->leaves, split);
    *node = (struct catboost_node){.value = first};
    r->n_values_used += r->model.n_outputs;
    if (first >= r->values.count || r->model.n_outputs > r->values.count - first)
        return catboost_binary_fail(
            r, "tree %zu: node %zu: the values of its leaf are outside the file", tree, split);
    if (r->n_values_used > r->values.count)
        return catboost_binary_fail(
            r, "tree %zu: node %zu: the trees have more leaves than the file has values", tree,
            split);
    return STATUS_OK;
}

/* Converts a node. The nodes of the file keep their numbers, which begin at 0. Leaves that replace
 * a child are numbered after the nodes of the file. */
static enum status convert_node(struct binary_reader *r, size_t tree, size_t start, uint32_t size,
                                uint32_t number, uint32_t *n_nodes) {
    size_t split = start + number;
    uint32_t under = flatbuffer_u16(&r->steps, 2 * split);
    uint32_t over = flatbuffer_u16(&r->steps, 2 * split + 1);
    struct catboost_node *node = &r->nodes[number];
    if (!under && !over)
        return convert_leaf(r, tree, split, node);
    if (under >= size - number || over >= size - number)
        return catboost_binary_fail(r, "tree %zu: node %zu: a child is outside the tree", tree,
                                    split);
    *node = (struct catboost_node){.child = {number + under, number + over}};
    enum status status = get_bin(r, tree, split, &node->bin);
    if (status || (under && over))
        return status;
    *(under ? &node->child.right : &node->child.left) = *n_nodes;
    return convert_leaf(r, tree, split, &r->nodes[(*n_nodes)++]);
}

static enum status read_other_tree(struct binary_reader *r, size_t tree, size_t *split) {
    uint32_t size = flatbuffer_u32(&r->sizes, tree), n_nodes = size;
    size_t start = *split;
    enum status status = STATUS_OK;
    if (size == 0 || size > r->splits.count - start || size > UINT32_MAX / 2)
        return catboost_binary_fail(
            r, "tree %zu: the number of nodes, %" PRIu32 ", is 0 or exceeds the rest of the file",
            tree, size);
    if (2 * (size_t)size > r->nodes_capacity) {
        free(r->nodes);
        r->nodes_capacity = 2 * (size_t)size;
        r->nodes = malloc(r->nodes_capacity * sizeof *r->nodes);
    }
    if (!r->nodes)
        return error_memory(r->buffer.error, "the nodes of a tree");
    for (uint32_t i = 0; i < size && !status; i++)
        status = convert_node(r, tree, start, size, i, &n_nodes);
    if (!status)
        catboost_add_tree(&r->model, r->nodes, n_nodes, r->value);
    *split += size;
    return status;
}

static enum status read_trees(struct binary_reader *r) {
    enum status status = read_lists(r);
    bool is_oblivious = !r->steps.count && !r->leaves.count;
    size_t split = 0, leaf = 0;
    if (!status && !is_oblivious &&
        (r->steps.count != r->splits.count || r->leaves.count != r->splits.count))
        status = catboost_binary_fail(r,
                                      "the numbers of splits (%" PRIu32 "), steps (%" PRIu32
                                      ") and leaves (%" PRIu32 ") must be equal",
                                      r->splits.count, r->steps.count, r->leaves.count);
    if (!status && r->starts.count != r->sizes.count)
        status = catboost_binary_fail(
            r, "the numbers of tree sizes (%" PRIu32 ") and starts (%" PRIu32 ") must be equal",
            r->sizes.count, r->starts.count);
    for (uint32_t t = 0; t < r->sizes.count && !status; t++) {
        if (flatbuffer_u32(&r->starts, t) != split)
            return catboost_binary_fail(
                r, "tree %" PRIu32 ": starts at split %" PRIu32 ", expected %zu", t,
                flatbuffer_u32(&r->starts, t), split);
        status =
            is_oblivious ? read_oblivious_tree(r, t, &split, &leaf) : read_other_tree(r, t, &split);
    }
    if (!status && r->sizes.count == 0)
        status = catboost_binary_fail(r, "the model has no trees");
    return status;
}

/* --- the model -------------------------------------------------------------------------------- */

static enum status read_bias(struct binary_reader *r) {
    struct catboost_model *model = &r->model;
    struct flatbuffer_list biases;
    double one = 0;
    bool added = true;
    enum status status;
    if ((status = flatbuffer_double(&r->buffer, &r->trees, TREES_SCALE, &model->scale)) ||
        (status = flatbuffer_double(&r->buffer, &r->trees, TREES_BIAS, &one)) ||
        (status = get_list(r, TREES_BIASES, 8, &biases)))
        return status;
    if (!isfinite(model->scale))
        return catboost_binary_fail(r, "the scale of scores is not finite");
    model->one_bias = biases.count == 0;
    if (model->one_bias)
        added = catboost_add_bias(model, one);
    for (uint32_t i = 0; i < biases.count && added; i++)
        added = catboost_add_bias(model, flatbuffer_f64(&biases, i));
    if (!added)
        return error_memory(r->buffer.error, "the biases of a model");
    return STATUS_OK;
}

/* The parts of the file after the model, named in the model. The tables of CTRs are the first. */
static enum status find_ctr_tables(struct binary_reader *r, const struct flatbuffer_table *core) {
    static const char name[] = "static_provider_v1";
    struct flatbuffer_list parts, part = {0};
    enum status status = flatbuffer_list(&r->buffer, core, CORE_PARTS, 4, &parts);
    if (!status && parts.count)
        status = flatbuffer_text(&r->buffer, &parts, 0, &part);
    r->has_ctr_tables = part.count == sizeof name - 1 && memcmp(part.items, name, part.count) == 0;
    return status;
}

static enum status read_core(struct binary_reader *r) {
    static const char format[] = "FlabuffersModel_v1"; /* spelled as in CatBoost */
    struct flatbuffer_table core;
    struct flatbuffer_list word;
    uint64_t outputs = 0;
    enum status status;
    if ((status = flatbuffer_root(&r->buffer, &core)) ||
        (status = flatbuffer_list(&r->buffer, &core, CORE_FORMAT, 1, &word)) ||
        (status = flatbuffer_table(&r->buffer, &core, CORE_TREES, &r->trees)))
        return status;
    if (word.count != sizeof format - 1 || memcmp(word.items, format, word.count) != 0)
        return catboost_binary_fail(r, "unknown version of CatBoost's format; expected %s", format);
    if (!r->trees.at)
        return catboost_binary_fail(r, "the model has no trees");
    if ((status = flatbuffer_number(&r->buffer, &r->trees, TREES_OUTPUTS, 4, &outputs)))
        return status;
    if (outputs == 0 || outputs > ENSEMBLE_MAX_OUTPUTS)
        return catboost_binary_fail(r, "the number of outputs is %" PRIu64 ", expected 1 to %d",
                                    outputs, ENSEMBLE_MAX_OUTPUTS);
    r->model.n_outputs = (uint32_t)outputs;
    if ((status = find_ctr_tables(r, &core)))
        return status;
    struct error inner;
    if ((status = read_bias(r)) || (status = read_all_features(r)))
        return status;
    status = catboost_begin_trees(&r->model, &inner);
    return status ? catboost_binary_place(r, status, &inner) : read_trees(r);
}

/* Reads the size of the model after the magic word, and finds where the model begins. */
static bool find_core(const unsigned char *bytes, size_t size, struct binary_reader *r) {
    const struct flatbuffer_list head = {bytes + 4, 3};
    if (size < 8)
        return false;
    uint64_t core = flatbuffer_u32(&head, 0);
    r->buffer.before = 8;
    if (core == UINT32_MAX && size >= 16) {
        core = flatbuffer_u32(&head, 1) | (uint64_t)flatbuffer_u32(&head, 2) << 32;
        r->buffer.before = 16;
    }
    if (core > size - r->buffer.before)
        return false;
    r->buffer.bytes = bytes + r->buffer.before;
    r->buffer.size = (size_t)core;
    r->rest = r->buffer.bytes + core;
    r->rest_size = size - r->buffer.before - (size_t)core;
    return true;
}

enum status catboost_read_binary(const char *name, const char *text, size_t size,
                                 struct ensemble **ensemble, struct error *error) {
    struct binary_reader r = {.buffer = {.name = name, .error = error}};
    if (!find_core((const unsigned char *)text, size, &r))
        return catboost_binary_fail(&r,
                                    "the file is shorter than its header states. Is it truncated?");
    enum status status = catboost_create(&r.model) ? read_core(&r) : error_memory(error, "a model");
    free(r.value);
    free(r.nodes);
    free(r.ctr_tables);
    if (!status)
        return catboost_finish(&r.model, name, ensemble, error);
    catboost_free(&r.model);
    return status;
}
