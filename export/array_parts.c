/* Writes the arrays of a model whose elements are plain numbers. */
#include "export/parts.h"
#include "export/table.h"

#include <inttypes.h>

enum which {
    BASE,
    TREE_OUTPUTS,
    CUTS,
    LEAF_VALUES,
    FIRST_VALUES,
    USED,
    FIRST_LEVEL,
    LEVELS,
    RANKS,
    XOR_OPERANDS,
    INPUTS,
    SEPARATORS,
    PLANE_KEYS,
    FIRST_EXITS,
    IN_TABLE,
    N_ROOTS,
    EXITS,
    KEYS
};

static struct table_array of_model(const struct export_model *model, enum which which) {
    const struct ensemble *e = model->ensemble;
    switch (which) {
    case BASE:
        return (struct table_array){TABLE_DOUBLE, e->base, e->n_outputs, NULL, ""};
    case TREE_OUTPUTS:
        return (struct table_array){TABLE_U32, e->tree_output, e->n_trees, NULL, ""};
    case CUTS:
        return (struct table_array){TABLE_FLOAT, e->cut, e->set ? e->set_cut[e->n_sets] : 0, NULL,
                                    "0"};
    case LEAF_VALUES:
        return (struct table_array){TABLE_DOUBLE, e->value, e->n_leaves, NULL, ""};
    case FIRST_VALUES:
        return (struct table_array){TABLE_BITS, e->tree_leaf, e->n_trees, NULL, ""};
    case USED:
        return (struct table_array){TABLE_U32, model->used, model->n_used, NULL, "0"};
    case FIRST_LEVEL:
        return (struct table_array){TABLE_U32, model->first_level, model->n_used + 1, NULL, "0"};
    default: /* LEVELS */
        return (struct table_array){TABLE_FLOAT, model->levels, model->first_level[model->n_used],
                                    NULL, "0"};
    }
}

static struct table_array of_planes(const struct planes_model *planes, enum which which) {
    switch (which) {
    case RANKS:
        return (struct table_array){TABLE_U32, planes->ranks, planes->n_tests, NULL, "0"};
    case XOR_OPERANDS: /* the numbers of plain tests, which are the same in all shapes */
        return (struct table_array){TABLE_U32, planes->xors.operands, planes->xors.n_operands, NULL,
                                    "0"};
    case INPUTS:
        return (struct table_array){TABLE_BITS, planes->inputs, planes->n_nodes, "%" PRIu64 "u",
                                    "0"};
    case SEPARATORS:
        return (struct table_array){TABLE_U16, planes->separators, planes->n_nodes, NULL, "0"};
    default: /* PLANE_KEYS */
        return (struct table_array){TABLE_I32, planes->keys, planes->n_keys, NULL, "0"};
    }
}

static struct table_array of_ranks(const struct rank_model *rank, enum which which) {
    switch (which) {
    case FIRST_EXITS:
        return (struct table_array){TABLE_U32, rank->first_exit, rank->scorer.n_units * RANK_BLOCK,
                                    "%" PRIu64 "u", ""};
    case IN_TABLE:
        return (struct table_array){TABLE_BITS, rank->in_table,
                                    rank->n_bundles * (rank->view.n_tables - 1), "0x%" PRIx64, "0"};
    case N_ROOTS:
        return (struct table_array){TABLE_U8, rank->n_roots, rank->n_bundles, NULL, "0"};
    case EXITS:
        return (struct table_array){TABLE_BITS, rank->exits, rank->n_bundles * RANK_TESTS,
                                    "{0x%" PRIx64 "}", ""};
    default: /* KEYS */
        return (struct table_array){TABLE_I32, rank->keys, rank->n_keys, NULL, "0"};
    }
}

static void write_of_model(const struct text_place *place) {
    struct table_array array = of_model(place->context, (enum which)place->argument);
    table_write(place->stream, &array);
}

static void write_of_ranks(const struct text_place *place) {
    const struct export_model *model = place->context;
    struct table_array array = of_ranks(model->rank_bytes, (enum which)place->argument);
    table_write(place->stream, &array);
}

/* The argument is the array, times EXPORT_SHAPES, plus the shape. */
static void write_of_planes(const struct text_place *place) {
    const struct export_model *model = place->context;
    struct table_array array = of_planes(&model->planes[place->argument % EXPORT_SHAPES],
                                         (enum which)(place->argument / EXPORT_SHAPES));
    table_write(place->stream, &array);
}

#define SHAPED(array, shape) write_of_planes, (array)*EXPORT_SHAPES + (shape)

const struct text_part export_array_parts[] = {
    {"base", write_of_model, BASE},
    {"tree_outputs", write_of_model, TREE_OUTPUTS},
    {"cuts", write_of_model, CUTS},
    {"framed_values", write_of_model, LEAF_VALUES},
    {"first_values", write_of_model, FIRST_VALUES},
    {"used", write_of_model, USED},
    {"first_level", write_of_model, FIRST_LEVEL},
    {"levels", write_of_model, LEVELS},
    {"ranks", SHAPED(RANKS, 0)},
    {"xor_operands", SHAPED(XOR_OPERANDS, 0)},
    {"inputs_32", SHAPED(INPUTS, EXPORT_WIDTH_32)},
    {"inputs_64", SHAPED(INPUTS, EXPORT_WIDTH_64)},
    {"separators_32", SHAPED(SEPARATORS, EXPORT_WIDTH_32)},
    {"separators_64", SHAPED(SEPARATORS, EXPORT_WIDTH_64)},
    {"keys_4", SHAPED(PLANE_KEYS, EXPORT_FAN_4)},
    {"keys_8", SHAPED(PLANE_KEYS, EXPORT_FAN_8)},
    {"keys_2", SHAPED(PLANE_KEYS, EXPORT_FAN_2)},
    {"first_exits", write_of_ranks, FIRST_EXITS},
    {"in_table", write_of_ranks, IN_TABLE},
    {"n_roots", write_of_ranks, N_ROOTS},
    {"exits", write_of_ranks, EXITS},
    {"keys", write_of_ranks, KEYS},
    {NULL, NULL, 0}};
