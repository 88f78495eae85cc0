/* RapidScorer over a vector of bytes, one byte per document.
 *
 * The includer defines, for its instruction set:
 *
 *   RAPID_LANES          documents per step, a multiple of 4
 *   rapid_bytes          RAPID_LANES bytes
 *   struct rapid_exits   {rapid_bytes byte, row;}: for each lane, a byte that is not 0 and the
 *                        number of that byte's row
 *   struct rapid_column  a feature of RAPID_LANES documents
 *
 *   rapid_bytes rapid_set(uint8_t value)
 *   rapid_bytes rapid_load(const uint8_t *from)
 *   void rapid_store(uint8_t *to, rapid_bytes value)
 *   rapid_bytes rapid_decrement(rapid_bytes value)
 *   bool rapid_are_all_ones(rapid_bytes value)
 *       is every byte 0xff?
 *   rapid_bytes rapid_clear(rapid_bytes row, rapid_bytes passed, uint8_t keep)
 *       row & (passed | keep)
 *   struct rapid_exits rapid_exits_see(struct rapid_exits exits, rapid_bytes row,
 *                                      rapid_bytes number)
 *       in the lanes whose byte of `row` is not 0, exits.byte becomes that byte, and exits.row
 *       becomes `number`
 *   rapid_bytes rapid_exits_bit(struct rapid_exits exits)
 *       the number of the lowest set bit in each byte
 *   rapid_bytes rapid_exits_leaf(struct rapid_exits exits)
 *       8 * exits.row + rapid_exits_bit(exits), for row numbers less than 32
 *   size_t rapid_column_place(size_t lane)
 *       the place of a lane's document in a column
 *   struct rapid_column rapid_column_load(const float *from, bool nan_left)
 *       if nan_left, with NaN replaced by a value that passes every test
 *   rapid_bytes rapid_column_passes(const struct rapid_column *column, float threshold)
 *       0xff if x <= threshold, else 0
 *
 * Memory is aligned to 64 bytes.
 *
 * The table has the work for 64 documents with AVX2, the fewest cycles that this work can take on
 * Zen 3, and the cycles measured on Zen 3 (docs/floors.md). Zen 3 does 2 vector loads, one vector
 * store and 4 vector operations per cycle.
 *
 *                            work                                         fewest    measured
 *     an op                  5 vector loads, 2 stores, 16 instructions    2.5       5.8
 *     a test                 8 comparisons, 6 packings, 2 more            4         7.9
 *     a tree of 64 leaves    144 loads, 137 vector operations             48        130
 *
 * Most time goes to ops: a tree of 64 leaves has about 80. Ops wait for memory. A block has many
 * trees, so that trees share tests. Its leaf sets therefore fit in L2 but not in L1. Moving a cache
 * line from L2 to L1 and back takes 4 cycles. Ending lists early saves only 9 % of the ops, because
 * nearly every threshold is exceeded by one of the 64 documents. */
#ifndef IMPLS_QUICKSCORER_RAPIDSCORER_TMPL_H
#define IMPLS_QUICKSCORER_RAPIDSCORER_TMPL_H

#include "impls/quickscorer/rapidscorer_model.h"

#include <stdbool.h>
#include <string.h>

/* For the functions that are phases of scoring. Inlined into one function, they would compete for
 * registers. */
#define NOINLINE __attribute__((noinline))

/* The parts of the workspace. */
struct rapid_space {
    uint8_t *leaves; /* [max_rows][RAPID_LANES] the sets of remaining leaves */
    uint8_t *passed; /* [RAPID_STEP][RAPID_LANES] 0xff if the document passed the test, else 0 */
    float *columns;  /* [n_columns][RAPID_LANES] the documents, feature by feature */
};

static struct rapid_space divide_workspace(const struct rapid_model *model, void *workspace) {
    uint8_t *leaves = workspace;
    uint8_t *passed = leaves + (size_t)model->max_rows * RAPID_LANES;
    return (struct rapid_space){leaves, passed,
                                (float *)(void *)(passed + RAPID_STEP * RAPID_LANES)};
}

/* Lanes after the last document get a copy of that document. */
static NOINLINE void fill_columns(const struct rapid_model *model, struct span docs,
                                  const struct batch *batch, float *columns) {
    for (size_t lane = 0; lane < RAPID_LANES; lane++) {
        size_t doc = docs.begin + lane < docs.end ? docs.begin + lane : docs.end - 1;
        const float *x = batch->x + doc * batch->stride;
        float *to = columns + rapid_column_place(lane);
        for (uint32_t c = 0; c < model->n_columns; c++)
            to[(size_t)c * RAPID_LANES] = x[model->features[c]];
    }
}

/* Evaluates `n` tests with ascending thresholds, up to the first test that every lane passes. Every
 * lane passes all later tests too. Returns the number of tests that some lane failed. */
static NOINLINE size_t make_tests(const float *thresholds, size_t n, const float *documents,
                                  bool nan_left, uint8_t *passed) {
    const struct rapid_column x = rapid_column_load(documents, nan_left);
    for (size_t i = 0; i < n; i++) {
        rapid_bytes lanes = rapid_column_passes(&x, thresholds[i]);
        rapid_store(passed + i * RAPID_LANES, lanes);
        if (rapid_are_all_ones(lanes))
            return i;
    }
    return n;
}

static NOINLINE void clear_leaves(const struct rapid_op *op, const struct rapid_op *end,
                                  const uint8_t *passed, uint8_t *leaves) {
    for (; op < end; op++) {
        uint8_t *row = leaves + (size_t)op->row * RAPID_LANES;
        rapid_bytes lanes = rapid_load(passed + (size_t)op->test * RAPID_LANES);
        rapid_store(row, rapid_clear(rapid_load(row), lanes, op->keep));
    }
}

static void run_list(const struct rapid_model *model, const struct rapid_list *list,
                     const struct rapid_space *space) {
    const float *documents = space->columns + (size_t)list->column * RAPID_LANES;
    size_t end = list[1].first_test;
    for (size_t first = list->first_test; first < end; first += RAPID_STEP) {
        size_t n = end - first < RAPID_STEP ? end - first : RAPID_STEP;
        size_t failed =
            make_tests(model->thresholds + first, n, documents, list->nan_left, space->passed);
        clear_leaves(model->ops + model->first_op[first],
                     model->ops + model->first_op[first + failed], space->passed, space->leaves);
        if (failed < n)
            break;
    }
}

/* Visits the rows of a tree from last to first, so that each lane ends with the first row that is
 * not empty. */
static inline struct rapid_exits find_exits(const uint8_t *leaves, uint32_t rows) {
    const uint8_t *row = leaves + (size_t)(rows - 1) * RAPID_LANES;
    rapid_bytes number = rapid_set((uint8_t)(rows - 1));
    struct rapid_exits exits = {rapid_load(row), number};
    while (row > leaves) {
        row -= RAPID_LANES;
        number = rapid_decrement(number);
        exits = rapid_exits_see(exits, rapid_load(row), number);
    }
    return exits;
}

typedef double four_sums __attribute__((vector_size(32), may_alias));

/* Loads each value separately. Gathers would need fewer instructions, but take twice as long on Zen
 * 5. */
static inline void add_found(const double *values, const uint8_t *leaf, double *sums) {
    for (size_t lane = 0; lane < RAPID_LANES; lane += 4) {
        const four_sums four = {values[leaf[lane]], values[leaf[lane + 1]], values[leaf[lane + 2]],
                                values[leaf[lane + 3]]};
        *(four_sums *)(void *)(sums + lane) += four;
    }
}

/* Adds a tree's values to the sums of the lanes. Leaf numbers must fit in a byte: rows <= 32. */
static NOINLINE void add_values(const double *values, const uint8_t *leaves, uint32_t rows,
                                double *sums) {
    _Alignas(64) uint8_t leaf[RAPID_LANES];
    rapid_store(leaf, rapid_exits_leaf(find_exits(leaves, rows)));
    add_found(values, leaf, sums);
}

/* Like add_values, but for any number of rows. */
static NOINLINE void add_values_of_many(const double *values, const uint8_t *leaves, uint32_t rows,
                                        double *sums) {
    _Alignas(64) uint8_t row[RAPID_LANES], bit[RAPID_LANES];
    struct rapid_exits exits = find_exits(leaves, rows);
    rapid_store(row, exits.row);
    rapid_store(bit, rapid_exits_bit(exits));
    for (size_t lane = 0; lane < RAPID_LANES; lane++)
        sums[lane] += values[8u * row[lane] + bit[lane]];
}

/* Loads the scores of one output for the documents of all lanes. */
static void load_sums(const struct batch *batch, struct span docs, uint32_t n_outputs,
                      uint32_t output, double *sums) {
    for (size_t doc = docs.begin; doc < docs.end; doc++)
        sums[doc - docs.begin] = batch->scores[doc * n_outputs + output];
}

static void store_sums(const struct batch *batch, struct span docs, uint32_t n_outputs,
                       uint32_t output, const double *sums) {
    for (size_t doc = docs.begin; doc < docs.end; doc++)
        batch->scores[doc * n_outputs + output] = sums[doc - docs.begin];
}

static void add_trees(const struct rapid_model *model, const struct rapid_block *block,
                      struct span docs, const struct batch *batch, const uint8_t *leaves) {
    uint32_t n_outputs = model->scorer.n_outputs, output = model->trees[block->first_tree].output;
    _Alignas(64) double sums[RAPID_LANES] = {0};
    load_sums(batch, docs, n_outputs, output, sums);
    for (size_t t = block->first_tree; t < block[1].first_tree; t++) {
        const struct rapid_tree *tree = &model->trees[t];
        if (tree->output != output) {
            store_sums(batch, docs, n_outputs, output, sums);
            output = tree->output;
            load_sums(batch, docs, n_outputs, output, sums);
        }
        (tree->rows <= 32 ? add_values : add_values_of_many)(model->values + tree->first_value,
                                                             leaves, tree->rows, sums);
        leaves += (size_t)tree->rows * RAPID_LANES;
    }
    store_sums(batch, docs, n_outputs, output, sums);
}

static void run_block(const struct rapid_model *model, const struct rapid_block *block,
                      struct span docs, const struct batch *batch,
                      const struct rapid_space *space) {
    memset(space->leaves, 0xff, (size_t)block->rows * RAPID_LANES);
    for (size_t l = block->first_list; l < block[1].first_list; l++)
        run_list(model, &model->lists[l], space);
    add_trees(model, block, docs, batch, space->leaves);
}

static void rapid_score(const struct scorer *scorer, struct span units, struct span docs,
                        const struct batch *batch) {
    const struct rapid_model *model = (const struct rapid_model *)scorer;
    const struct rapid_space space = divide_workspace(model, batch->workspace);
    size_t in_columns = docs.end; /* first document of the step that `columns` holds; none yet */
    for (size_t unit = units.begin; unit < units.end; unit++)
        for (struct span some = docs; some.begin < docs.end; some.begin += RAPID_LANES) {
            some.end = docs.end - some.begin < RAPID_LANES ? docs.end : some.begin + RAPID_LANES;
            if (some.begin != in_columns) {
                fill_columns(model, some, batch, space.columns);
                in_columns = some.begin;
            }
            run_block(model, &model->blocks[unit], some, batch, &space);
        }
}

static enum status rapid_tmpl_build(const struct impl *impl, const struct ensemble *ensemble,
                                    const struct options *options, struct scorer **scorer,
                                    struct error *error) {
    return rapid_build(impl, RAPID_LANES, ensemble, options, scorer, error);
}

/* What the descriptors of all instruction sets have in common. */
#define RAPID_FACTS                                                                                \
    .family = "rapidscorer", .lambda = 4, .source = "ye2018", .kind = IMPL_TRAVERSAL,              \
    .params = rapid_params, .build = rapid_tmpl_build, .score = rapid_score

#endif
