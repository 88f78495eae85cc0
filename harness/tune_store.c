#include "harness/tune_store.h"

#include "impls/auto_store.h"

#include <stdlib.h>
#include <string.h>

/* The new times, and those that are stored. */
struct merge {
    struct tuned *tuned;
    double seconds; /* of each new size */
    struct auto_times stored, merged;
};

static struct tune_batch *find_batch(struct tuned *tuned, size_t docs) {
    for (size_t b = 0; b < tuned->n_batches; b++)
        if (tuned->batches[b].docs == docs)
            return &tuned->batches[b];
    return NULL;
}

/* Do the stored times of a size tell more than the new ones? */
static bool tells_more(const struct merge *merge, const struct auto_size *stored) {
    enum auto_source source = merge->tuned->source;
    return stored->source > source ||
           (stored->source == source && stored->seconds > merge->seconds);
}

static void copy_stored(struct merge *merge, const struct auto_size *stored) {
    struct auto_size *size = auto_times_add(&merge->merged, stored->docs);
    if (!size)
        return;
    size->seconds = stored->seconds;
    size->source = stored->source;
    for (size_t i = 0; i < merge->stored.n_specs; i++) {
        size_t spec = stored->ns[i] > 0 ? auto_times_spec(&merge->merged, merge->stored.specs[i])
                                        : AUTO_SPECS_MAX;
        if (spec < AUTO_SPECS_MAX)
            size->ns[spec] = stored->ns[i];
    }
}

/* Three rounds of screening do not rank beside five or more. */
static void add_measured(struct merge *merge, const struct tune_batch *batch) {
    struct auto_size *size = auto_times_add(&merge->merged, batch->docs);
    if (!size)
        return;
    size->seconds = merge->seconds;
    size->source = merge->tuned->source;
    for (size_t i = 0; i < merge->tuned->n_specs; i++) {
        const struct tune_entry *entry = &batch->entries[i];
        size_t spec = entry->state == TUNE_SAMPLED
                          ? auto_times_spec(&merge->merged, merge->tuned->specs[i])
                          : AUTO_SPECS_MAX;
        if (spec < AUTO_SPECS_MAX)
            size->ns[spec] = entry->row.median * (double)batch->docs;
    }
}

/* Sizes of this run first: there is room for them in any case. */
static void merge_sizes(struct merge *merge) {
    struct tuned *tuned = merge->tuned;
    for (size_t i = 0; i < merge->stored.n_sizes; i++) {
        struct tune_batch *batch = find_batch(tuned, merge->stored.sizes[i].docs);
        if (batch && tells_more(merge, &merge->stored.sizes[i])) {
            batch->kept_stored = true;
            copy_stored(merge, &merge->stored.sizes[i]);
        }
    }
    for (size_t b = 0; b < tuned->n_batches; b++)
        if (!tuned->batches[b].kept_stored)
            add_measured(merge, &tuned->batches[b]);
    for (size_t i = 0; i < merge->stored.n_sizes; i++) {
        size_t docs = merge->stored.sizes[i].docs;
        if (find_batch(tuned, docs))
            continue;
        if (merge->merged.n_sizes < AUTO_SIZES_MAX)
            tuned->others[tuned->n_others++] = docs;
        else
            tuned->dropped[tuned->n_dropped++] = docs;
        copy_stored(merge, &merge->stored.sizes[i]);
    }
}

enum status tune_store(const struct tuning *tuning, struct tuned *tuned, struct error *error) {
    struct merge *merge = calloc(1, sizeof *merge);
    bool found = false;
    if (!merge)
        return error_memory(error, "times");
    merge->tuned = tuned;
    merge->seconds = tuning->seconds / (double)tuning->n_batches;
    /* What cannot be read is written over. */
    if (tuning->fresh || auto_store_read(tuning->ensemble, &merge->stored, &found, NULL))
        merge->stored.n_specs = merge->stored.n_sizes = 0;
    merge_sizes(merge);
    enum status status = auto_store_write(tuning->ensemble, &merge->merged, &tuned->not_stored);
    free(merge);
    return status ? STATUS_OK : auto_store_path(tuning->ensemble, tuned->path, error);
}
