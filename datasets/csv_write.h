/* The writer of tables, for csv.c. */
#ifndef DATASETS_CSV_WRITE_H
#define DATASETS_CSV_WRITE_H

#include "base/status.h"
#include "datasets/matrix.h"

#include <stdio.h>

/* Commas between, missing values as "nan"; a header where there are labels (label), queries (qid)
 * or names. Features without a name are f1, f2, ... there. Refuses names that the reader would not
 * take as such. */
enum status csv_write(const struct matrix *matrix, FILE *stream, struct error *error);

#endif
