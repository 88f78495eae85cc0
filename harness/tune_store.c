#include "harness/tune_store.h"

#include "impls/impl.h"

#include <stdlib.h>
#include <string.h>

/* Which times the new table is of: the new ones, and what stays of the stored. */
struct merge {
    struct tuned *tuned;
    double seconds; /* of the new */
    struct auto_table stored;
};

static struct tune_batch *find_batch(struct tuned *tuned, size_t docs) {
    for (size_t b = 0; b < tuned->n_batches; b++)
        if (tuned->batches[b].docs == docs)
            return &tuned->batches[b];
    return NULL;
}

static void add_other(struct tuned *tuned, size_t docs) {
    for (size_t i = 0; i < tuned->n_others; i++)
        if (tuned->others[i] == docs)
            return;
    if (tuned->n_batches + tuned->n_others < TUNE_BATCHES_MAX)
        tuned->others[tuned->n_others++] = docs;
}

/* Marks the sizes of which the stored times stay. */
static void choose(struct merge *merge) {
    for (size_t i = 0; i < merge->stored.count; i++)
        for (unsigned p = 0; p < merge->stored.costs[i].n_points; p++) {
            const struct auto_point *point = &merge->stored.costs[i].points[p];
            struct tune_batch *batch = find_batch(merge->tuned, point->docs);
            if (!batch)
                add_other(merge->tuned, point->docs);
            else if (point->seconds > merge->seconds)
                batch->kept_stored = true;
        }
}

static bool stays(const struct merge *merge, size_t docs) {
    const struct tune_batch *batch = find_batch(merge->tuned, docs);
    if (batch)
        return batch->kept_stored;
    for (size_t i = 0; i < merge->tuned->n_others; i++)
        if (merge->tuned->others[i] == docs)
            return true;
    return false;
}

/* --- the samples of one implementation -------------------------------------------------------- */

struct samples {
    struct auto_sample list[TUNE_BATCHES_MAX];
    size_t count;
    unsigned lanes;
};

static void add_stored(const struct merge *merge, const char *spec, struct samples *samples) {
    for (size_t i = 0; i < merge->stored.count; i++) {
        const struct auto_cost *cost = &merge->stored.costs[i];
        for (unsigned p = 0; p < cost->n_points; p++) {
            size_t docs = cost->points[p].docs;
            if (strcmp(merge->stored.specs[i], spec) != 0 || !stays(merge, docs))
                continue;
            samples->list[samples->count++] =
                (struct auto_sample){docs, auto_cost_of(cost, docs), cost->points[p].seconds};
            samples->lanes = cost->lanes;
        }
    }
}

/* The machine is slower now and then, for seconds: of two medians at different times, the least is
 * what can be compared with other sizes. */
static void add_measured(const struct merge *merge, size_t candidate, struct samples *samples) {
    for (size_t b = 0; b < merge->tuned->n_batches; b++) {
        const struct tune_batch *batch = &merge->tuned->batches[b];
        const struct tune_entry *entry = &batch->entries[candidate];
        if (batch->kept_stored || (entry->state != TUNE_SCREENED && entry->state != TUNE_SAMPLED))
            continue;
        samples->list[samples->count++] =
            (struct auto_sample){batch->docs, entry->least * (double)batch->docs, merge->seconds};
        samples->lanes = entry->row.lanes;
    }
}

static int by_docs(const void *a, const void *b) {
    size_t x = ((const struct auto_sample *)a)->docs, y = ((const struct auto_sample *)b)->docs;
    return (x > y) - (x < y);
}

static void fit(struct auto_table *table, const char *spec, struct samples *samples) {
    if (samples->count == 0)
        return;
    qsort(samples->list, samples->count, sizeof *samples->list, by_docs);
    struct auto_cost cost = auto_cost_fit(samples->lanes, samples->list, samples->count);
    for (size_t i = 0; i < samples->count; i++)
        auto_cost_add_point(&cost, &samples->list[i]);
    auto_table_add(table, spec, &cost);
}

/* --- all of them ------------------------------------------------------------------------------ */

static bool is_candidate(const struct tuned *tuned, const char *spec) {
    for (size_t i = 0; i < tuned->n_specs; i++)
        if (strcmp(tuned->specs[i], spec) == 0)
            return true;
    return false;
}

static void fill_table(struct merge *merge) {
    struct tuned *tuned = merge->tuned;
    for (size_t i = 0; i < tuned->n_specs; i++) {
        struct samples samples = {.count = 0};
        add_stored(merge, tuned->specs[i], &samples);
        add_measured(merge, i, &samples);
        fit(&tuned->table, tuned->specs[i], &samples);
    }
    for (size_t i = 0; i < merge->stored.count; i++) {
        struct samples samples = {.count = 0};
        if (is_candidate(tuned, merge->stored.specs[i])) /* was above */
            continue;
        add_stored(merge, merge->stored.specs[i], &samples);
        fit(&tuned->table, merge->stored.specs[i], &samples);
    }
}

enum status tune_store(const struct ensemble *ensemble, double seconds, struct tuned *tuned,
                       struct error *error) {
    struct merge *merge = calloc(1, sizeof *merge);
    bool found;
    if (!merge)
        return error_memory(error, "costs");
    merge->tuned = tuned;
    merge->seconds = seconds;
    /* What cannot be read is written over. */
    if (auto_store_read(ensemble, &merge->stored, &found, NULL) || !found)
        merge->stored.count = 0;
    choose(merge);
    fill_table(merge);
    free(merge);
    enum status status = auto_store_write(ensemble, &tuned->table, error);
    return status ? status : auto_store_path(ensemble, tuned->path, error);
}
