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

#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AS_TRUE = 2, TREATMENTS = 3 };

#define AT(member) offsetof(struct binary_reader, member)
static const struct flatbuffer_field core_fields[] = {
    {0, FLATBUFFER_LIST, AT(format), 1},
    {1, FLATBUFFER_TABLE, AT(trees), 0},
    {3, FLATBUFFER_LIST, AT(parts), 4},
};
static const struct flatbuffer_field trees_fields[] = {
    {0, FLATBUFFER_U32, AT(model.n_outputs), 0}, {1, FLATBUFFER_LIST, AT(splits), 4},
    {2, FLATBUFFER_LIST, AT(sizes), 4},          {3, FLATBUFFER_LIST, AT(starts), 4},
    {4, FLATBUFFER_LIST, AT(categories), 4},     {5, FLATBUFFER_LIST, AT(floats), 4},
    {6, FLATBUFFER_LIST, AT(one_hot), 4},        {7, FLATBUFFER_LIST, AT(ctrs), 4},
    {8, FLATBUFFER_LIST, AT(values), 8},         {10, FLATBUFFER_LIST, AT(steps), 4},
    {11, FLATBUFFER_LIST, AT(leaves), 4},        {12, FLATBUFFER_LIST, AT(texts), 4},
    {13, FLATBUFFER_LIST, AT(estimated), 4},     {14, FLATBUFFER_DOUBLE, AT(model.scale), 0},
    {15, FLATBUFFER_DOUBLE, AT(bias), 0},        {16, FLATBUFFER_LIST, AT(biases), 8},
    {18, FLATBUFFER_LIST, AT(embeddings), 4},
};

/* A feature of any kind. */
struct feature {
    uint32_t index, column, has_nans, treatment;
    struct flatbuffer_list name, borders, hashes;
};
#define IN_FEATURE(member) offsetof(struct feature, member)
static const struct flatbuffer_field float_fields[] = {
    {0, FLATBUFFER_U8, IN_FEATURE(has_nans), 0}, {1, FLATBUFFER_U32, IN_FEATURE(index), 0},
    {2, FLATBUFFER_U32, IN_FEATURE(column), 0},  {3, FLATBUFFER_LIST, IN_FEATURE(borders), 4},
    {4, FLATBUFFER_LIST, IN_FEATURE(name), 1},   {5, FLATBUFFER_U8, IN_FEATURE(treatment), 0},
};
/* Of categories, texts and embeddings. */
static const struct flatbuffer_field other_fields[] = {
    {0, FLATBUFFER_U32, IN_FEATURE(index), 0},
    {1, FLATBUFFER_U32, IN_FEATURE(column), 0},
    {2, FLATBUFFER_LIST, IN_FEATURE(name), 1},
};
static const struct flatbuffer_field one_hot_fields[] = {
    {0, FLATBUFFER_U32, IN_FEATURE(index), 0}, {1, FLATBUFFER_LIST, IN_FEATURE(hashes), 4}};

enum status catboost_binary_fail(const struct binary_reader *r, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(r->buffer.error, STATUS_INPUT, "%s: %s", r->buffer.name, text);
}

enum status catboost_binary_place(const struct binary_reader *r, enum status status) {
    return status
               ? error_set(r->buffer.error, status, "%s: %s", r->buffer.name, r->model.inner.text)
               : STATUS_OK;
}

/* --- features --------------------------------------------------------------------------------- */

static enum status check_index(const struct binary_reader *r, const char *what, uint32_t index) {
    if (index < ENSEMBLE_MAX_FEATURES)
        return STATUS_OK;
    return catboost_binary_fail(r, "%s of a feature: %" PRId32 " is out of range (0 to %d)", what,
                                (int32_t)index, ENSEMBLE_MAX_FEATURES - 1);
}

static enum status add_name(struct binary_reader *r, const struct feature *feature) {
    return catboost_add_name(&r->model, feature->column, (const char *)feature->name.items,
                             feature->name.count, r->buffer.size)
               ? STATUS_OK
               : error_memory(r->buffer.error, "the names of features");
}

enum status catboost_binary_borders(struct binary_reader *r, struct catboost_borders *to,
                                    const struct flatbuffer_list *borders) {
    enum status status = STATUS_OK;
    if (borders->count > r->buffer.size / sizeof(float) - to->bins.count)
        return catboost_binary_fail(r, "the model has more borders than fit the file");
    for (uint32_t i = 0; i < borders->count && !status; i++)
        status = catboost_add_border(&r->model, to, flatbuffer_f32(borders, i));
    return catboost_binary_place(r, status);
}

static enum status read_float_feature(struct binary_reader *r, const struct feature *feature) {
    enum status status;
    if ((status = check_index(r, "Index", feature->index)) ||
        (status = check_index(r, "FlatIndex", feature->column)))
        return status;
    if (feature->treatment >= TREATMENTS)
        return catboost_binary_fail(
            r, "NanValueTreatment of a feature: %" PRIu32 " is out of range (0 to 2)",
            feature->treatment);
    const struct catboost_feature added = {.index = feature->index,
                                           .column = feature->column,
                                           .nan_holds =
                                               feature->has_nans && feature->treatment == AS_TRUE};
    status = catboost_begin_feature(&r->model, &r->model.floats, added);
    if ((status = catboost_binary_place(r, status)) || (status = add_name(r, feature)) ||
        (status = catboost_binary_borders(r, &r->model.floats, &feature->borders)))
        return status;
    return catboost_binary_place(r, catboost_end_feature(&r->model));
}

static enum status read_other_feature(struct binary_reader *r, const struct feature *feature) {
    enum status status = check_index(r, "FlatIndex", feature->column);
    if (status)
        return status;
    catboost_add_column(&r->model, feature->column);
    return add_name(r, feature);
}

static enum status read_categorical_feature(struct binary_reader *r,
                                            const struct feature *feature) {
    enum status status;
    if ((status = check_index(r, "Index", feature->index)) ||
        (status = check_index(r, "FlatIndex", feature->column)))
        return status;
    status = catboost_add_categorical(&r->model, feature->index, feature->column);
    return status ? catboost_binary_place(r, status) : add_name(r, feature);
}

/* Adds the hashes of a feature. As for borders, their total number is limited by the size of the
 * file. */
static enum status add_hashes(struct binary_reader *r, const struct flatbuffer_list *hashes) {
    enum status status = STATUS_OK;
    if (hashes->count > r->buffer.size / 4 - r->model.hashes.count)
        return catboost_binary_fail(r, "the model has more categories than fit the file");
    for (uint32_t i = 0; i < hashes->count && !status; i++)
        status = catboost_add_hash(&r->model, (int32_t)flatbuffer_u32(hashes, i));
    return catboost_binary_place(r, status);
}

static enum status read_one_hot(struct binary_reader *r, const struct feature *feature) {
    const struct catboost_column *column;
    enum status status = check_index(r, "Index", feature->index);
    if (status)
        return status;
    if (!(column = catboost_find_column(&r->model, feature->index)))
        return catboost_binary_fail(
            r, "trees test the categorical feature %" PRIu32 ", which does not exist",
            feature->index);
    status = catboost_begin_category(&r->model, feature->index, column->column);
    if ((status = catboost_binary_place(r, status)) || (status = add_hashes(r, &feature->hashes)))
        return status;
    return catboost_binary_place(r, catboost_end_category(&r->model));
}

/* Rejects features of other kinds. Their bins would come after the bins of float features. */
static enum status read_features(struct binary_reader *r) {
    const struct {
        const struct flatbuffer_list *list;
        enum status (*read)(struct binary_reader *r, const struct feature *feature);
        const struct flatbuffer_field *fields;
        size_t n_fields;
    } kinds[] = {{&r->floats, read_float_feature, FIELDS(float)},
                 {&r->categories, read_categorical_feature, FIELDS(other)},
                 {&r->texts, read_other_feature, FIELDS(other)},
                 {&r->embeddings, read_other_feature, FIELDS(other)},
                 {&r->one_hot, read_one_hot, FIELDS(one_hot)}};
    enum status status = STATUS_OK;
    if (r->estimated.count)
        return error_set(r->buffer.error, STATUS_UNSUPPORTED,
                         "%s: the trees test texts or embeddings" CATBOOST_ONLY, r->buffer.name);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t i = 0; i < kinds[k].list->count && !status; i++) {
            struct feature feature = {.index = UINT32_MAX, .column = UINT32_MAX};
            struct flatbuffer_table table;
            if (!(status = flatbuffer_item(&r->buffer, kinds[k].list, i, &table)) &&
                !(status = flatbuffer_read(&r->buffer, &table, kinds[k].fields, kinds[k].n_fields,
                                           &feature)))
                status = kinds[k].read(r, &feature);
        }
    return status ? status : catboost_binary_ctrs(r);
}

/* --- trees ------------------------------------------------------------------------------------ */

static enum status read_lists(struct binary_reader *r) {
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
    if (!isfinite(model->scale))
        return catboost_binary_fail(r, "the scale of scores is not finite");
    model->one_bias = r->biases.count == 0;
    for (uint32_t i = 0; i < r->biases.count + model->one_bias; i++) {
        const double bias = model->one_bias ? r->bias : flatbuffer_f64(&r->biases, i);
        if (!memory_list_add(&model->bias, &bias, sizeof bias))
            return error_memory(r->buffer.error, "the biases of a model");
    }
    return STATUS_OK;
}

/* The parts of the file after the model, named in the model. The tables of CTRs are the first. */
static enum status find_ctr_tables(struct binary_reader *r) {
    static const char name[] = "static_provider_v1";
    struct flatbuffer_list part = {0};
    enum status status =
        r->parts.count ? flatbuffer_text(&r->buffer, &r->parts, 0, &part) : STATUS_OK;
    r->has_ctr_tables = part.count == sizeof name - 1 && memcmp(part.items, name, part.count) == 0;
    return status;
}

static enum status read_core(struct binary_reader *r) {
    static const char format[] = "FlabuffersModel_v1"; /* spelled as in CatBoost */
    struct flatbuffer_table core;
    enum status status;
    if ((status = flatbuffer_root(&r->buffer, &core)) ||
        (status = flatbuffer_read(&r->buffer, &core, FIELDS(core), r)))
        return status;
    if (r->format.count != sizeof format - 1 || memcmp(r->format.items, format, r->format.count))
        return catboost_binary_fail(r, "unknown version of CatBoost's format; expected %s", format);
    if (!r->trees.at)
        return catboost_binary_fail(r, "the model has no trees");
    if ((status = flatbuffer_read(&r->buffer, &r->trees, FIELDS(trees), r)))
        return status;
    if (r->model.n_outputs == 0 || r->model.n_outputs > ENSEMBLE_MAX_OUTPUTS)
        return catboost_binary_fail(r, "the number of outputs is %" PRIu32 ", expected 1 to %d",
                                    r->model.n_outputs, ENSEMBLE_MAX_OUTPUTS);
    if ((status = find_ctr_tables(r)) || (status = read_bias(r)) || (status = read_features(r)))
        return status;
    status = catboost_binary_place(r, catboost_begin_trees(&r->model));
    return status ? status : read_trees(r);
}

bool catboost_binary_size(const unsigned char **at, size_t *left, uint64_t *size) {
    if (*left < 4)
        return false;
    *size = number_little_endian(*at, 4);
    size_t taken = *size == UINT32_MAX ? 12 : 4;
    if (*left < taken)
        return false;
    if (taken == 12)
        *size = number_little_endian(*at + 4, 8);
    *at += taken;
    *left -= taken;
    return true;
}

/* Finds the model, which follows the magic word and the size of the model. */
static bool find_core(const unsigned char *bytes, size_t size, struct binary_reader *r) {
    const unsigned char *at = bytes + 4;
    size_t left = size - 4;
    uint64_t core;
    if (!catboost_binary_size(&at, &left, &core) || core > left)
        return false;
    r->buffer.before = (size_t)(at - bytes);
    r->buffer.bytes = at;
    r->buffer.size = (size_t)core;
    r->rest = at + core;
    r->rest_size = left - (size_t)core;
    return true;
}

enum status catboost_read_binary(const char *name, const char *text, size_t size,
                                 struct ensemble **ensemble, struct error *error) {
    struct binary_reader r = {.buffer = {.name = name, .error = error},
                              .model = {.scale = 1, .builder = ensemble_builder_create()}};
    enum status status =
        find_core((const unsigned char *)text, size, &r)
            ? read_core(&r)
            : catboost_binary_fail(&r,
                                   "the file is shorter than its header states. Is it truncated?");
    free(r.value);
    free(r.nodes);
    free(r.ctr_tables);
    return catboost_finish(&r.model, status, name, ensemble, error);
}
