/* Query sizes in a file of their own, as XGBoost (".group") and LightGBM (".query") have them
 * beside documents without qid: one number a line, how many documents the next query has. */
#ifndef DATASETS_QUERIES_H
#define DATASETS_QUERIES_H

#include "base/status.h"
#include "datasets/matrix.h"

/* Gives the documents of `data` (a file's name, for errors) the queries of the file at `path`,
 * numbered from 1. Refused: documents that have queries already, a size that is no integer from 1,
 * sizes that do not add up to the documents. */
enum status queries_read_sizes(const char *path, const char *data, struct matrix *matrix,
                               struct error *error);

#endif
