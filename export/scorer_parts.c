/* Writes the names of the features and the tables of the plain traversal. */
#include "base/number.h"
#include "export/parts.h"
#include "export/table.h"
#include "models/categories.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Returns the index of a leaf's value in the table of values. Without planes, values are in the
 * order of the leaves. With planes, they are in the order of the planes. If the trees were
 * rearranged for planes, the values in the order of the leaves follow. */
static size_t value_number(const struct export_model *model, uint32_t tree, size_t leaf) {
    const struct planes_model *planes = &model->planes[0];
    if (model->has_planes && !planes->is_rearranged)
        return (size_t)(planes->trees[tree].values - planes->values) + (leaf ^ leaf >> 1);
    return (model->has_planes ? planes->n_values : 0) + model->ensemble->tree_leaf[tree] + leaf;
}

/* Returns the index of a child or root among all nodes. For a leaf, returns the complement (~) of
 * the index of its value. */
static int64_t place_of(const struct export_model *model, uint32_t tree, int32_t child) {
    if (child >= 0)
        return (int64_t)model->ensemble->tree_node[tree] + child;
    return ~(int64_t)value_number(model, tree, (size_t)~child);
}

static void write_values(const struct text_place *place) {
    const struct export_model *model = place->context;
    const struct ensemble *e = model->ensemble;
    const struct planes_model *planes = &model->planes[0];
    struct table table = {.stream = place->stream};
    if (model->has_planes)
        for (size_t i = 0; i < planes->n_values; i++)
            table_add_double(&table, planes->values[i]);
    if (!model->has_planes || planes->is_rearranged)
        for (size_t i = 0; i < e->n_leaves; i++)
            table_add_double(&table, e->value[i]);
    table_end(&table, "");
}

enum { SET_SIZE = 64 };

/* Formats the field that follows a node's children if there are sets. */
static void format_set(const struct ensemble *e, size_t node, char text[static SET_SIZE]) {
    const size_t *cuts = ensemble_is_set(e, node) ? e->set_cut + e->set[node] : NULL;
    text[0] = '\0';
    if (e->set)
        snprintf(text, SET_SIZE, ", %zu, %zu", cuts ? cuts[0] : 0, cuts ? cuts[1] - cuts[0] : 0);
}

static void write_nodes(const struct text_place *place) {
    const struct export_model *model = place->context;
    const struct ensemble *e = model->ensemble;
    struct table table = {.stream = place->stream};
    for (uint32_t tree = 0; tree < e->n_trees; tree++)
        for (size_t i = e->tree_node[tree]; i < e->tree_node[tree + 1]; i++) {
            char threshold[TABLE_NUMBER_SIZE], set[SET_SIZE];
            table_format_float(e->threshold[i], threshold);
            format_set(e, i, set);
            table_add(&table, "{%s, %" PRIu32 ", {%" PRIi64 ", %" PRIi64 "}%s}", threshold,
                      e->feature[i] * 2 + e->nan_left[i], place_of(model, tree, e->left[i]),
                      place_of(model, tree, e->right[i]), set);
        }
    table_end(&table, "{0.0f, 0, {0, 0}}");
}

static void write_roots(const struct text_place *place) {
    const struct export_model *model = place->context;
    struct table table = {.stream = place->stream};
    for (uint32_t tree = 0; tree < model->ensemble->n_trees; tree++) {
        int32_t root = ensemble_tree_nodes(model->ensemble, tree) ? 0 : ~0;
        table_add(&table, "%" PRIi64, place_of(model, tree, root));
    }
    table_end(&table, "");
}

/* Writes a name as a JSON string that neither begins nor ends a C comment. */
static void write_name(FILE *stream, const char *name) {
    fputc('"', stream);
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7f || strchr("\"\\*", *name))
            fprintf(stream, "\\u%04x", (unsigned)(unsigned char)*name);
        else
            fputc(*name, stream);
    fputc('"', stream);
}

/* Writes a comment with the order of the features, for the person who fills in documents. */
static void write_feature_names(const struct text_place *place) {
    FILE *stream = place->stream;
    const struct ensemble *e = ((const struct export_model *)place->context)->ensemble;
    const char *name = e->feature_names;
    if (!name)
        return;
    fputs("/* The values of a document, in their order (as strings of JSON):\n", stream);
    for (uint32_t f = 0; f < e->n_features; f++, name += strlen(name) + 1) {
        fprintf(stream, " * %" PRIu32 ": ", f);
        write_name(stream, name);
        fputc('\n', stream);
    }
    fputs(" */\n", stream);
}

/* --- categories: the number that represents each --------------------------------------------- */

/* Does the feature have a list of categories that can be written? If the list has only hashes, the
 * words are unknown. */
static bool has_list(const struct export_model *model, uint32_t feature) {
    return categories_count(model->categories, feature) > 0 &&
           !categories_are_hashes(model->categories, feature);
}

bool export_has_categories(const struct export_model *model) {
    bool found = false;
    for (uint32_t f = 0; model->categories && f < model->ensemble->n_features; f++)
        found |= has_list(model, f);
    return found;
}

/* Writes a string literal. Other characters are escaped, so that every compiler reads the same
 * bytes. */
static void write_literal(FILE *stream, const char *word, size_t length) {
    fputc('"', stream);
    for (size_t i = 0; i < length; i++)
        if (isalnum((unsigned char)word[i]) || word[i] == ' ' || word[i] == '_')
            fputc(word[i], stream);
        else
            fprintf(stream, "\\%03o", (unsigned)(unsigned char)word[i]);
    fputc('"', stream);
}

static void write_list(FILE *stream, const struct export_model *model, uint32_t feature) {
    const struct categories *categories = model->categories;
    for (uint32_t code = 0; code < categories_count(categories, feature); code++) {
        fprintf(stream, "    {%" PRIu32 ", ", feature);
        if (categories_are_numbers(categories, feature)) {
            char text[NUMBER_TEXT_SIZE];
            number_format_double(categories_number(categories, feature, code), text);
            fprintf(stream, "0, %s},\n", text);
        } else {
            size_t length;
            const char *word = categories_word(categories, feature, code, &length);
            write_literal(stream, word, length);
            fputs(", 0},\n", stream);
        }
    }
}

static void write_lists(const struct text_place *place) {
    const struct export_model *model = place->context;
    for (uint32_t f = 0; f < model->ensemble->n_features; f++)
        if (has_list(model, f))
            write_list(place->stream, model, f);
}

/* --- documents of doubles, which are placed (models/placing.h) ------------------------------- */

enum { PLACED_FEATURES, THRESHOLDS, PLACED_THRESHOLDS };

static void add_placing(struct table *table, double threshold, float placed, bool is_placed) {
    char text[TABLE_NUMBER_SIZE];
    table_format_float(placed, text);
    if (is_placed)
        table_add(table, "%s", text);
    else if (isinf(threshold))
        table_add(table, threshold < 0 ? "-INFINITY" : "INFINITY");
    else
        table_add_double(table, threshold);
}

/* Empty unless the model compares doubles. */
static void write_placing(const struct text_place *place) {
    static const char *const instead[] = {"{0, 0, 0, 0}", "0.0", "0.0f"};
    const struct export_model *model = place->context;
    struct table table = {.stream = place->stream};
    uint32_t begin = 0;
    for (uint32_t f = 0; model->placing && f < model->ensemble->n_features; f++) {
        const double *thresholds;
        const float *placed;
        uint32_t count = placing_thresholds(model->placing, f, &thresholds, &placed);
        if (place->argument == PLACED_FEATURES && count)
            table_add(&table, "{%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %d}", f, begin,
                      begin + count, placing_is_coded(model->placing, f));
        for (uint32_t i = 0; place->argument != PLACED_FEATURES && i < count; i++)
            add_placing(&table, thresholds[i], placed[i], place->argument == PLACED_THRESHOLDS);
        begin += count;
    }
    table_end(&table, instead[place->argument]);
}

size_t export_placed_rows(const struct export_model *model) {
    enum { MOST = 512, BYTES = 1 << 20 };
    size_t fitting = BYTES / (model->ensemble->n_features * sizeof(float)) + 1;
    return fitting < MOST ? fitting : MOST;
}

const struct text_part export_scorer_parts[] = {
    {"feature_names", write_feature_names, 0},
    {"values", write_values, 0},
    {"nodes", write_nodes, 0},
    {"roots", write_roots, 0},
    {"categories", write_lists, 0},
    {"placed_features", write_placing, PLACED_FEATURES},
    {"thresholds", write_placing, THRESHOLDS},
    {"placed_thresholds", write_placing, PLACED_THRESHOLDS},
    {NULL, NULL, 0}};
