/* The folds of a learning-to-rank data set: documents for training, validation and testing. They
 * are read from one of two places on this machine:
 *
 * - $TREEBENCH_DATA_SETS/NAME/, as scripts/datasets.sh leaves it: the owners' files, or caches;
 * - $TREEBENCH_DATA/ltr/, the collection that tests use: whole data sets, or samples of them. */
#ifndef DATASETS_FOLDS_H
#define DATASETS_FOLDS_H

#include "base/status.h"
#include "datasets/catalogue.h"
#include "datasets/matrix.h"

#include <stdbool.h>
#include <stdint.h>

/* Each part has labels, queries and the number of features given in the catalogue. If the parts are
 * only a sample of the data set, their note says so. */
struct fold {
    struct matrix *train, *validation, *test;
};

/* Determines the origin of a fold: the data set itself, a sample of it, a stand-in that lies in its
 * place, documents with an unknown note, or neither (the caller then needs a stand-in). What the
 * owners' files say of themselves counts, not only where they are. STATUS_INPUT if one of the
 * variables above is set but is not a folder. */
enum fold_origin { FOLD_REAL, FOLD_SAMPLE, FOLD_UNKNOWN, FOLD_STAND_IN, FOLD_ABSENT };
enum status fold_find(const struct data_set *set, uint32_t index, enum fold_origin *origin,
                      struct error *error);

/* Which parts to read: FOLD_TEST leaves the others NULL. */
enum fold_parts { FOLD_ALL, FOLD_TEST };

/* Reads the fold `index`, counted from 0. If the data set is not on this machine, or only a sample
 * without this fold, all parts are NULL; this is not an error. */
enum status fold_read(const struct data_set *set, uint32_t index, enum fold_parts wanted,
                      struct fold *fold, struct error *error);
void fold_free(struct fold *fold);

enum { FOLD_FOLDER_SIZE = 3072 };

/* Writes the folder of a data set's own files, $TREEBENCH_DATA_SETS/NAME or its default, like
 * scripts/datasets.sh. Returns false if no variable names a folder. */
bool fold_name_folder(const char *name, char folder[static FOLD_FOLDER_SIZE]);

/* Fails with STATUS_INPUT if a variable above is set but does not name a folder. */
enum status fold_check_folders(struct error *error);

#endif
