#include "harness/tuning/tune.h"

#include "impls/auto/auto_store.h"

#include <stdlib.h>

/* The result of this run, the stored times of earlier runs, and the merged times to store. */
struct merge {
    struct tune_result *result;
    double seconds; /* time that this run spent on each size */
    struct auto_times stored, merged;
};

static struct tune_batch *find_batch(struct tune_result *result, size_t docs) {
    for (size_t b = 0; b < result->n_batches; b++)
        if (result->batches[b].docs == docs)
            return &result->batches[b];
    return NULL;
}

/* Returns true if the stored times of a size are better than this run's times. Better documents
 * decide, then more time. */
static bool is_better(const struct merge *merge, const struct auto_size *stored) {
    enum auto_source source = merge->result->request->source;
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

/* Adds the times of one size. Leaves out screened times, because they have too few rounds to be
 * compared with sampled ones. */
static void add_measured(struct merge *merge, const struct tune_batch *batch) {
    struct auto_size *size = auto_times_add(&merge->merged, batch->docs);
    if (!size)
        return;
    size->seconds = merge->seconds;
    size->source = merge->result->request->source;
    for (size_t i = 0; i < merge->result->n_specs; i++) {
        const struct tune_entry *entry = &batch->entries[i];
        size_t spec = entry->state == TUNE_SAMPLED
                          ? auto_times_spec(&merge->merged, merge->result->specs[i])
                          : AUTO_SPECS_MAX;
        if (spec < AUTO_SPECS_MAX)
            size->ns[spec] = entry->row.median * (double)batch->docs;
    }
}

/* Merges the sizes of this run before all others, so that there is always room for them. */
static void merge_sizes(struct merge *merge) {
    struct tune_result *result = merge->result;
    for (size_t i = 0; i < merge->stored.n_sizes; i++) {
        struct tune_batch *batch = find_batch(result, merge->stored.sizes[i].docs);
        if (batch && is_better(merge, &merge->stored.sizes[i])) {
            batch->kept_stored = true;
            copy_stored(merge, &merge->stored.sizes[i]);
        }
    }
    for (size_t b = 0; b < result->n_batches; b++)
        if (!result->batches[b].kept_stored)
            add_measured(merge, &result->batches[b]);
    for (size_t i = 0; i < merge->stored.n_sizes; i++) {
        size_t docs = merge->stored.sizes[i].docs;
        if (find_batch(result, docs))
            continue;
        if (merge->merged.n_sizes < AUTO_SIZES_MAX)
            tune_sizes_add(&result->others, docs);
        else
            tune_sizes_add(&result->dropped, docs);
        copy_stored(merge, &merge->stored.sizes[i]);
    }
}

enum status tune_store(struct tune_result *result, struct error *error) {
    const struct tune_request *request = result->request;
    struct merge *merge = calloc(1, sizeof *merge);
    bool found = false;
    if (!merge)
        return error_memory(error, "times");
    merge->result = result;
    merge->seconds = request->seconds / (double)request->n_batches;
    /* Without --fresh, a file that cannot be read counts as empty and is overwritten. */
    if (request->fresh ||
        auto_store_read(request->ensemble, &merge->stored, &found, NULL) != STATUS_OK)
        merge->stored.n_specs = merge->stored.n_sizes = 0;
    merge_sizes(merge);
    enum status status = auto_store_write(request->ensemble, &merge->merged, &result->not_stored);
    free(merge);
    return status ? STATUS_OK : auto_store_path(request->ensemble, result->path, error);
}
