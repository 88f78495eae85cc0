/* In how far a row's model and documents are not real, as bits. Only this reads the notes of rows;
 * reports, figures, claims and the page ask for bits. */
#ifndef HARNESS_ROWS_ROW_ORIGIN_H
#define HARNESS_ROWS_ROW_ORIGIN_H

#include "harness/rows/row_index.h"

enum row_origin {
    ORIGIN_SYNTHETIC = 1, /* model and documents were made up */
    ORIGIN_STAND_IN = 2,  /* made-up documents in place of a data set's */
    ORIGIN_SAMPLE = 4,
    ORIGIN_PART = 8,    /* of the data set's rows */
    ORIGIN_GROWN = 16,  /* random trees, not trained */
    ORIGIN_COPIED = 32, /* trees that repeat those of a smaller model */
    ORIGIN_RESAMPLED = 64
};

/* Returns the bits of a row. 0: model and documents are real. */
unsigned row_origin(const struct row *row);

/* Returns the bits of all rows at a point. */
unsigned row_origin_at(const struct row_index *index, const struct point *point);

#endif
