#include "harness/tuning/tune.h"

#include "base/files/json.h"
#include "harness/measure/measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The report explains why tuning took long if it took more than this many times the requested
 * time. */
static const double overrun = 1.5;

const struct row *tune_best(const struct tune_result *result, const struct tune_batch *batch,
                            enum tune_state state) {
    const struct row *best = NULL;
    for (size_t i = 0; i < result->n_specs; i++) {
        const struct tune_entry *entry = &batch->entries[i];
        bool counts = entry->state == TUNE_SAMPLED || entry->state == state;
        if (counts && (!best || entry->row.median < best->median))
            best = &entry->row;
    }
    return best;
}

static bool is_stored(const struct tune_result *result) {
    return result->path[0] != '\0';
}

/* The sampled and the screened candidates in the order of by_time. */
struct ranking {
    const struct tune_entry *entries[TUNE_CANDIDATES_MAX];
    size_t count;
};

static int by_time(const void *a, const void *b) {
    const struct tune_entry *x = *(const struct tune_entry *const *)a;
    const struct tune_entry *y = *(const struct tune_entry *const *)b;
    /* sampled entries come first, because screened entries have too few rounds to win */
    if (x->state != y->state)
        return x->state == TUNE_SAMPLED ? -1 : 1;
    return (x->row.median > y->row.median) - (x->row.median < y->row.median);
}

static void rank(const struct tune_result *result, const struct tune_batch *batch,
                 struct ranking *ranking) {
    ranking->count = 0;
    for (size_t i = 0; i < result->n_specs; i++) {
        enum tune_state state = batch->entries[i].state;
        if (state == TUNE_SAMPLED || state == TUNE_SCREENED)
            ranking->entries[ranking->count++] = &batch->entries[i];
    }
    qsort(ranking->entries, ranking->count, sizeof *ranking->entries, by_time);
}

/* --- for people ------------------------------------------------------------------------------- */

static void print_entry(FILE *stream, const struct tune_batch *batch,
                        const struct tune_entry *entry, const struct row *best) {
    const struct row *row = &entry->row;
    fprintf(stream, "  %-18s %11.2f", row_variant(row).text, row->median);
    if (entry->state == TUNE_SCREENED) {
        fprintf(stream, "  screened: %8.2f times the best\n", row->median / batch->best_screened);
        return;
    }
    fprintf(stream, "  [%.2f, %.2f]", row->median_interval.low, row->median_interval.high);
    if (row != best) {
        struct ratio ratio = row_paired_ratio(row, best);
        fprintf(stream, "  %8.3f  [%.3f, %.3f]", ratio.value, ratio.interval.low,
                ratio.interval.high);
    }
    fprintf(stream, "\n");
}

static void print_batch(FILE *stream, const struct tune_result *result,
                        const struct tune_batch *batch) {
    struct ranking ranking;
    rank(result, batch, &ranking);
    const struct row *best = tune_best(result, batch, TUNE_SAMPLED);
    fprintf(stream, "\n%zu document%s a call: ns per document, ratio to the best\n", batch->docs,
            batch->docs == 1 ? "" : "s");
    for (size_t i = 0; i < ranking.count; i++)
        print_entry(stream, batch, ranking.entries[i], best);
}

/* Prints the candidates that were not built because the time ran out, on one line. */
static void print_late(FILE *stream, const struct tune_result *result, const char *heading) {
    const struct tune_batch *largest = &result->batches[result->n_batches - 1];
    size_t count = 0;
    for (size_t i = 0; i < result->n_specs; i++)
        if (strcmp(largest->entries[i].row.reason, MEASURE_NO_TIME) == 0)
            fprintf(stream, "%s%s",
                    count++      ? ", "
                    : heading[0] ? "\nnot measured:\n  "
                                 : "  ",
                    result->specs[i]);
    if (count)
        fprintf(stream, ": %s\n", MEASURE_NO_TIME);
}

/* Prints why candidates have no times. Looks only at the largest size, at which all candidates were
 * tried. */
static void print_refusals(FILE *stream, const struct tune_result *result) {
    const char *heading = "\nnot measured:\n";
    const struct tune_batch *largest = &result->batches[result->n_batches - 1];
    for (size_t i = 0; i < result->n_specs; i++) {
        const struct tune_entry *entry = &largest->entries[i];
        if (entry->state != TUNE_REFUSED || strcmp(entry->row.reason, MEASURE_NO_TIME) == 0)
            continue;
        fprintf(stream, "%s  %-18s %s\n", heading, result->specs[i], entry->row.reason);
        heading = "";
    }
    print_late(stream, result, heading);
}

static void print_rivals(FILE *stream, const struct tune_batch *batch) {
    const struct row *own = &batch->rivals[0];
    fprintf(stream, "  %6zu  %11.2f", batch->docs, own->median);
    for (size_t i = 1; i < batch->n_rivals; i++) {
        const struct row *rival = &batch->rivals[i];
        const struct row_variant variant = row_variant(rival);
        if (own->status != ROW_OK || rival->status != ROW_OK) {
            fprintf(stream, "  %s: %s", variant.text, rival->reason);
            continue;
        }
        struct ratio ratio = row_paired_ratio(own, rival);
        if (i == 1)
            fprintf(stream, "  %.3f [%.3f, %.3f] of %s", ratio.value, ratio.interval.low,
                    ratio.interval.high, variant.text);
        else
            fprintf(stream, "; saves %.1f %% [%.1f, %.1f] of %s", 100 * (1 - ratio.value),
                    100 * (1 - ratio.interval.high), 100 * (1 - ratio.interval.low), variant.text);
    }
    fprintf(stream, "\n");
}

/* Prints what `auto` chooses for each measured size. */
static void print_choice(FILE *stream, const struct tune_result *result) {
    fprintf(stream, "\nauto, by the documents of a call:\n");
    for (size_t b = 0; b < result->n_batches; b++)
        if (result->batches[b].choice[0])
            fprintf(stream, "  %zu: %s\n", result->batches[b].docs, result->batches[b].choice);
    fprintf(stream,
            "  other sizes: as without tuning, unless these times prove another one faster. Add "
            "sizes by --batch\n");
}

/* Prints "calls of 1, 8 documents: TEXT". Prints nothing if there are no such sizes. */
static void print_sizes(FILE *stream, const struct tune_sizes *sizes, const char *text) {
    for (size_t i = 0; i < sizes->n; i++)
        fprintf(stream, "%s%zu", i ? ", " : "calls of ", sizes->docs[i]);
    if (sizes->n)
        fprintf(stream, " documents: %s\n", text);
}

/* Prints for which sizes an earlier run's times were kept, and what was not measured. */
static void print_remainders(FILE *stream, const struct tune_result *result) {
    struct tune_sizes kept = {.n = 0}, hurried = {.n = 0};
    for (size_t b = 0; b < result->n_batches; b++) {
        const struct tune_batch *batch = &result->batches[b];
        if (batch->kept_stored)
            tune_sizes_add(&kept, batch->docs);
        if (batch->hurried)
            tune_sizes_add(&hurried, batch->docs);
    }
    print_sizes(stream, &kept,
                "kept the times of an earlier run, which had better documents or more time "
                "(--fresh replaces them)");
    print_sizes(stream, &result->others, "kept the times of an earlier run");
    print_sizes(stream, &result->dropped, "removed the times of an earlier run to make room");
    print_sizes(stream, &result->request->too_large,
                "not measured, because their documents need too much memory");
    print_sizes(stream, &result->skipped,
                "not measured, because there was no time. Increase --seconds");
    print_sizes(stream, &hurried,
                "libraries were not measured, because there was no time. Increase --seconds");
    if (result->seconds > overrun * result->request->seconds)
        fprintf(
            stream,
            "took %.0f s instead of %.0f s, because what is measured is built, checked and timed "
            "at least once\n",
            result->seconds, result->request->seconds);
}

static void print_stored(FILE *stream, const struct tune_result *result) {
    fputc('\n', stream);
    if (is_stored(result))
        print_line(stream, "stored for auto in %s", result->path);
    else if (result->not_stored.text[0])
        print_line(stream, "nothing stored: %s", result->not_stored.text);
    else
        print_line(stream,
                   "nothing stored: auto uses times of one thread, and these are of %u threads",
                   result->request->threads);
}

void tune_print(FILE *stream, const struct tune_result *result) {
    for (size_t b = 0; b < result->n_batches; b++)
        print_batch(stream, result, &result->batches[b]);
    print_refusals(stream, result);
    fprintf(stream, "\nmeasured together: auto in ns per document, its ratio to the best above, "
                    "what it saves\n");
    for (size_t b = 0; b < result->n_batches; b++)
        print_rivals(stream, &result->batches[b]);
    if (is_stored(result))
        print_choice(stream, result);
    print_stored(stream, result);
    print_remainders(stream, result);
}

/* --- for programs ----------------------------------------------------------------------------- */

static cJSON *row_object(const struct row *row) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "impl", row_variant(row).text);
    if (row->status != ROW_OK) {
        cJSON_AddStringToObject(object, "reason", row->reason);
        return object;
    }
    cJSON_AddNumberToObject(object, "rounds", (double)row->samples.count);
    cJSON_AddNumberToObject(object, "ns_per_document", row->median);
    cJSON_AddNumberToObject(object, "low", row->median_interval.low);
    cJSON_AddNumberToObject(object, "high", row->median_interval.high);
    return object;
}

static void add_ratio(cJSON *object, const char *name, struct ratio ratio) {
    cJSON *added = cJSON_AddObjectToObject(object, name);
    cJSON_AddNumberToObject(added, "value", ratio.value);
    cJSON_AddNumberToObject(added, "low", ratio.interval.low);
    cJSON_AddNumberToObject(added, "high", ratio.interval.high);
}

static void add_ranking(cJSON *object, const struct tune_result *result,
                        const struct tune_batch *batch) {
    struct ranking ranking;
    const struct row *best = tune_best(result, batch, TUNE_SAMPLED);
    cJSON *list = cJSON_AddArrayToObject(object, "ranking");
    rank(result, batch, &ranking);
    for (size_t i = 0; i < ranking.count; i++) {
        cJSON *item = row_object(&ranking.entries[i]->row);
        if (ranking.entries[i]->state == TUNE_SAMPLED)
            add_ratio(item, "ratio_to_best", row_paired_ratio(&ranking.entries[i]->row, best));
        cJSON_AddItemToArray(list, item);
    }
}

static void add_rivals(cJSON *object, const struct tune_batch *batch) {
    const struct row *own = &batch->rivals[0];
    cJSON_AddItemToObject(object, "auto", row_object(own));
    cJSON *list = cJSON_AddArrayToObject(object, "auto_against");
    for (size_t i = 1; i < batch->n_rivals; i++) {
        cJSON *item = row_object(&batch->rivals[i]);
        if (own->status == ROW_OK && batch->rivals[i].status == ROW_OK)
            add_ratio(item, "ratio_of_auto", row_paired_ratio(own, &batch->rivals[i]));
        cJSON_AddItemToArray(list, item);
    }
}

cJSON *tune_to_json(const struct tune_result *result) {
    errno = 0;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "clock", result->clock);
    cJSON_AddNumberToObject(root, "documents", (double)result->n_docs);
    cJSON_AddStringToObject(root, "source", auto_source_names[result->request->source]);
    cJSON *list = cJSON_AddArrayToObject(root, "batches");
    for (size_t b = 0; b < result->n_batches; b++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddNumberToObject(object, "documents_per_call", (double)result->batches[b].docs);
        add_ranking(object, result, &result->batches[b]);
        add_rivals(object, &result->batches[b]);
        if (is_stored(result) && result->batches[b].choice[0])
            cJSON_AddStringToObject(object, "choice", result->batches[b].choice);
        cJSON_AddBoolToObject(object, "stored_times_stay", result->batches[b].kept_stored);
        cJSON_AddItemToArray(list, object);
    }
    if (is_stored(result))
        cJSON_AddStringToObject(root, "stored", result->path);
    else
        cJSON_AddNullToObject(root, "stored");
    if (result->not_stored.text[0])
        cJSON_AddStringToObject(root, "not_stored", result->not_stored.text);
    cJSON_AddNumberToObject(root, "seconds", result->seconds);
    return json_if_whole(root);
}
