#include "harness/cli/output/comparison.h"

#include "impls/scorer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORISED_DOCUMENTS = 65536 };

/* Ignores baselines, because they compute no scores. */
static struct comparison_line *find_fastest(const struct comparison *c) {
    struct comparison_line *fastest = NULL;
    for (size_t i = 0; i < c->count; i++) {
        const struct row *row = c->lines[i].row;
        const struct impl *impl = impl_find(row->impl, NULL);
        if (row->status == ROW_OK && impl && impl->kind != IMPL_BASELINE &&
            (!fastest || row->median < fastest->row->median))
            fastest = &c->lines[i];
    }
    return fastest;
}

/* Sampling may have ended early, and rows without times have no samples. */
static void count_rounds(struct comparison *c) {
    for (size_t i = 0; i < c->count; i++) {
        const struct sample_set *samples = &c->rows[i].samples;
        if (samples->count > c->rounds) {
            c->rounds = samples->count;
            c->placements =
                samples->rounds ? (samples->count + samples->rounds - 1) / samples->rounds : 1;
        }
    }
}

static void measure_noise(const struct row *again, struct comparison *c) {
    const struct ratio unknown = {NAN, {NAN, NAN}};
    bool is_measured = again && again->status == ROW_OK && c->rows[0].status == ROW_OK;
    c->noise = is_measured ? row_paired_ratio(again, &c->rows[0]) : unknown;
    c->noise_floor = verdict_noise_floor(c->noise.interval);
    c->noise_reason = !isnan(c->noise_floor)             ? NULL
                      : again && again->status != ROW_OK ? again->reason
                                                         : "there are too few rounds";
}

static void make_line(const struct comparison *c, const struct row *row,
                      struct comparison_line *line) {
    const struct impl *impl = impl_find(row->impl, NULL);
    bool has_times = row->status == ROW_OK;
    *line = (struct comparison_line){.row = row, .ratio = {NAN, {NAN, NAN}}};
    if (impl && has_times)
        impl_version(impl, line->version, sizeof line->version);
    if (!c->has_ratios || !has_times)
        return;
    if (row == c->rows) {
        line->ratio.value = 1;
        return;
    }
    line->ratio = row_paired_ratio(row, c->rows);
    line->verdict = verdict_of(line->ratio.interval, c->noise_floor);
}

enum status comparison_make(const struct row *rows, size_t count, const struct row *again,
                            struct comparison *c, struct error *error) {
    c->rows = rows;
    c->count = count;
    c->rounds = c->placements = 0;
    c->has_ratios = count > 1 && rows[0].status == ROW_OK;
    c->lines = calloc(count, sizeof *c->lines);
    if (!c->lines)
        return error_memory(error, "the lines of a comparison");
    count_rounds(c);
    measure_noise(again, c);
    for (size_t i = 0; i < count; i++)
        make_line(c, &rows[i], &c->lines[i]);
    struct comparison_line *fastest = find_fastest(c);
    if (fastest)
        fastest->is_fastest = true;
    return STATUS_OK;
}

void comparison_free(struct comparison *c) {
    free(c->lines);
    c->lines = NULL;
    c->count = 0;
}

static int by_time(const void *left, const void *right) {
    const struct row *a = ((const struct comparison_line *)left)->row;
    const struct row *b = ((const struct comparison_line *)right)->row;
    double x = a->status == ROW_OK ? a->median : INFINITY;
    double y = b->status == ROW_OK ? b->median : INFINITY;
    return x != y ? (x > y) - (x < y) : (a > b) - (a < b); /* all rows are in one array */
}

void comparison_sort(struct comparison *c) {
    qsort(c->lines, c->count, sizeof *c->lines, by_time);
}

double comparison_times_as_fast(const struct comparison_line *line) {
    return 1 / line->ratio.value;
}

double comparison_documents_per_second(const struct comparison_line *line) {
    return 1e9 / line->row->median;
}

/* Returns how many documents a call of one step has. */
static size_t step_of(const struct comparison *c, const struct row *row) {
    bool takes_all =
        row->lanes == 0 || row->lanes > c->inputs.documents || strstr(row->params, "order=");
    return takes_all ? c->inputs.documents : row->lanes;
}

void comparison_describe_call(const struct comparison *c, char text[static COMPARISON_CALL_SIZE]) {
    size_t least = c->inputs.documents, most = 1;
    for (size_t i = 0; i < c->count; i++)
        if (c->rows[i].status == ROW_OK) {
            size_t step = step_of(c, &c->rows[i]);
            least = step < least ? step : least;
            most = step > most ? step : most;
        }
    if (c->block)
        snprintf(text, COMPARISON_CALL_SIZE, "calls of %zu document%s", c->block,
                 c->block == 1 ? "" : "s");
    else if (least >= most)
        snprintf(text, COMPARISON_CALL_SIZE, "calls of one step (%zu document%s)", most,
                 most == 1 ? "" : "s");
    else
        snprintf(text, COMPARISON_CALL_SIZE, "calls of one step each (%zu to %zu documents)", least,
                 most);
}

const char *comparison_note(const struct comparison *c) {
    return c->inputs.documents >= MEMORISED_DOCUMENTS
               ? NULL
               : "branch predictors memorise so few documents, which flatters implementations that "
                 "branch; use at least 65536 (docs/floors.md)";
}

/* --- ending early ----------------------------------------------------------------------------- */

static bool is_same_variant(const struct row *a, const struct row *b) {
    return strcmp(a->impl, b->impl) == 0 && strcmp(a->params, b->params) == 0;
}

/* Each look errs in at most 1 of 1,000 cases, so all looks together hardly add to the 5 % of the
 * intervals. */
static bool differs_clearly(const struct row *row, const struct row *first, double noise_floor) {
    const double margin = fmax(0.1, noise_floor), confidence = 0.999;
    return placements_ratio_is_beyond(row_placed_samples(row), row_placed_samples(first), margin,
                                      confidence);
}

bool comparison_is_settled(const struct row *rows, size_t count) {
    double noise_floor = 0;
    if (count < 2 || rows[0].status != ROW_OK ||
        rows[0].samples.count < (size_t)4 * rows[0].samples.rounds)
        return false;
    for (size_t i = 1; i < count; i++)
        if (rows[i].status == ROW_OK && is_same_variant(&rows[i], &rows[0]))
            noise_floor = verdict_noise_floor(row_paired_ratio(&rows[i], &rows[0]).interval);
    for (size_t i = 1; i < count; i++)
        if (rows[i].status == ROW_OK && !is_same_variant(&rows[i], &rows[0]) &&
            !differs_clearly(&rows[i], &rows[0], noise_floor))
            return false;
    return true;
}
