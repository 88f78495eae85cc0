/* The folds of a learning-to-rank data set: documents to train on, to validate and to test with,
 * from wherever the data set lies on this machine:
 *
 * - $TREEBENCH_DATA_SETS/NAME/, as scripts/datasets.sh leaves it: the owners' files, or caches;
 * - $TREEBENCH_DATA/ltr/, the collection that tests use: whole data sets, or samples of them. */
#ifndef DATASETS_FOLDS_H
#define DATASETS_FOLDS_H

#include "base/status.h"
#include "datasets/catalogue.h"
#include "datasets/matrix.h"

#include <stdint.h>

/* Each with labels and queries, and as many features as the catalogue says. A sample has a note
 * that says so. */
struct fold {
    struct matrix *train, *validation, *test;
};

/* Where a fold comes from: the data set itself, a sample of it, or neither is on this machine and a
 * stand-in has to do. STATUS_INPUT where a variable above is set but names no folder. */
enum fold_origin { FOLD_REAL, FOLD_SAMPLE, FOLD_ABSENT };
enum status fold_find(const struct data_set *set, uint32_t index, enum fold_origin *origin,
                      struct error *error);

/* What of a fold is wanted: FOLD_TEST leaves the others NULL. */
enum fold_parts { FOLD_ALL, FOLD_TEST };

/* Reads fold number `index` (from 0). Where the data set is not on this machine, or just a sample
 * without that fold, the fold is all NULL, and that is no error. */
enum status fold_read(const struct data_set *set, uint32_t index, enum fold_parts wanted,
                      struct fold *fold, struct error *error);
void fold_free(struct fold *fold);

#endif
