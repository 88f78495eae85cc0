#include "harness/tuning/tune_result.h"

#include <stdlib.h>

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

void tune_result_free(struct tune_result *result) {
    if (!result)
        return;
    for (size_t b = 0; b < result->n_batches; b++) {
        for (size_t i = 0; i < result->n_specs; i++)
            row_free(&result->batches[b].entries[i].row);
        for (size_t i = 0; i < result->batches[b].n_rivals; i++)
            row_free(&result->batches[b].rivals[i]);
    }
    free(result);
}
