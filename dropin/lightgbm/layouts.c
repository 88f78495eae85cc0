#include "dropin/lightgbm/layouts.h"

static double number_at(const struct numbers *numbers, size_t i) {
    return numbers->is_double ? ((const double *)numbers->data)[i]
                              : (double)((const float *)numbers->data)[i];
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Sets the features from `begin` of a document to 0. */
static void fill_zeros(const struct placing *placing, uint32_t begin, uint32_t n_features,
                       float *x) {
    for (uint32_t f = begin; f < n_features; f++)
        x[f] = placing_is_coded(placing, f) ? placing_place(placing, f, 0) : 0;
}

/* --- dense ------------------------------------------------------------------------------------ */

static void fill_row(const struct numbers *numbers, size_t at, size_t step, uint32_t n_columns,
                     const struct placing *placing, float *x) {
    if (numbers->is_double && step == 1) {
        placing_place_row(placing, (const double *)numbers->data + at, n_columns, x);
        return;
    }
    for (uint32_t c = 0; c < n_columns; c++)
        x[c] = placing_place(placing, c, number_at(numbers, at + c * step));
}

static void fill_dense(const struct rows *rows, struct span docs, const struct placing *placing,
                       uint32_t n_features, float *x) {
    const struct dense *dense = (const struct dense *)rows;
    uint32_t n_columns = least(dense->n_columns, n_features);
    for (size_t doc = docs.begin; doc < docs.end; doc++, x += n_features) {
        fill_row(&dense->numbers, doc * dense->row_step, dense->column_step, n_columns, placing, x);
        fill_zeros(placing, n_columns, n_features, x);
    }
}

void layout_dense(struct dense *dense, uint32_t n_features) {
    dense->rows.fill = fill_dense;
    if (!dense->numbers.is_double && dense->column_step == 1 && dense->n_columns >= n_features) {
        dense->rows.floats = dense->numbers.data;
        dense->rows.stride = dense->row_step;
    }
}

static void fill_separate(const struct rows *rows, struct span docs, const struct placing *placing,
                          uint32_t n_features, float *x) {
    const struct separate *separate = (const struct separate *)rows;
    uint32_t n_columns = least(separate->n_columns, n_features);
    for (size_t doc = docs.begin; doc < docs.end; doc++, x += n_features) {
        const struct numbers numbers = {separate->data[doc], separate->is_double};
        fill_row(&numbers, 0, 1, n_columns, placing, x);
        fill_zeros(placing, n_columns, n_features, x);
    }
}

void layout_separate(struct separate *separate) {
    separate->rows.fill = fill_separate;
}

/* --- sparse ----------------------------------------------------------------------------------- */

static size_t begin_of(const struct sparse *sparse, size_t i) {
    return sparse->is_int64 ? (size_t)((const int64_t *)sparse->begin)[i]
                            : (size_t)((const int32_t *)sparse->begin)[i];
}

static void fill_sparse_rows(const struct rows *rows, struct span docs,
                             const struct placing *placing, uint32_t n_features, float *x) {
    const struct sparse *sparse = (const struct sparse *)rows;
    for (size_t doc = docs.begin; doc < docs.end; doc++, x += n_features) {
        fill_zeros(placing, 0, n_features, x);
        for (size_t i = begin_of(sparse, doc); i < begin_of(sparse, doc + 1); i++) {
            uint32_t column = (uint32_t)sparse->index[i];
            if (column < n_features)
                x[column] = placing_place(placing, column, number_at(&sparse->numbers, i));
        }
    }
}

void layout_sparse_rows(struct sparse *sparse) {
    sparse->rows.fill = fill_sparse_rows;
}

/* The first entry of a column at or after a row. */
static size_t find_entry(const struct sparse *sparse, size_t begin, size_t end, size_t row) {
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if ((size_t)sparse->index[middle] < row)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static void fill_sparse_columns(const struct rows *rows, struct span docs,
                                const struct placing *placing, uint32_t n_features, float *x) {
    const struct sparse *sparse = (const struct sparse *)rows;
    for (size_t doc = docs.begin; doc < docs.end; doc++)
        fill_zeros(placing, 0, n_features, x + (doc - docs.begin) * n_features);
    uint32_t n_columns = least(sparse->n_columns, n_features);
    for (uint32_t c = 0; c < n_columns; c++) {
        size_t end = begin_of(sparse, c + 1);
        size_t i = find_entry(sparse, begin_of(sparse, c), end, docs.begin);
        for (; i < end && (size_t)sparse->index[i] < docs.end; i++)
            x[((size_t)sparse->index[i] - docs.begin) * n_features + c] =
                placing_place(placing, c, number_at(&sparse->numbers, i));
    }
}

void layout_sparse_columns(struct sparse *sparse) {
    sparse->rows.fill = fill_sparse_columns;
}
