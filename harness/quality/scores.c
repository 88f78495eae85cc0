#include "harness/quality/scores.h"

#include "base/files/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "harness/blocking/choice.h"
#include "impls/runner.h"
#include "impls/variant.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* documents per block; a block stays in the cache while all trees score it */
    BLOCK_ROWS = 256,
    /* Number of partial sums per thread if threads share the trees. It is large so that threads
     * rarely wait for each other. */
    PARTIAL_SCORES = 64 * 1024
};

void scores_free(struct scores *scores) {
    free(scores->values);
    *scores = (struct scores){0};
}

/* --- from a scorer ---------------------------------------------------------------------------- */

static double *start_from_base(const struct ensemble *ensemble, size_t n_rows) {
    uint32_t n_outputs = ensemble->n_outputs;
    size_t bytes;
    if (!memory_multiply(n_rows, n_outputs * sizeof(double), &bytes))
        return NULL;
    double *values = memory_aligned_alloc(bytes);
    for (size_t row = 0; values && row < n_rows; row++)
        memcpy(values + row * n_outputs, ensemble->base, n_outputs * sizeof *values);
    return values;
}

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

/* Fails if a library or a device has failed. Scorers return no status, so one that fails sets its
 * scores to NaN. */
static enum status check_scores(const struct scorer *scorer, const struct scores *scores,
                                size_t n_rows, struct error *error) {
    const char *failure = scorer->impl->failure ? scorer->impl->failure(scorer) : NULL;
    if (failure)
        return error_set(error, STATUS_MACHINE, "%s", failure);
    for (size_t i = 0; scorer->impl->kind == IMPL_LIBRARY && i < n_rows * scores->n_outputs; i++)
        if (isnan(scores->values[i]))
            return error_set(error, STATUS_MEMORY, "%s: the library failed or ran out of memory",
                             scorer->impl->name);
    return STATUS_OK;
}

/* Sets the order and the blocks of documents. A variant without an order has blocks of documents
 * that stay in a cache. If units are trees, their size is chosen for these trees and documents. */
static enum status plan_blocks(const struct scorer *scorer, const struct variant *variant,
                               const struct ensemble *ensemble, const struct matrix *documents,
                               struct plan *plan, struct error *error) {
    const struct order_choice dsd = {.is_given = true, .order = ORDER_DSD};
    struct plan chosen = *plan;
    if (variant->order.is_given)
        return order_choice_plan(&variant->order, scorer, documents, plan, error);
    /* devices get all documents at once */
    if (plan->doc_block || scorer->impl->kind == IMPL_DEVICE)
        return STATUS_OK;
    plan->doc_block = scorer->lanes > BLOCK_ROWS ? scorer->lanes : BLOCK_ROWS;
    if (scorer->n_units == ensemble->n_trees && scorer->n_units > 1 && !scorer->impl->describe &&
        order_choice_plan(&dsd, scorer, documents, &chosen, NULL) == STATUS_OK)
        plan->doc_block = chosen.doc_block;
    return STATUS_OK;
}

static enum status run(const struct scorer *scorer, const char *spec,
                       const struct ensemble *ensemble, const struct plan *plan,
                       const struct matrix *documents, struct scores *scores, struct error *error) {
    struct runner *runner;
    size_t n_rows = documents->n_rows;
    if (scorer->impl->kind == IMPL_BASELINE)
        return error_set(error, STATUS_INPUT,
                         "--impl: %s is a baseline for timing and computes no scores",
                         scorer->impl->name);
    enum status status =
        runner_create(scorer, plan, PARTIAL_SCORES / scorer->n_outputs, &runner, error);
    if (status)
        return status;
    status = runner_prepare(runner, documents->values, documents->stride, n_rows, error);
    if (status) {
        runner_destroy(runner);
        return status;
    }
    double *values = start_from_base(ensemble, n_rows);
    if (values) {
        runner_run(runner, documents->values, documents->stride, n_rows, values);
        *scores = (struct scores){.values = values, .n_outputs = ensemble->n_outputs};
        describe(scorer, spec, n_rows, order_documents_of_score(plan, scorer, n_rows), scores);
    }
    runner_destroy(runner);
    if (!values)
        return error_memory(error, "scores");
    status = check_scores(scorer, scores, n_rows, error);
    if (status)
        scores_free(scores);
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
    status = plan_blocks(scorer, &variant, ensemble, documents, &blocks, error);
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
