/* Documents: a dense float32 matrix with labels and queries. */
#ifndef DATASETS_MATRIX_H
#define DATASETS_MATRIX_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MATRIX_LIMIT_GB = 64, MATRIX_NOTE_SIZE = 128 };

/* How the columns of a file became features. */
enum matrix_columns {
    COLUMNS_NUMBERED,    /* not a table: the file stores a feature number with each value */
    COLUMNS_BY_POSITION, /* a table, from left to right */
    COLUMNS_BY_NAME,     /* by the names given to the reader */
    COLUMNS_NAMED_ELSE   /* by position, because none of the table's names was given */
};

struct placing; /* models/placing.h */

struct matrix {
    size_t n_rows;
    uint32_t n_features;
    uint32_t n_named; /* number of features in the file; the caller requested the others */
    /* The distance between rows in floats: n_features rounded up to a multiple of 16, so that every
     * row begins at a multiple of 64 bytes. The padding is zero. */
    size_t stride;
    enum matrix_columns columns;
    uint32_t n_left_out; /* columns that do not match a feature */
    bool any_absent;     /* a document in SVMlight text omits a feature */
    bool is_placed;      /* the values were placed for a model while reading (models/placing.h) */
    size_t n_placed;     /* number of values that placing moved away from the nearest float32 */
    size_t n_unknown;    /* number of values in a table that are not among the model's categories */
    bool from_zero;      /* the file is SVMlight text that numbers features from 0 */

    /* The names of the first n_named columns, contiguous, each terminated by a NUL. NULL if there
     * are no names, or if columns were matched by name. */
    char *column_names;
    size_t column_names_size; /* in bytes, including the NULs */

    /* The columns of a table whose words were encoded as numbers, such as "'job' and 2 more
     * columns". "" if there are none. */
    char words[MATRIX_NOTE_SIZE];

    float *values;     /* [n_rows * stride], aligned to 64 bytes */
    float *labels;     /* [n_rows]; NULL if there are no labels */
    size_t *query_row; /* [n_queries + 1] first row of each query; NULL without queries */
    int64_t *query_id; /* [n_queries] as in the file; NULL without queries */
    size_t n_queries;

    /* Describes documents that treebench made, such as "synthetic stand-in for mslr-web10k, seed
     * 1". The note is shown with every result. One printable line; "" for documents from
     * elsewhere. */
    char note[MATRIX_NOTE_SIZE];
    unsigned origin; /* bits of base/origin.h */

    void *mapping; /* NULL, or a memory mapping that holds the arrays; arrays that are replaced
                      later are in malloc's memory */
    size_t mapping_size;
};

/* Creates a matrix with all values zero, without labels and queries. STATUS_MEMORY if the values
 * need more than MATRIX_LIMIT_GB. */
enum status matrix_create(size_t n_rows, uint32_t n_features, struct matrix **matrix,
                          struct error *error);
void matrix_free(struct matrix *matrix); /* NULL is allowed */

static inline float *matrix_row(const struct matrix *matrix, size_t row) {
    return matrix->values + row * matrix->stride;
}

/* Returns the float32 that represents a document's value for a model. `placing` may be NULL. Counts
 * moved values in n_placed. */
float matrix_place(struct matrix *matrix, const struct placing *placing, uint32_t feature,
                   double value);

/* Places the values of coded features (models/placing.h), unless this was done while reading.
 * Mapped values are copied first. */
enum status matrix_place_coded(struct matrix *matrix, const struct placing *placing,
                               struct error *error);

/* Copies all rows to a matrix with n_features columns, for a model that uses more or fewer features
 * than the documents have. Additional features are set to `fill`; excess features are dropped. The
 * note is copied; labels and queries are not. */
enum status matrix_resize_features(const struct matrix *matrix, uint32_t n_features, float fill,
                                   struct matrix **resized, struct error *error);

/* Makes column column_of[i] the new column i, and drops the other columns and all names. Updates
 * `columns`, n_named and n_left_out. */
enum status matrix_take_columns(struct matrix *matrix, const uint32_t *column_of,
                                uint32_t n_features, struct error *error);

#endif
