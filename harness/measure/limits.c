#include "harness/measure/limits.h"

size_t limit_row_bytes(size_t stride, uint32_t n_features, uint32_t n_outputs) {
    enum { PADDING = 16 };
    size_t values = stride ? stride : (size_t)n_features + PADDING;
    return values * sizeof(float) + 2 * (size_t)n_outputs * sizeof(double);
}

enum status limit_check_scores(const struct matrix *documents, uint32_t n_outputs,
                               struct error *error) {
    const double megabyte = 1e6;
    size_t limit = documents->n_rows * documents->stride * sizeof(float) * LIMIT_SCORES_GROWTH;
    limit = limit > LIMIT_SCORES_BYTES ? limit : LIMIT_SCORES_BYTES;
    if (documents->n_rows <= limit / sizeof(double) / n_outputs)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "the scores of %zu documents with %u outputs take %.0f MB, at most %.0f are "
                     "supported. Give fewer documents",
                     documents->n_rows, n_outputs,
                     (double)documents->n_rows * n_outputs * sizeof(double) / megabyte,
                     (double)limit / megabyte);
}
