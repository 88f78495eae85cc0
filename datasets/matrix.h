/* Documents: a dense float32 matrix with labels and queries. */
#ifndef DATASETS_MATRIX_H
#define DATASETS_MATRIX_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MATRIX_LIMIT_GB = 64, MATRIX_NOTE_SIZE = 128 };

/* How columns became features. */
enum matrix_columns {
    COLUMNS_NUMBERED,    /* no table: each value says of which feature it is */
    COLUMNS_BY_POSITION, /* of a table, from left to right */
    COLUMNS_BY_NAME,     /* by the names that the reader was given */
    COLUMNS_NAMED_ELSE   /* by position: the table's names are all others than those given */
};

struct placing; /* models/placing.h */

struct matrix {
    size_t n_rows;
    uint32_t n_features;
    uint32_t n_named; /* features that the file has: the others were asked for by its reader */
    size_t stride;    /* floats from row to row: n_features rounded up to 16, so that a row begins
                       * at a multiple of 64 bytes; the padding is zero */
    enum matrix_columns columns;
    uint32_t n_left_out; /* columns that no feature is named as */
    bool any_absent;     /* a document of SVMlight text does not name a feature */
    bool is_placed;  /* its values were placed for a model when they were read (models/placing.h) */
    size_t n_placed; /* values that are not the nearest float32, because of that */
    size_t n_unknown; /* values of a table that the model's categories do not have */
    bool from_zero;   /* SVMlight text whose features are numbered from 0 */

    /* The names of the first n_named columns, one behind the other, each ended by a NUL; NULL where
     * they have none, or are by name the features that were asked for. */
    char *column_names;
    size_t column_names_size; /* bytes, with the NULs */

    /* "" or which columns of a table were words, which are coded: "'job' and 2 more columns". */
    char words[MATRIX_NOTE_SIZE];

    float *values;     /* [n_rows * stride], 64-byte aligned */
    float *labels;     /* [n_rows], NULL where there are none */
    size_t *query_row; /* [n_queries + 1], where each query's rows begin; NULL without queries */
    int64_t *query_id; /* [n_queries] as in the file; NULL without queries */
    size_t n_queries;

    /* "" for documents as they were found; else what they are, for everything that shows a result
     * of them: "synthetic stand-in for mslr-web10k, seed 1". Printable, one line. */
    char note[MATRIX_NOTE_SIZE];

    void
        *mapping; /* not NULL: the arrays of the file lie in this mapping, not in malloc's memory */
    size_t mapping_size;
};

/* All values zero, no labels, no queries. STATUS_MEMORY where the values need more
 * than MATRIX_LIMIT_GB. */
enum status matrix_create(size_t n_rows, uint32_t n_features, struct matrix **matrix,
                          struct error *error);
void matrix_free(struct matrix *matrix); /* NULL is fine */

static inline float *matrix_row(const struct matrix *matrix, size_t row) {
    return matrix->values + row * matrix->stride;
}

/* The float32 that stands for a value of a document, for a model (or NULL); counts n_placed. */
float matrix_place(struct matrix *matrix, const struct placing *placing, uint32_t feature,
                   double value);

/* Places the values of coded features, unless it was done when they were read. Memory that is
 * mapped is copied first. */
enum status matrix_place_coded(struct matrix *matrix, const struct placing *placing,
                               struct error *error);

/* A copy of all rows with n_features columns (features over those of `matrix` are `fill`, features
 * over n_features are dropped): a model may use more features than the documents name, or fewer.
 * Labels and queries are not copied; the note is. */
enum status matrix_resize_features(const struct matrix *matrix, uint32_t n_features, float fill,
                                   struct matrix **resized, struct error *error);

/* Makes column_of[i] the column i, drops the others and all names (column_names), and says so in
 * `columns`, n_named and n_left_out. */
enum status matrix_take_columns(struct matrix *matrix, const uint32_t *column_of,
                                uint32_t n_features, struct error *error);

#endif
