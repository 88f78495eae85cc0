#include "datasets/matrix.h"

#include "base/files/mapping.h"
#include "base/memory.h"
#include "models/placing.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const size_t BYTES_LIMIT = (size_t)MATRIX_LIMIT_GB << 30;

static bool count_bytes(size_t n_rows, size_t stride, size_t *bytes) {
    return memory_multiply(n_rows, stride, bytes) && memory_multiply(*bytes, sizeof(float), bytes);
}

enum status matrix_create(size_t n_rows, uint32_t n_features, struct matrix **matrix,
                          struct error *error) {
    enum { FLOATS_PER_LINE = MEMORY_ALIGNMENT / sizeof(float) };
    *matrix = NULL;
    size_t stride = ((size_t)n_features + FLOATS_PER_LINE - 1) / FLOATS_PER_LINE * FLOATS_PER_LINE;
    size_t bytes;
    if (!count_bytes(n_rows, stride, &bytes) || bytes > BYTES_LIMIT)
        return error_set(error, STATUS_MEMORY,
                         "a matrix of %zu documents x %u features exceeds the limit of %d GiB",
                         n_rows, n_features, MATRIX_LIMIT_GB);
    struct matrix *created = calloc(1, sizeof *created);
    float *values = memory_aligned_calloc(bytes, 1);
    if (!created || !values) {
        free(created);
        free(values);
        return error_memory(error, "the documents");
    }
    *created = (struct matrix){.n_rows = n_rows,
                               .n_features = n_features,
                               .n_named = n_features,
                               .stride = stride,
                               .values = values};
    *matrix = created;
    return STATUS_OK;
}

/* Arrays added to a mapped matrix are outside the mapping. */
static void free_part(const struct matrix *matrix, void *part) {
    uintptr_t begin = (uintptr_t)matrix->mapping, at = (uintptr_t)part;
    if (!matrix->mapping || at < begin || at - begin >= matrix->mapping_size)
        free(part);
}

void matrix_free(struct matrix *matrix) {
    if (!matrix)
        return;
    free_part(matrix, matrix->values);
    free_part(matrix, matrix->labels);
    free_part(matrix, matrix->query_row);
    free_part(matrix, matrix->query_id);
    free_part(matrix, matrix->column_names);
    if (matrix->mapping)
        mapping_close(matrix->mapping, matrix->mapping_size);
    free(matrix);
}

enum status matrix_resize_features(const struct matrix *matrix, uint32_t n_features, float fill,
                                   struct matrix **resized, struct error *error) {
    enum status status = matrix_create(matrix->n_rows, n_features, resized, error);
    if (status)
        return status;
    memcpy((*resized)->note, matrix->note, sizeof matrix->note);
    (*resized)->origin = matrix->origin;
    uint32_t kept = n_features < matrix->n_features ? n_features : matrix->n_features;
    (*resized)->n_named = n_features < matrix->n_named ? n_features : matrix->n_named;
    for (size_t row = 0; row < matrix->n_rows; row++) {
        float *to = matrix_row(*resized, row);
        memcpy(to, matrix_row(matrix, row), kept * sizeof *to);
        for (uint32_t feature = kept; feature < n_features; feature++)
            to[feature] = fill;
    }
    return STATUS_OK;
}

static bool is_in_order(const uint32_t *column_of, uint32_t n_features) {
    for (uint32_t i = 0; i < n_features; i++)
        if (column_of[i] != i)
            return false;
    return true;
}

/* Copies the chosen columns to newly allocated memory. */
static enum status copy_columns(struct matrix *matrix, const uint32_t *column_of,
                                uint32_t n_features, struct error *error) {
    struct matrix *chosen;
    enum status status = matrix_create(matrix->n_rows, n_features, &chosen, error);
    if (status)
        return status;
    for (size_t row = 0; row < matrix->n_rows; row++) {
        const float *from = matrix_row(matrix, row);
        float *to = matrix_row(chosen, row);
        for (uint32_t i = 0; i < n_features; i++)
            to[i] = from[column_of[i]];
    }
    free_part(matrix, matrix->values);
    matrix->values = chosen->values;
    matrix->stride = chosen->stride;
    matrix->n_features = n_features;
    free(chosen);
    return STATUS_OK;
}

enum status matrix_take_columns(struct matrix *matrix, const uint32_t *column_of,
                                uint32_t n_features, struct error *error) {
    uint32_t n_named = matrix->n_named;
    if (!is_in_order(column_of, n_features)) {
        enum status status = copy_columns(matrix, column_of, n_features, error);
        if (status)
            return status;
    }
    free_part(matrix, matrix->column_names);
    matrix->column_names = NULL;
    matrix->column_names_size = 0;
    matrix->n_named = n_features;
    matrix->n_left_out = n_named - n_features;
    matrix->columns = COLUMNS_BY_NAME;
    return STATUS_OK;
}

float matrix_place(struct matrix *matrix, const struct placing *placing, uint32_t feature,
                   double value) {
    float placed = placing_place(placing, feature, value);
    matrix->n_placed += placed != (float)value && value == value;
    return placed;
}

enum status matrix_place_coded(struct matrix *matrix, const struct placing *placing,
                               struct error *error) {
    if (matrix->is_placed || placing_count_coded(placing) == 0)
        return STATUS_OK;
    if (matrix->mapping) { /* mapped values are never changed in place */
        struct matrix *copy;
        enum status status = matrix_resize_features(matrix, matrix->n_features, 0, &copy, error);
        if (status)
            return status;
        matrix->values = copy->values;
        matrix->stride = copy->stride;
        free(copy);
    }
    for (uint32_t f = 0; f < matrix->n_features; f++) {
        for (size_t row = 0; placing_is_coded(placing, f) && row < matrix->n_rows; row++) {
            float *value = &matrix_row(matrix, row)[f];
            *value = matrix_place(matrix, placing, f, (double)*value);
        }
    }
    matrix->is_placed = true;
    return STATUS_OK;
}
