#include "dropin/xgboost/matrix.h"

#include "dropin/xgboost/flat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- array interfaces ------------------------------------------------------------------------- */

/* An array of one or two dimensions. */
struct array {
    const char *data;
    size_t size[2], n_dims, item; /* bytes of an item */
    char kind;                    /* 'f', 'i' or 'u' */
};

static bool read_shape(const char *text, struct array *array) {
    const char *at = flat_find(text, "shape");
    if (!at || *at != '[')
        return false;
    for (array->n_dims = 0; *at != ']'; array->n_dims++) {
        char *end;
        if (array->n_dims == 2)
            return false;
        array->size[array->n_dims] = strtoull(at + 1, &end, 10);
        if (end == at + 1)
            return false;
        at = end + strspn(end, " ");
        if (*at != ',' && *at != ']')
            return false;
    }
    return array->n_dims > 0;
}

/* Little-endian numbers of 4 or 8 bytes. */
static bool read_type(const char *text, struct array *array) {
    const char *at = flat_find(text, "typestr");
    if (!at || at[0] != '"' || at[1] != '<' || !at[2] || (at[3] != '4' && at[3] != '8'))
        return false;
    array->kind = at[2];
    array->item = (size_t)(at[3] - '0');
    return at[4] == '"';
}

/* Rows without gaps; arrays with strides or masks are not read. */
static bool read_array(const char *text, struct array *array) {
    const char *data = flat_find(text, "data"), *strides = flat_find(text, "strides");
    if (!data || *data != '[' || (strides && strncmp(strides, "null", 4) != 0) ||
        flat_find(text, "mask") || flat_find(text, "stream"))
        return false;
    array->data = (const char *)(uintptr_t)strtoull(data + 1, NULL, 10);
    return array->data && read_shape(text, array) && read_type(text, array);
}

/* --- filling ---------------------------------------------------------------------------------- */

static float without_missing(float value, float missing) {
    return value == missing ? NAN : value;
}

static float dense_value(const struct xgboost_matrix *matrix, const char *row, size_t column) {
    if (!matrix->doubles) {
        float value;
        memcpy(&value, row + column * sizeof value, sizeof value);
        return value;
    }
    double value;
    memcpy(&value, row + column * sizeof value, sizeof value);
    return (float)value;
}

static void fill_dense(const struct rows *rows, struct span docs, const struct placing *placing,
                       uint32_t n_features, float *x) {
    (void)placing;
    const struct xgboost_matrix *matrix = (const struct xgboost_matrix *)rows;
    size_t n = matrix->n_columns < n_features ? matrix->n_columns : n_features;
    for (size_t doc = docs.begin; doc < docs.end; doc++, x += n_features) {
        const char *row = matrix->dense + doc * matrix->step;
        for (size_t f = 0; f < n; f++)
            x[f] = without_missing(dense_value(matrix, row, f), matrix->missing);
        for (size_t f = n; f < n_features; f++)
            x[f] = NAN;
    }
}

static size_t read_index(const char *from, unsigned bytes, size_t i) {
    uint32_t four;
    uint64_t eight;
    if (bytes == sizeof four) {
        memcpy(&four, from + i * sizeof four, sizeof four);
        return four;
    }
    memcpy(&eight, from + i * sizeof eight, sizeof eight);
    return eight;
}

static void fill_sparse(const struct rows *rows, struct span docs, const struct placing *placing,
                        uint32_t n_features, float *x) {
    (void)placing;
    const struct xgboost_matrix *matrix = (const struct xgboost_matrix *)rows;
    for (size_t doc = docs.begin; doc < docs.end; doc++, x += n_features) {
        for (size_t f = 0; f < n_features; f++)
            x[f] = NAN;
        size_t end = read_index(matrix->starts, matrix->start_bytes, doc + 1);
        for (size_t i = read_index(matrix->starts, matrix->start_bytes, doc); i < end; i++) {
            size_t f = read_index(matrix->columns, matrix->column_bytes, i);
            float value = without_missing(dense_value(matrix, matrix->values, i), matrix->missing);
            if (f < n_features && !isnan(value))
                x[f] = value;
        }
    }
}

void matrix_prepare(struct xgboost_matrix *matrix, size_t n_features) {
    matrix->rows = (struct rows){.fill = matrix->dense ? fill_dense : fill_sparse};
    if (matrix->dense && !matrix->doubles && isnan(matrix->missing) &&
        matrix->n_columns >= n_features) {
        matrix->rows.floats = (const float *)(const void *)matrix->dense;
        matrix->rows.stride = matrix->step / sizeof(float);
    }
}

/* --- reading ---------------------------------------------------------------------------------- */

bool matrix_read_dense(const char *interface, struct xgboost_matrix *matrix) {
    struct array array;
    if (!interface || !read_array(interface, &array) || array.n_dims != 2 || array.kind != 'f')
        return false;
    *matrix = (struct xgboost_matrix){.n_rows = array.size[0],
                                      .n_columns = array.size[1],
                                      .missing = NAN,
                                      .dense = array.data,
                                      .step = array.size[1] * array.item,
                                      .doubles = array.item == sizeof(double)};
    return (uintptr_t)array.data % array.item == 0;
}

bool matrix_read_csr(const char *indptr, const char *indices, const char *values, size_t n_columns,
                     struct xgboost_matrix *matrix) {
    struct array starts, columns, data;
    if (!indptr || !indices || !values || !read_array(indptr, &starts) ||
        !read_array(indices, &columns) || !read_array(values, &data))
        return false;
    if (starts.n_dims != 1 || columns.n_dims != 1 || data.n_dims != 1 || starts.kind == 'f' ||
        columns.kind == 'f' || data.kind != 'f' || starts.size[0] < 2)
        return false;
    *matrix = (struct xgboost_matrix){.n_rows = starts.size[0] - 1,
                                      .n_columns = n_columns,
                                      .missing = NAN,
                                      .starts = starts.data,
                                      .columns = columns.data,
                                      .values = data.data,
                                      .start_bytes = (unsigned)starts.item,
                                      .column_bytes = (unsigned)columns.item,
                                      .doubles = data.item == sizeof(double)};
    return true;
}

/* --- copies ----------------------------------------------------------------------------------- */

static const char *copy_bytes(const char *from, size_t bytes, void **owned) {
    *owned = malloc(bytes ? bytes : 1);
    if (*owned && bytes)
        memcpy(*owned, from, bytes);
    return *owned;
}

/* Values become floats, and missing ones NaN. */
static bool copy_dense(struct xgboost_matrix *to) {
    struct xgboost_matrix from = *to;
    float *x = malloc(to->n_rows * to->n_columns * sizeof *x + 1);
    if (!x)
        return false;
    fill_dense(&from.rows, (struct span){0, to->n_rows}, NULL, (uint32_t)to->n_columns, x);
    to->owned[0] = x;
    to->dense = (const char *)x;
    to->step = to->n_columns * sizeof *x;
    to->doubles = false;
    to->missing = NAN;
    return true;
}

static bool copy_sparse(struct xgboost_matrix *to) {
    size_t end = read_index(to->starts, to->start_bytes, to->n_rows);
    size_t item = to->doubles ? sizeof(double) : sizeof(float);
    to->starts = copy_bytes(to->starts, (to->n_rows + 1) * to->start_bytes, &to->owned[0]);
    to->columns = copy_bytes(to->columns, end * to->column_bytes, &to->owned[1]);
    to->values = copy_bytes(to->values, end * item, &to->owned[2]);
    return to->starts && to->columns && to->values;
}

struct xgboost_matrix *matrix_copy(const struct xgboost_matrix *matrix) {
    struct xgboost_matrix *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *matrix;
    copy->recall = recall_create();
    if (copy->recall && (matrix->dense ? copy_dense(copy) : copy_sparse(copy)))
        return copy;
    matrix_free(copy);
    return NULL;
}

void matrix_free(struct xgboost_matrix *matrix) {
    for (int i = 0; matrix && i < 3; i++)
        free(matrix->owned[i]);
    if (matrix)
        recall_free(matrix->recall);
    free(matrix);
}
