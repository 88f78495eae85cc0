#include "harness/tune_report.h"

#include "base/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIANT_SIZE = 2 * ROW_NAME_SIZE };
/* Times what was asked: said. */
static const double overrun = 1.5;

static bool is_stored(const struct tuned *tuned) {
    return tuned->path[0] != '\0';
}

static struct ratio ratio_of(const struct row *numerator, const struct row *denominator) {
    size_t count = numerator->samples.count < denominator->samples.count
                       ? numerator->samples.count
                       : denominator->samples.count;
    return stats_paired_ratio(row_reported_samples(numerator), row_reported_samples(denominator),
                              count, 1);
}

/* The candidates that were sampled or screened, the fastest first. */
struct ranking {
    const struct tune_entry *entries[TUNE_CANDIDATES_MAX];
    size_t count;
};

static int by_time(const void *a, const void *b) {
    const struct tune_entry *x = *(const struct tune_entry *const *)a;
    const struct tune_entry *y = *(const struct tune_entry *const *)b;
    if (x->state != y->state) /* three rounds do not rank before five */
        return x->state == TUNE_SAMPLED ? -1 : 1;
    return (x->row.median > y->row.median) - (x->row.median < y->row.median);
}

static void rank(const struct tuned *tuned, const struct tune_batch *batch,
                 struct ranking *ranking) {
    ranking->count = 0;
    for (size_t i = 0; i < tuned->n_specs; i++) {
        enum tune_state state = batch->entries[i].state;
        if (state == TUNE_SAMPLED || state == TUNE_SCREENED)
            ranking->entries[ranking->count++] = &batch->entries[i];
    }
    qsort(ranking->entries, ranking->count, sizeof *ranking->entries, by_time);
}

/* --- for people ------------------------------------------------------------------------------- */

static void print_entry(const struct tune_batch *batch, const struct tune_entry *entry,
                        const struct row *best) {
    char variant[VARIANT_SIZE];
    const struct row *row = &entry->row;
    row_variant(row, variant, sizeof variant);
    printf("  %-18s %11.2f", variant, row->median);
    if (entry->state == TUNE_SCREENED) {
        printf("  screened: %8.2f times the best\n", row->median / batch->best_screened);
        return;
    }
    printf("  [%.2f, %.2f]", row->median_interval.low, row->median_interval.high);
    if (row != best) {
        struct ratio ratio = ratio_of(row, best);
        printf("  %8.3f  [%.3f, %.3f]", ratio.value, ratio.interval.low, ratio.interval.high);
    }
    printf("\n");
}

static void print_batch(const struct tuned *tuned, const struct tune_batch *batch) {
    struct ranking ranking;
    rank(tuned, batch, &ranking);
    const struct row *best = tune_best(tuned, batch);
    printf("\n%zu document%s a call: ns per document, ratio to the best\n", batch->docs,
           batch->docs == 1 ? "" : "s");
    for (size_t i = 0; i < ranking.count; i++)
        print_entry(batch, ranking.entries[i], best);
}

/* Why candidates have no times. All of them were tried at the largest size. */
static void print_refusals(const struct tuned *tuned) {
    const char *heading = "\nnot measured:\n";
    const struct tune_batch *largest = &tuned->batches[tuned->n_batches - 1];
    for (size_t i = 0; i < tuned->n_specs; i++) {
        const struct tune_entry *entry = &largest->entries[i];
        if (entry->state != TUNE_REFUSED)
            continue;
        printf("%s  %-18s %s\n", heading, tuned->specs[i], entry->row.reason);
        heading = "";
    }
}

static void print_rivals(const struct tune_batch *batch) {
    const struct row *own = &batch->rivals[0];
    printf("  %6zu  %11.2f", batch->docs, own->median);
    for (size_t i = 1; i < batch->n_rivals; i++) {
        const struct row *rival = &batch->rivals[i];
        char variant[VARIANT_SIZE];
        row_variant(rival, variant, sizeof variant);
        if (own->status != ROW_OK || rival->status != ROW_OK) {
            printf("  %s: %s", variant, rival->reason);
            continue;
        }
        struct ratio ratio = ratio_of(own, rival);
        if (i == 1)
            printf("  %.3f [%.3f, %.3f] of %s", ratio.value, ratio.interval.low,
                   ratio.interval.high, variant);
        else
            printf("; saves %.1f %% [%.1f, %.1f] of %s", 100 * (1 - ratio.value),
                   100 * (1 - ratio.interval.high), 100 * (1 - ratio.interval.low), variant);
    }
    printf("\n");
}

/* Which implementation scores calls of the measured sizes. */
static void print_choice(const struct tuned *tuned) {
    printf("\nauto, by the documents of a call:\n");
    for (size_t b = 0; b < tuned->n_batches; b++)
        if (tuned->batches[b].choice[0])
            printf("  %zu: %s\n", tuned->batches[b].docs, tuned->batches[b].choice);
    printf("  other sizes: as without tuning, unless these times prove another faster; name them "
           "in --batch\n");
}

/* "calls of 1, 8 documents: TEXT", of the sizes for which it holds. */
static void print_sizes(const size_t *docs, size_t count, const char *text) {
    for (size_t i = 0; i < count; i++)
        printf("%s%zu", i ? ", " : "calls of ", docs[i]);
    if (count)
        printf(" documents: %s\n", text);
}

/* What stays of earlier runs, and what there was no time for. */
static void print_remainders(const struct tuned *tuned) {
    size_t kept[TUNE_BATCHES_MAX], n_kept = 0;
    for (size_t b = 0; b < tuned->n_batches; b++)
        if (tuned->batches[b].kept_stored)
            kept[n_kept++] = tuned->batches[b].docs;
    print_sizes(kept, n_kept,
                "the times of an earlier run, on better documents or with more time, stay (--fresh "
                "replaces them)");
    print_sizes(tuned->others, tuned->n_others, "the times of an earlier run stay");
    print_sizes(tuned->dropped, tuned->n_dropped,
                "the times of an earlier run were removed, to make room for those of this one");
    print_sizes(tuned->too_large, tuned->n_too_large,
                "not measured, because their documents would take too much memory");
    print_sizes(tuned->skipped, tuned->n_skipped,
                "not measured, for want of time: --seconds gives more");
    if (tuned->hurried)
        printf("libraries were left out, for want of time: --seconds gives more\n");
    if (tuned->seconds > overrun * tuned->asked_seconds)
        printf(
            "took %.0f s instead of %.0f: each implementation is built, checked and timed once in "
            "any case\n",
            tuned->seconds, tuned->asked_seconds);
}

static void print_stored(const struct tuned *tuned) {
    if (is_stored(tuned))
        printf("\nstored for auto in %s\n", tuned->path);
    else if (tuned->not_stored.text[0])
        printf("\nnothing stored: %s\n", tuned->not_stored.text);
    else
        printf("\nnothing stored: auto chooses by times of one thread, and these are of %u\n",
               tuned->threads);
}

void tune_print(const struct tuned *tuned) {
    for (size_t b = 0; b < tuned->n_batches; b++)
        print_batch(tuned, &tuned->batches[b]);
    print_refusals(tuned);
    printf(
        "\nmeasured together: auto, ns per document; its ratio to the best of the above; what it "
        "saves\n");
    for (size_t b = 0; b < tuned->n_batches; b++)
        print_rivals(&tuned->batches[b]);
    if (is_stored(tuned))
        print_choice(tuned);
    print_stored(tuned);
    print_remainders(tuned);
}

/* --- for programs ----------------------------------------------------------------------------- */

static cJSON *row_object(const struct row *row) {
    char variant[VARIANT_SIZE];
    cJSON *object = cJSON_CreateObject();
    row_variant(row, variant, sizeof variant);
    cJSON_AddStringToObject(object, "impl", variant);
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

static void add_ranking(cJSON *object, const struct tuned *tuned, const struct tune_batch *batch) {
    struct ranking ranking;
    const struct row *best = tune_best(tuned, batch);
    cJSON *list = cJSON_AddArrayToObject(object, "ranking");
    rank(tuned, batch, &ranking);
    for (size_t i = 0; i < ranking.count; i++) {
        cJSON *item = row_object(&ranking.entries[i]->row);
        if (ranking.entries[i]->state == TUNE_SAMPLED)
            add_ratio(item, "ratio_to_best", ratio_of(&ranking.entries[i]->row, best));
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
            add_ratio(item, "ratio_of_auto", ratio_of(own, &batch->rivals[i]));
        cJSON_AddItemToArray(list, item);
    }
}

cJSON *tune_to_json(const struct tuned *tuned) {
    errno = 0;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "clock", tuned->clock);
    cJSON_AddNumberToObject(root, "documents", (double)tuned->n_docs);
    cJSON_AddStringToObject(root, "source", auto_source_names[tuned->source]);
    cJSON *list = cJSON_AddArrayToObject(root, "batches");
    for (size_t b = 0; b < tuned->n_batches; b++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddNumberToObject(object, "documents_per_call", (double)tuned->batches[b].docs);
        add_ranking(object, tuned, &tuned->batches[b]);
        add_rivals(object, &tuned->batches[b]);
        if (is_stored(tuned) && tuned->batches[b].choice[0])
            cJSON_AddStringToObject(object, "choice", tuned->batches[b].choice);
        cJSON_AddBoolToObject(object, "stored_times_stay", tuned->batches[b].kept_stored);
        cJSON_AddItemToArray(list, object);
    }
    if (is_stored(tuned))
        cJSON_AddStringToObject(root, "stored", tuned->path);
    else
        cJSON_AddNullToObject(root, "stored");
    if (tuned->not_stored.text[0])
        cJSON_AddStringToObject(root, "not_stored", tuned->not_stored.text);
    cJSON_AddNumberToObject(root, "seconds", tuned->seconds);
    return json_if_whole(root);
}
