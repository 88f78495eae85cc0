/* The layouts in which LightGBM's calls have their documents. Values that a layout does not have
 * are 0. Columns beyond the features of the model are ignored. */
#ifndef DROPIN_LIGHTGBM_LAYOUTS_H
#define DROPIN_LIGHTGBM_LAYOUTS_H

#include "dropin/scoring.h"

/* An array of floats or doubles. */
struct numbers {
    const void *data;
    bool is_double;
};

/* Column c of document i is number i * row_step + c * column_step. */
struct dense {
    struct rows rows;
    struct numbers numbers;
    size_t row_step, column_step;
    uint32_t n_columns;
};

/* Each document has an array of its own. */
struct separate {
    struct rows rows;
    const void *const *data;
    bool is_double;
    uint32_t n_columns;
};

/* The entries begin[i] to begin[i + 1] belong to row i, and index[entry] is the column. Of columns,
 * rows and columns are exchanged, and indices increase within a column. */
struct sparse {
    struct rows rows;
    const void *begin; /* int32 or int64 */
    bool is_int64;
    const int32_t *index;
    struct numbers numbers;
    uint32_t n_columns; /* of columns only */
};

/* Complete a layout whose other members are set. */
void layout_dense(struct dense *dense, uint32_t n_features);
void layout_separate(struct separate *separate);
void layout_sparse_rows(struct sparse *sparse);
void layout_sparse_columns(struct sparse *sparse);

#endif
