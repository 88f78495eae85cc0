#include "models/catboost/catboost.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/order.h"
#include "models/categories.h"
#include "models/feature_names.h"
#include "models/format.h"
#include "models/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_borders(struct catboost_borders *list) {
    free(list->features);
    free(list->bins.values);
}

static void free_model(struct catboost_model *model) {
    free_borders(&model->floats);
    free_borders(&model->statistics);
    ctrs_free(model->ctrs);
    free(model->columns);
    free(model->categories);
    free(model->hashes.values);
    free(model->codes);
    free(model->with_code.values);
    free(model->names);
    free(model->bias.values);
}

/* --- features --------------------------------------------------------------------------------- */

void catboost_add_column(struct catboost_model *model, uint32_t column) {
    if (column >= model->n_columns)
        model->n_columns = column + 1;
}

enum status catboost_begin_feature(struct catboost_model *model, struct catboost_borders *list,
                                   struct catboost_feature feature) {
    feature.first_bin = (uint32_t)list->bins.count;
    return memory_append((void **)&list->features, &list->features_capacity, &list->n_features,
                         &feature, 1, sizeof feature)
               ? STATUS_OK
               : error_memory(&model->inner, "the features of a model");
}

enum status catboost_end_feature(struct catboost_model *model) {
    const struct catboost_feature *added = &model->floats.features[model->floats.n_features - 1];
    catboost_add_column(model, added->column);
    if (model->floats.n_features > 1 && added->index <= added[-1].index)
        return error_set(&model->inner, STATUS_INPUT,
                         "feature_index: %" PRIu32
                         " must be greater than that of the previous feature (%" PRIu32 ")",
                         added->index, added[-1].index);
    return STATUS_OK;
}

enum status catboost_add_border(struct catboost_model *model, struct catboost_borders *list,
                                float border) {
    struct catboost_feature *feature = &list->features[list->n_features - 1];
    if (!isfinite(border))
        return error_set(&model->inner, STATUS_INPUT,
                         "a border is not a number in the range of float32");
    if (feature->n_bins && !(border > list->bins.real[list->bins.count - 1]))
        return error_set(&model->inner, STATUS_INPUT, "borders must be increasing");
    if (list->bins.count == UINT32_MAX)
        return error_set(&model->inner, STATUS_UNSUPPORTED,
                         "the model has more than %" PRIu32 " borders", UINT32_MAX);
    feature->n_bins++;
    return memory_list_add(&list->bins, &border, sizeof border)
               ? STATUS_OK
               : error_memory(&model->inner, "the borders of a model");
}

/* Finds an index, which is the first member of the items. */
static const void *find_index(const void *items, size_t n, size_t size, uint32_t index) {
    return n ? bsearch(&index, items, n, size, compare_uint32s) : NULL;
}

const struct catboost_feature *catboost_find_feature(const struct catboost_model *model,
                                                     uint32_t index) {
    const struct catboost_borders *floats = &model->floats;
    return find_index(floats->features, floats->n_features, sizeof *floats->features, index);
}

static int compare_bin(const void *key, const void *feature) {
    const struct catboost_feature *f = feature;
    uint32_t bin = *(const uint32_t *)key;
    return bin < f->first_bin ? -1 : bin - f->first_bin >= f->n_bins;
}

static const struct catboost_feature *feature_of(const struct catboost_borders *list,
                                                 uint32_t bin) {
    return bsearch(&bin, list->features, list->n_features, sizeof *list->features, compare_bin);
}

/* --- categories ------------------------------------------------------------------------------- */

enum status catboost_add_categorical(struct catboost_model *model, uint32_t index,
                                     uint32_t column) {
    const struct catboost_column added = {index, column};
    size_t count = model->columns_count;
    catboost_add_column(model, column);
    if (count &&
        (index <= model->columns[count - 1].index || column <= model->columns[count - 1].column))
        return error_set(&model->inner, STATUS_INPUT,
                         "categorical features must be in increasing order");
    return memory_append((void **)&model->columns, &model->columns_capacity, &model->columns_count,
                         &added, 1, sizeof added)
               ? STATUS_OK
               : error_memory(&model->inner, "the features of a model");
}

const struct catboost_column *catboost_find_column(const struct catboost_model *model,
                                                   uint32_t index) {
    return find_index(model->columns, model->columns_count, sizeof *model->columns, index);
}

enum status catboost_begin_category(struct catboost_model *model, uint32_t index, uint32_t column) {
    const struct catboost_category added = {
        .index = index, .column = column, .first_hash = model->hashes.count};
    return memory_append((void **)&model->categories, &model->categories_capacity,
                         &model->n_categories, &added, 1, sizeof added)
               ? STATUS_OK
               : error_memory(&model->inner, "the features of a model");
}

enum status catboost_add_hash(struct catboost_model *model, int32_t hash) {
    enum { MOST_HASHES = 1 << 24 }; /* codes are float32 */
    struct catboost_category *category = &model->categories[model->n_categories - 1];
    if (category->n_hashes && hash <= model->hashes.i32[model->hashes.count - 1])
        return error_set(&model->inner, STATUS_INPUT,
                         "the values of categories must be increasing");
    if (category->n_hashes == MOST_HASHES)
        return error_set(&model->inner, STATUS_UNSUPPORTED, "a feature has more than %d categories",
                         MOST_HASHES);
    category->n_hashes++;
    return memory_list_add(&model->hashes, &hash, sizeof hash)
               ? STATUS_OK
               : error_memory(&model->inner, "the categories of a model");
}

enum status catboost_end_category(struct catboost_model *model) {
    const struct catboost_category *added = &model->categories[model->n_categories - 1];
    catboost_add_column(model, added->column);
    if (model->n_categories > 1 &&
        (added->index <= added[-1].index || added->column <= added[-1].column))
        return error_set(&model->inner, STATUS_INPUT,
                         "categorical features must be in increasing order");
    return STATUS_OK;
}

const struct catboost_category *catboost_find_tested(const struct catboost_model *model,
                                                     uint32_t index) {
    return find_index(model->categories, model->n_categories, sizeof *model->categories, index);
}

size_t catboost_first_ctr_bin(const struct catboost_model *model) {
    return model->floats.bins.count + model->hashes.count;
}

size_t catboost_count_bins(const struct catboost_model *model) {
    return catboost_first_ctr_bin(model) + model->statistics.bins.count;
}

static int compare_hash(const void *key, const void *category) {
    const struct catboost_category *c = category;
    size_t place = *(const size_t *)key;
    return place < c->first_hash ? -1 : place - c->first_hash >= c->n_hashes;
}

struct catboost_category *catboost_find_category(const struct catboost_model *model, size_t place) {
    return bsearch(&place, model->categories, model->n_categories, sizeof *model->categories,
                   compare_hash);
}

/* Returns the code of a hash. A hash gets its code when a tree first tests it. */
static uint32_t code_of(struct catboost_model *model, struct catboost_category *category,
                        uint32_t place) {
    if (model->codes[place] == 0 && memory_list_add(&model->with_code, &place, sizeof place))
        model->codes[place] = ++category->n_codes;
    model->out_of_memory = model->out_of_memory || model->codes[place] == 0;
    return model->codes[place] - 1;
}

static enum status give_categories(const struct catboost_model *model, struct ensemble *e,
                                   struct error *error) {
    bool given = model->columns_count == 0 || (e->categories = categories_create(false));
    for (size_t i = 0; i < model->columns_count && given; i++)
        given = categories_add_hashed(e->categories, model->columns[i].column);
    for (size_t i = 0; i < model->with_code.count && given; i++) {
        size_t place = model->with_code.u32[i];
        given = categories_add_hash(e->categories, catboost_find_category(model, place)->column,
                                    (uint32_t)model->hashes.i32[place]);
    }
    return given ? STATUS_OK : error_memory(error, "the categories of a model");
}

/* --- names ----------------------------------------------------------------------------------- */

/* Several features may point to the same text, so a small file could request much memory. If all
 * names together are longer than the file, no names are used. */
bool catboost_add_name(struct catboost_model *model, uint32_t column, const char *text,
                       size_t length, size_t file_size) {
    bool is_usable =
        length > 0 && length <= file_size - model->names_size && !memchr(text, '\0', length);
    model->no_names = model->no_names || !is_usable;
    if (model->no_names)
        return true;
    const struct catboost_name added = {column, (uint32_t)length, text};
    model->names_size += length;
    return memory_append((void **)&model->names, &model->names_capacity, &model->n_names, &added, 1,
                         sizeof added);
}

static int compare_columns(const void *a, const void *b) {
    const struct catboost_name *x = a, *y = b;
    return (x->column > y->column) - (x->column < y->column);
}

/* Moves the names to the ensemble if every feature has one. They select the columns of tables. */
static enum status give_names(struct catboost_model *model, struct ensemble *e,
                              struct error *error) {
    struct feature_names names = {0};
    enum status status = STATUS_OK;
    if (model->no_names || model->n_names == 0 || model->n_names != model->n_columns)
        return STATUS_OK;
    qsort(model->names, model->n_names, sizeof *model->names, compare_columns);
    for (size_t i = 0; i < model->n_names; i++)
        if (model->names[i].column != i)
            return STATUS_OK;
    for (size_t i = 0; i < model->n_names && !status; i++)
        status = feature_names_add(&names, model->names[i].text, model->names[i].length, error);
    for (uint32_t i = 0; i < ctrs_count(e->ctrs) && !status; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "CTR %" PRIu32, i);
        status = feature_names_add(&names, name, (size_t)length, error);
    }
    return feature_names_give(&names, status, e, "names", error);
}

/* --- trees ------------------------------------------------------------------------------------ */

enum status catboost_begin_trees(struct catboost_model *model) {
    for (uint32_t i = 0; i < model->statistics.n_features; i++)
        model->statistics.features[i].column = model->n_columns + i;
    model->codes = calloc(model->hashes.count + 1, sizeof *model->codes);
    if (!model->codes)
        return error_memory(&model->inner, "the categories of a model");
    const struct memory_list *bias = &model->bias;
    double one = model->one_bias ? bias->number[0] : 0;
    if (bias->count && !model->one_bias && bias->count != model->n_outputs)
        return error_set(&model->inner, STATUS_INPUT,
                         "found %zu biases, expected %" PRIu32 " (one per output)", bias->count,
                         model->n_outputs);
    while (bias->count < model->n_outputs)
        if (!memory_list_add(&model->bias, &one, sizeof one))
            return error_memory(&model->inner, "the biases of a model");
    return STATUS_OK;
}

/* The test of a bin, as an inner node. */
struct test {
    struct inner_node node;
    double cuts[2];  /* of a category */
    bool holds_left; /* documents that pass the test go left */
};

static void test_border(const struct catboost_borders *list, uint32_t bin, struct test *test) {
    const struct catboost_feature *feature = feature_of(list, bin);
    test->node.feature = feature->column;
    test->node.threshold = (double)list->bins.real[bin];
    test->node.nan_left = !feature->nan_holds;
}

static void test_hash(struct catboost_model *model, uint32_t place, struct test *test) {
    struct catboost_category *category = catboost_find_category(model, place);
    float code = (float)code_of(model, category, place);
    test->holds_left = true;
    test->cuts[0] = (double)number_below(code);
    test->cuts[1] = (double)code;
    test->node.feature = category->column;
    test->node.cuts = test->cuts;
    test->node.n_cuts = 2;
    test->node.lowest_right = true;
}

static void make_test(struct catboost_model *model, uint32_t bin, struct test *test) {
    size_t first_ctr = catboost_first_ctr_bin(model);
    *test = (struct test){.node = {.count = ENSEMBLE_NO_COUNT}};
    if (bin < model->floats.bins.count)
        test_border(&model->floats, bin, test);
    else if (bin < first_ctr)
        test_hash(model, (uint32_t)(bin - model->floats.bins.count), test);
    else
        test_border(&model->statistics, (uint32_t)(bin - first_ctr), test);
}

static void add_inner(const struct catboost_model *model, const struct test *test, uint32_t under,
                      uint32_t over) {
    struct inner_node node = test->node;
    node.left = test->holds_left ? over : under;
    node.right = test->holds_left ? under : over;
    ensemble_builder_add_inner(model->builder, &node);
}

static void add_leaf(const struct catboost_model *model, double value) {
    ensemble_builder_add_leaf(model->builder, value * model->scale, ENSEMBLE_NO_COUNT);
}

/* Adds a perfect tree, breadth first: node i has the children 2i + 1 and 2i + 2. The last bin is at
 * the root, so that the leaves are in file order from left to right. */
void catboost_add_oblivious(struct catboost_model *model, uint32_t depth, const uint32_t *bins,
                            const double *values) {
    for (uint32_t output = 0; output < model->n_outputs; output++) {
        ensemble_builder_add_tree(model->builder, output);
        for (uint32_t level = 0; level < depth; level++) {
            struct test test;
            make_test(model, bins[depth - 1 - level], &test);
            for (uint32_t i = (1U << level) - 1; i < (2U << level) - 1; i++)
                add_inner(model, &test, 2 * i + 1, 2 * i + 2);
        }
        for (size_t leaf = 0; leaf < (size_t)1 << depth; leaf++)
            add_leaf(model, values[leaf * model->n_outputs + output]);
    }
}

void catboost_add_tree(struct catboost_model *model, const struct catboost_node *nodes,
                       uint32_t n_nodes, const double *values) {
    for (uint32_t output = 0; output < model->n_outputs; output++) {
        ensemble_builder_add_tree(model->builder, output);
        for (uint32_t i = 0; i < n_nodes; i++)
            if (nodes[i].child.left || nodes[i].child.right) {
                struct test test;
                make_test(model, nodes[i].bin, &test);
                add_inner(model, &test, nodes[i].child.left, nodes[i].child.right);
            } else {
                add_leaf(model, values[nodes[i].value + output]);
            }
    }
}

enum status catboost_finish(struct catboost_model *model, enum status status, const char *name,
                            struct ensemble **ensemble, struct error *error) {
    const struct ensemble_shape shape = {.n_features = model->n_columns +
                                                       (uint32_t)model->statistics.n_features,
                                         .n_outputs = model->n_outputs,
                                         .base = model->bias.number};
    struct ensemble *made = NULL;
    if (!status && model->out_of_memory)
        status = error_memory(error, "the categories of a model");
    status = reader_finish(name, status, model->builder, &shape, &made, error);
    if (!status) {
        made->ctrs = model->ctrs;
        model->ctrs = NULL;
        status = give_categories(model, made, error);
    }
    if (!status)
        status = give_names(model, made, error);
    free_model(model);
    return ensemble_give(status, made, ensemble);
}

/* --- the format ------------------------------------------------------------------------------- */

static bool is_binary(const char *text, size_t size) {
    return size >= 4 && memcmp(text, "CBM1", 4) == 0;
}

/* Recognises CoreML: a protobuf message that begins with its version and names the program that
 * wrote it. CoreML is not supported, but the error can suggest what to do. */
static bool is_coreml(const char *text, size_t size) {
    static const char author[] = "Catboost";
    size_t near = size < 16384 ? size : 16384;
    return size >= 2 && text[0] == 8 && memmem(text, near, author, sizeof author - 1);
}

static enum status catboost_read(const char *name, const char *text, size_t size,
                                 struct ensemble **ensemble, struct error *error) {
    if (is_coreml(text, size))
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s:1: CatBoost models in CoreML format are not supported. Export the "
                         "model with save_model(\"model.cbm\")",
                         name);
    return is_binary(text, size) ? catboost_read_binary(name, text, size, ensemble, error)
                                 : catboost_read_json(name, text, size, ensemble, error);
}

/* Recognises a JSON object whose first key is one of CatBoost's. */
static bool is_json(const char *text, size_t size) {
    static const char *const keys[] = {"\"features_info\"", "\"model_info\"", "\"oblivious_trees\"",
                                       "\"ctr_data\""};
    const char *at = reader_behind(text, size, "{");
    for (size_t i = 0; at && i < sizeof keys / sizeof *keys; i++)
        if ((size_t)(text + size - at) > strlen(keys[i]) &&
            memcmp(at, keys[i], strlen(keys[i])) == 0)
            return true;
    return false;
}

static bool catboost_recognise(const char *text, size_t size) {
    return is_binary(text, size) || is_coreml(text, size) || is_json(text, size);
}

const struct model_format model_format_catboost = {
    .name = "catboost",
    .title = "CatBoost JSON and .cbm",
    .recognise = catboost_recognise,
    .read = catboost_read,
};
