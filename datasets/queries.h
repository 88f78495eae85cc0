/* Reads query sizes from a separate file. XGBoost (".group") and LightGBM (".query") use such files
 * for documents without qid. Each line holds one number, the size of the next query. */
#ifndef DATASETS_QUERIES_H
#define DATASETS_QUERIES_H

#include "base/status.h"
#include "datasets/matrix.h"

/* Sets the queries of the documents from the file `path`. Query ids are 1, 2, ... `data` is the
 * name of the documents' file, for errors. Fails if the documents have queries already, if a size
 * is not an integer of at least 1, or if the sizes do not add up to the number of documents. */
enum status queries_read_sizes(const char *path, const char *data, struct matrix *matrix,
                               struct error *error);

#endif
