/* Writes the names of the features and the tables of the plain traversal. */
#include "export/parts.h"
#include "export/table.h"

#include <inttypes.h>
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

static void write_base(FILE *stream, const void *context, int unused) {
    (void)unused;
    const struct ensemble *e = ((const struct export_model *)context)->ensemble;
    struct table table = {.stream = stream};
    for (uint32_t k = 0; k < e->n_outputs; k++)
        table_add_double(&table, e->base[k]);
    table_end(&table, "");
}

static void write_values(FILE *stream, const void *context, int unused) {
    (void)unused;
    const struct export_model *model = context;
    const struct ensemble *e = model->ensemble;
    const struct planes_model *planes = &model->planes[0];
    struct table table = {.stream = stream};
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

static void write_nodes(FILE *stream, const void *context, int unused) {
    (void)unused;
    const struct export_model *model = context;
    const struct ensemble *e = model->ensemble;
    struct table table = {.stream = stream};
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

static void write_cuts(FILE *stream, const void *context, int unused) {
    (void)unused;
    const struct ensemble *e = ((const struct export_model *)context)->ensemble;
    struct table table = {.stream = stream};
    for (size_t i = 0; e->set && i < e->set_cut[e->n_sets]; i++) {
        char cut[TABLE_NUMBER_SIZE];
        table_format_float(e->cut[i], cut);
        table_add(&table, "%s", cut);
    }
    table_end(&table, "0");
}

static void write_roots(FILE *stream, const void *context, int unused) {
    (void)unused;
    const struct export_model *model = context;
    struct table table = {.stream = stream};
    for (uint32_t tree = 0; tree < model->ensemble->n_trees; tree++) {
        int32_t root = ensemble_tree_nodes(model->ensemble, tree) ? 0 : ~0;
        table_add(&table, "%" PRIi64, place_of(model, tree, root));
    }
    table_end(&table, "");
}

void export_tree_outputs_write(FILE *stream, const void *context, int unused) {
    (void)unused;
    const struct ensemble *e = ((const struct export_model *)context)->ensemble;
    struct table table = {.stream = stream};
    for (uint32_t tree = 0; tree < e->n_trees; tree++)
        table_add(&table, "%" PRIu32, e->tree_output[tree]);
    table_end(&table, "");
}

static void write_float_mode(FILE *stream, const void *context, int unused) {
    (void)unused;
    const struct export_model *model = context;
    text_write(stream, "base/float_mode.h", model->values, export_scorer_parts, model);
}

static void write_kernels(FILE *stream, const void *context, int unused) {
    (void)unused;
    const struct export_model *model = context;
    if (model->has_planes || model->rank_bytes)
        text_write(stream, "export/kernels.c.in", model->values, export_kernel_parts, model);
}

static const struct text_part tables_parts[] = {{"values", write_values, 0},
                                                {"nodes", write_nodes, 0},
                                                {"cuts", write_cuts, 0},
                                                {"roots", write_roots, 0},
                                                {"tree_outputs", export_tree_outputs_write, 0},
                                                {NULL, NULL, 0}};

void export_tables_write(FILE *stream, const void *context, int unused) {
    (void)unused;
    const struct export_model *model = context;
    text_write(stream, "export/tables.c.in", model->values, tables_parts, model);
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
static void write_feature_names(FILE *stream, const void *context, int unused) {
    (void)unused;
    const struct ensemble *e = ((const struct export_model *)context)->ensemble;
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

const struct text_part export_header_parts[] = {{"feature_names", write_feature_names, 0},
                                                {NULL, NULL, 0}};

const struct text_part export_scorer_parts[] = {{"float_mode", write_float_mode, 0},
                                                {"base", write_base, 0},
                                                {"walk", export_walk_write, 0},
                                                {"kernels", write_kernels, 0},
                                                {"doubles", export_doubles_write, 0},
                                                {"categories", export_categories_write, 0},
                                                {NULL, NULL, 0}};
