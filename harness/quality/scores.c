#include "harness/quality/scores.h"

#include "base/files/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "harness/caches/predict.h"
#include "impls/scoring.h"
#include "impls/variant.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void scores_free(struct scores *scores) {
    free(scores->values);
    *scores = (struct scores){0};
}

/* --- from a scorer ---------------------------------------------------------------------------- */

/* Writes which implementation scored and what it chose, for example "auto: planes-avx512 for 512
 * documents a call; qs for the last 3; by default costs". */
static void describe(const struct scorer *scorer, const char *spec, size_t n_docs, size_t block,
                     struct scores *scores) {
    int size = snprintf(scores->by, sizeof scores->by, "%s", spec);
    if (!scorer->impl->describe)
        return;
    size += snprintf(scores->by + size, sizeof scores->by - (size_t)size, ": ");
    scorer->impl->describe(scorer, n_docs, block, scores->by + size,
                           sizeof scores->by - (size_t)size);
}

/* Sets the order and the blocks. */
static enum status plan_blocks(const struct scorer *scorer, const struct variant *variant,
                               const struct matrix *documents, struct plan *plan,
                               struct error *error) {
    if (variant->order.is_given)
        return order_choice_plan(&variant->order, scorer, documents, plan, error);
    if (!plan->doc_block)
        plan->doc_block = order_usual_block(scorer);
    return STATUS_OK;
}

static enum status run(const struct scorer *scorer, const char *spec,
                       const struct ensemble *ensemble, const struct plan *plan,
                       const struct matrix *documents, struct scores *scores, struct error *error) {
    size_t bytes, n_rows = documents->n_rows;
    *scores = (struct scores){.n_outputs = ensemble->n_outputs};
    if (memory_multiply(n_rows, ensemble->n_outputs * sizeof *scores->values, &bytes))
        scores->values = memory_aligned_alloc(bytes);
    if (!scores->values)
        return error_memory(error, "scores");
    enum status status = scoring_run(scorer, ensemble, plan, documents, scores->values, error);
    if (status)
        scores_free(scores);
    else
        describe(scorer, spec, n_rows, order_documents_of_score(plan, scorer, n_rows), scores);
    return status;
}

/* Warns if threads share the trees and there are fewer units of trees than threads. If `auto` uses
 * several implementations, it has only one unit, because they divide the trees differently. */
static void tell_of_idle_threads(const struct scorer *scorer, const struct plan *plan,
                                 note_function *note) {
    if (plan->parallel == PARALLEL_TREES && scorer->n_units < plan->threads)
        note_tell(note,
                  "%s splits the trees into %zu unit%s for %u threads, so some threads are idle. "
                  "Use another --impl or --parallel documents",
                  scorer->impl->name, scorer->n_units, scorer->n_units == 1 ? "" : "s",
                  plan->threads);
}

enum status scores_make(const struct ensemble *ensemble, const char *spec, const struct plan *plan,
                        const struct matrix *documents, note_function *note, struct scores *scores,
                        struct error *error) {
    struct scorer *scorer;
    struct variant variant;
    struct plan blocks = *plan;
    enum status status = variant_parse(spec, &variant, error);
    if (!status)
        status = scorer_build(variant.spec, ensemble, &scorer, error);
    if (status)
        return status;
    if (scorer->note)
        note_tell(note, "%s", scorer->note);
    tell_of_idle_threads(scorer, plan, note);
    status = plan_blocks(scorer, &variant, documents, &blocks, error);
    if (!status)
        status = run(scorer, spec, ensemble, &blocks, documents, scores, error);
    scorer_destroy(scorer);
    return status;
}

/* --- from a file ------------------------------------------------------------------------------ */

struct score_lines {
    const char *path, *at, *end;
    size_t line; /* from 1 */
};

static uint32_t count_columns(const char *at, const char *end) {
    uint32_t columns = 1;
    while (at < end && *at != '\n')
        columns += *at++ == '\t';
    return columns;
}

/* Reads a line of n numbers. */
static enum status read_line(struct score_lines *lines, double *values, uint32_t n,
                             struct error *error) {
    for (uint32_t i = 0; i < n; i++) {
        const char *behind = number_parse_double(lines->at, lines->end, &values[i]);
        char wanted = i + 1 < n ? '\t' : '\n';
        bool last = behind == lines->end && wanted == '\n'; /* the last newline may be missing */
        if (!behind || !(last || (behind < lines->end && *behind == wanted)))
            return n == 1 ? error_set(
                                error, STATUS_INPUT,
                                "%s:%zu: expected one number, a score as treebench score writes it",
                                lines->path, lines->line)
                          : error_set(error, STATUS_INPUT,
                                      "%s:%zu: expected %" PRIu32
                                      " scores separated by tabs, the number on the first line",
                                      lines->path, lines->line, n);
        lines->at = behind + !last;
    }
    lines->line++;
    return STATUS_OK;
}

static enum status read_lines(struct score_lines *lines, size_t n_rows, const struct scores *scores,
                              struct error *error) {
    for (size_t row = 0; row < n_rows; row++) {
        if (lines->at == lines->end)
            return error_set(error, STATUS_INPUT,
                             "%s: the file has %zu scores, but there are %zu documents",
                             lines->path, row, n_rows);
        enum status status =
            read_line(lines, scores->values + row * scores->n_outputs, scores->n_outputs, error);
        if (status)
            return status;
    }
    if (lines->at < lines->end)
        return error_set(error, STATUS_INPUT,
                         "%s:%zu: the file has more scores than there are documents (%zu)",
                         lines->path, lines->line, n_rows);
    return STATUS_OK;
}

static enum status parse(const char *path, const struct file_text *text, size_t n_rows,
                         struct scores *scores, struct error *error) {
    struct score_lines lines = {path, text->data, text->data + text->size, 1};
    struct scores made = {.n_outputs = count_columns(lines.at, lines.end)};
    size_t count, bytes;
    /* each score takes at least two bytes of the file: a digit and a separator */
    if (!memory_multiply(n_rows, made.n_outputs, &count) || count > text->size / 2 + 1)
        return error_set(error, STATUS_INPUT,
                         "%s: the file has fewer scores than there are documents (%zu)", path,
                         n_rows);
    if (!memory_multiply(count, sizeof *made.values, &bytes) ||
        !(made.values = memory_aligned_alloc(bytes)))
        return error_memory(error, "scores");
    enum status status = read_lines(&lines, n_rows, &made, error);
    if (status)
        scores_free(&made);
    else
        *scores = made;
    return status;
}

enum status scores_read(const char *path, size_t n_rows, struct scores *scores,
                        struct error *error) {
    struct file_text text;
    enum status status = file_read(path, &text, error);
    if (status)
        return status;
    status = parse(path, &text, n_rows, scores, error);
    file_text_free(&text);
    return status;
}
