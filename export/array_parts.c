/* Writes the arrays of a model whose elements are plain numbers. */
#include "export/parts.h"
#include "export/table.h"

#include <inttypes.h>

enum { BASE, TREE_OUTPUTS, CUTS, LEAF_VALUES, FIRST_VALUES, USED, FIRST_LEVEL, LEVELS };

static void write_of_model(const struct text_place *place) {
    const struct export_model *model = place->context;
    const struct ensemble *e = model->ensemble;
    const size_t n_cuts = e->set ? e->set_cut[e->n_sets] : 0;
    const struct table_array arrays[] = {
        [BASE] = {NUMBER_DOUBLE, e->base, e->n_outputs, NULL, ""},
        [TREE_OUTPUTS] = {NUMBER_U32, e->tree_output, e->n_trees, NULL, ""},
        [CUTS] = {NUMBER_FLOAT, e->cut, n_cuts, NULL, "0"},
        [LEAF_VALUES] = {NUMBER_DOUBLE, e->value, e->n_leaves, NULL, ""},
        [FIRST_VALUES] = {NUMBER_U64, e->tree_leaf, e->n_trees, NULL, ""},
        [USED] = {NUMBER_U32, model->used, model->n_used, NULL, "0"},
        [FIRST_LEVEL] = {NUMBER_U32, model->first_level, model->n_used + 1, NULL, "0"},
        [LEVELS] = {NUMBER_FLOAT, model->levels, model->first_level[model->n_used], NULL, "0"}};
    table_write(place->stream, &arrays[place->argument]);
}

enum { RANKS, XOR_OPERANDS, INPUTS, SEPARATORS, PLANE_KEYS };

/* The argument is the array, times EXPORT_SHAPES, plus the shape. XOR_OPERANDS are the numbers of
 * plain tests, which are the same in all shapes. */
#define SHAPED(array, shape) write_of_planes, (array)*EXPORT_SHAPES + (shape)

static void write_of_planes(const struct text_place *place) {
    const struct export_model *model = place->context;
    const struct planes_model *p = &model->planes[place->argument % EXPORT_SHAPES];
    const struct table_array arrays[] = {
        [RANKS] = {NUMBER_U32, p->ranks, p->n_tests, NULL, "0"},
        [XOR_OPERANDS] = {NUMBER_U32, p->xors.operands, p->xors.n_operands, NULL, "0"},
        [INPUTS] = {NUMBER_U64, p->inputs, p->n_nodes, "%" PRIu64 "u", "0"},
        [SEPARATORS] = {NUMBER_U16, p->separators, p->n_nodes, NULL, "0"},
        [PLANE_KEYS] = {NUMBER_I32, p->keys, p->n_keys, NULL, "0"}};
    table_write(place->stream, &arrays[place->argument / EXPORT_SHAPES]);
}

enum { FIRST_EXITS, IN_TABLE, N_ROOTS, EXITS, KEYS };

static void write_of_ranks(const struct text_place *place) {
    const struct rank_model *rank = ((const struct export_model *)place->context)->rank_bytes;
    const size_t n_exits = rank->n_bundles * RANK_TESTS;
    const size_t n_masks = rank->n_bundles * (rank->view.n_tables - 1);
    const size_t n_first = rank->scorer.n_units * RANK_BLOCK;
    const struct table_array arrays[] = {
        [FIRST_EXITS] = {NUMBER_U32, rank->first_exit, n_first, "%" PRIu64 "u", ""},
        [IN_TABLE] = {NUMBER_U64, rank->in_table, n_masks, "0x%" PRIx64, "0"},
        [N_ROOTS] = {NUMBER_U8, rank->n_roots, rank->n_bundles, NULL, "0"},
        [EXITS] = {NUMBER_U64, rank->exits, n_exits, "{0x%" PRIx64 "}", ""},
        [KEYS] = {NUMBER_I32, rank->keys, rank->n_keys, NULL, "0"}};
    table_write(place->stream, &arrays[place->argument]);
}

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
