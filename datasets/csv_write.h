/* The writer of tables, for csv.c. */
#ifndef DATASETS_CSV_WRITE_H
#define DATASETS_CSV_WRITE_H

#include "base/status.h"
#include "datasets/matrix.h"

#include <stdio.h>

/* Fields are separated by commas and missing values are "nan". A header is written if there are
 * labels (column "label"), queries ("qid") or names. In the header, features without a name are
 * called f1, f2, ... Fails if the reader would misinterpret a name. */
enum status csv_write(const struct matrix *matrix, FILE *stream, struct error *error);

#endif
