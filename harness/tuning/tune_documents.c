#include "harness/tuning/tune.h"

#include "base/order.h"
#include "base/random.h"
#include "harness/measure/calls.h"
#include "harness/measure/limits.h"
#include "synth/synth.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SEED = 2018, RESAMPLING_STREAM = 1 };
/* With this many documents, branch predictors cannot memorise the decisions of any model. */
enum { ENOUGH_DOCS = 20000 };
#define GIGABYTE 1e9

static enum status drop_large_batches(size_t row_bytes, struct tune_request *request,
                                      struct error *error) {
    size_t kept = 0;
    for (size_t i = 0; i < request->n_batches; i++)
        if (request->batches[i] <= LIMIT_CALL_BYTES / row_bytes)
            request->batches[kept++] = request->batches[i];
        else
            tune_sizes_add(&request->too_large, request->batches[i]);
    request->n_batches = kept;
    if (kept > 0)
        return STATUS_OK;
    return error_set(error, STATUS_MEMORY,
                     "--batch: a call of %zu documents would take %.1f GB, at most %.1f are "
                     "supported. Give a smaller size",
                     request->too_large.docs[0],
                     (double)row_bytes * (double)request->too_large.docs[0] / GIGABYTE,
                     (double)LIMIT_CALL_BYTES / GIGABYTE);
}

/* Makes a document by taking each value from one of two random documents. There are too many such
 * mixtures for branch predictors to memorise. Each feature keeps the frequencies of its values. */
static void mix(const struct matrix *few, struct random *random, float *row) {
    const float *one = matrix_row(few, (size_t)random_below(random, few->n_rows));
    const float *other = matrix_row(few, (size_t)random_below(random, few->n_rows));
    for (uint32_t f = 0; f < few->n_features; f++)
        row[f] = random_u64(random) >> 63 ? one[f] : other[f];
}

enum status tune_documents_resample(const struct matrix *few, size_t n_rows,
                                    struct matrix **resampled, struct error *error) {
    struct random random;
    enum status status = matrix_create(n_rows, few->n_features, resampled, error);
    if (status)
        return status;
    random_seed(&random, random_derive(SEED, RESAMPLING_STREAM));
    for (size_t row = 0; row < n_rows; row++)
        if (row < few->n_rows)
            memcpy(matrix_row(*resampled, row), matrix_row(few, row),
                   few->n_features * sizeof(float));
        else
            mix(few, &random, matrix_row(*resampled, row));
    snprintf((*resampled)->note, sizeof(*resampled)->note,
             few->n_rows == 1 ? "%zu given and repeated, which branch predictors learn: give more"
                              : "resampled: %zu given, the others mix two of them, so that branch "
                                "predictors cannot learn them",
             few->n_rows);
    return STATUS_OK;
}

enum status tune_documents_choose(const struct matrix *given, struct tune_request *request,
                                  struct tune_documents *documents, struct error *error) {
    const struct ensemble *ensemble = request->ensemble;
    size_t row_bytes =
        limit_row_bytes(given ? given->stride : 0, ensemble->n_features, ensemble->n_outputs);
    documents->made = NULL;
    enum status status = drop_large_batches(row_bytes, request, error);
    if (status)
        return status;
    size_t largest = request->batches[request->n_batches - 1];
    size_t most =
        smaller(calls_wanted(ensemble->n_trees, TUNE_VISITS), LIMIT_MADE_BYTES / row_bytes);
    size_t least = larger(smaller(most, ENOUGH_DOCS), largest);
    request->source = AUTO_DATA;
    if (!given) {
        request->source = AUTO_MADE_UP;
        status = synth_threshold_documents(ensemble, least, SEED, &documents->made, error);
    } else if (given->n_rows < least) {
        request->source = AUTO_RESAMPLED;
        status = tune_documents_resample(given, least, &documents->made, error);
    }
    if (status)
        return status;
    documents->view = documents->made ? *documents->made : *given;
    documents->view.n_rows = smaller(documents->view.n_rows, larger(most, largest));
    request->documents = &documents->view;
    return STATUS_OK;
}
