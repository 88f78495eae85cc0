/* Writes the data of the exported test and benchmark: rows, their expected scores, and thresholds
 * from which values are drawn. */
#include "base/memory.h"
#include "base/number.h"
#include "export/parts.h"
#include "export/table.h"
#include "impls/scorer.h"
#include "synth/synth.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MAX = 200,
    ROWS_MIN = 4,
    ROWS_NUMBERS = 40 * 1000, /* largest number of values and scores in the test's tables, unless
                                 ROWS_MIN rows have more */
    ROWS_FEATURES = 64 * 1000 * 1000, /* same for the values of the matrix of rows */
    LEVELS_MAX = 16,                  /* largest number of thresholds of a feature */
    PROBES_SEED = 1
};

static size_t count_rows(const struct export_model *model) {
    const struct ensemble *e = model->ensemble;
    size_t rows = ROWS_NUMBERS / (model->n_used + e->n_outputs);
    if (rows > ROWS_FEATURES / e->n_features)
        rows = ROWS_FEATURES / e->n_features;
    return rows > ROWS_MAX ? ROWS_MAX : rows < ROWS_MIN ? ROWS_MIN : rows;
}

static enum status score_rows(struct export_model *model, const struct scorer *scorer,
                              const float *placed, struct error *error) {
    const struct ensemble *e = model->ensemble;
    size_t n_rows = model->rows->n_rows;
    double *scores = memory_aligned_alloc(n_rows * e->n_outputs * sizeof *scores);
    void *workspace = scorer_workspace(scorer);
    if (!scores || !workspace) {
        free(scores);
        free(workspace);
        return error_memory(error, "the expected scores");
    }
    for (size_t row = 0; row < n_rows; row++)
        memcpy(scores + row * e->n_outputs, e->base, e->n_outputs * sizeof *scores);
    const struct plan plan = {.order = ORDER_DS};
    const struct batch batch = {placed, model->rows->stride, scores, workspace};
    scorer_run(scorer, &plan, n_rows, &batch);
    free(workspace);
    model->expected = scores;
    return STATUS_OK;
}

/* --- documents as a user has them ---------------------------------------------------------------
 */

/* Returns a float32 for a number that a node compares with. For a coded feature, that number is a
 * rank among the thresholds, and the float32 is near the threshold. */
static float raw_value(const struct placing *placing, uint32_t feature, float number) {
    const double *thresholds;
    const float *placed;
    if (!placing_is_coded(placing, feature) || !isfinite(number))
        return number;
    uint32_t count = placing_thresholds(placing, feature, &thresholds, &placed);
    float rank = ceilf(number);
    return (float)thresholds[rank < 0 ? 0 : rank >= (float)count ? count - 1 : (uint32_t)rank];
}

/* Turns the values of coded features from ranks into raw values. Returns a copy of the rows in
 * which they are placed, or NULL if memory ran out. Rows of many features overlap, and share only
 * values of features that no node tests. */
static float *make_raw(struct export_model *model) {
    struct matrix *rows = model->rows;
    size_t n_values = (rows->n_rows - 1) * rows->stride + rows->n_features;
    float *placed = memory_aligned_alloc(n_values * sizeof *placed);
    if (!placed)
        return NULL;
    memcpy(placed, rows->values, n_values * sizeof *placed);
    for (size_t row = 0; row < rows->n_rows; row++)
        for (size_t i = 0; i < model->n_used; i++) {
            uint32_t f = model->used[i];
            float *raw = &rows->values[row * rows->stride + f];
            *raw = raw_value(model->placing, f, *raw);
            placed[row * rows->stride + f] = placing_place(model->placing, f, (double)*raw);
        }
    return placed;
}

static enum status make_expected(struct export_model *model, struct error *error) {
    struct scorer *scorer;
    enum status status = scorer_build("reference", model->ensemble, &scorer, error);
    if (status)
        return status;
    float *placed = make_raw(model);
    status = placed ? score_rows(model, scorer, placed, error) : error_memory(error, "the rows");
    free(placed);
    scorer_destroy(scorer);
    return status;
}

/* --- features and their thresholds ------------------------------------------------------------ */

/* Picks thresholds that are spread evenly over the sorted tests of one feature. */
static size_t pick_levels(const struct placing *placing, const struct ensemble_test *tested,
                          size_t count, float *levels) {
    size_t n_levels = count < LEVELS_MAX ? count : LEVELS_MAX;
    for (size_t i = 0; i < n_levels; i++)
        levels[i] = raw_value(placing, tested->feature, tested[i * count / n_levels].threshold);
    return n_levels;
}

static void make_levels(struct export_model *model, const struct ensemble_test *tested) {
    size_t n_nodes = model->ensemble->n_nodes, n_levels = 0;
    for (size_t begin = 0, end; begin < n_nodes; begin = end) {
        for (end = begin; end < n_nodes && tested[end].feature == tested[begin].feature;)
            end++;
        model->used[model->n_used] = tested[begin].feature;
        model->first_level[model->n_used++] = (uint32_t)n_levels;
        n_levels +=
            pick_levels(model->placing, tested + begin, end - begin, model->levels + n_levels);
    }
    model->first_level[model->n_used] = (uint32_t)n_levels;
}

static enum status find_used(struct export_model *model, struct error *error) {
    const struct ensemble *e = model->ensemble;
    struct memory_pool *pool = &model->pool;
    struct ensemble_test *tested = memory_pool_array(pool, e->n_nodes, sizeof *tested);
    model->used = memory_pool_array(pool, e->n_nodes + 1, sizeof *model->used);
    model->first_level = memory_pool_array(pool, e->n_nodes + 1, sizeof *model->first_level);
    model->levels = memory_pool_array(pool, e->n_nodes, sizeof *model->levels);
    if (pool->failed)
        return error_memory(error, "the tests of all trees");
    ensemble_sort_tests(e, tested);
    make_levels(model, tested);
    return STATUS_OK;
}

enum status export_rows_make(struct export_model *model, struct error *error) {
    enum status status = find_used(model, error);
    if (!status)
        status = synth_probes(model->ensemble, count_rows(model), PROBES_SEED, &model->rows, error);
    return status ? status : make_expected(model, error);
}

/* --- writing ---------------------------------------------------------------------------------- */

static void write_row_values(FILE *stream, const struct export_model *model, const float *row) {
    struct table table = {.stream = stream};
    for (size_t i = 0; i < model->n_used; i++)
        table_add(&table, "0x%" PRIx32, number_bits_of(row[model->used[i]]));
    table_end(&table, "0");
}

static void write_rows(const struct text_place *place) {
    const struct export_model *model = place->context;
    for (size_t row = 0; row < model->rows->n_rows; row++) {
        fputs("    {\n", place->stream);
        write_row_values(place->stream, model, matrix_row(model->rows, row));
        fputs("    },\n", place->stream);
    }
}

static void write_expected(const struct text_place *place) {
    const struct export_model *model = place->context;
    uint32_t n_outputs = model->ensemble->n_outputs;
    for (size_t row = 0; row < model->rows->n_rows; row++) {
        const struct table_array scores = {NUMBER_U64, model->expected + row * n_outputs, n_outputs,
                                           "0x%" PRIx64, "0"};
        fputs("    {\n", place->stream);
        table_write(place->stream, &scores);
        fputs("    },\n", place->stream);
    }
}

const struct text_part export_rows_parts[] = {
    {"rows", write_rows, 0}, {"expected", write_expected, 0}, {NULL, NULL, 0}};
