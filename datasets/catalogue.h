/* The data sets that the papers use: where each comes from, on what terms, and its shape. The only
 * place where this is written: scripts/datasets.sh reads it through `treebench list --data-set`,
 * stand-ins take their shapes from here. */
#ifndef DATASETS_CATALOGUE_H
#define DATASETS_CATALOGUE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { DATA_SET_FILES = 4 };

/* A file as its owners publish it. */
struct data_set_file {
    const char *name;
    const char *url;      /* where a script may fetch it; NULL: by hand, from the data set's page */
    const char *checksum; /* "sha256:HEX" or "md5:HEX"; NULL: none is published or known */
};

struct data_set {
    const char *name, *title;
    const char *used_by;                        /* papers, by the keys of the design */
    const char *page;                           /* of the owners */
    const char *terms;                          /* in short; the page has the last word */
    struct data_set_file files[DATA_SET_FILES]; /* up to the first without a name */
    const char *checksum_source;                /* whose word the checksums are; NULL without any */

    /* The files of documents in the unpacked folder, separated by blanks, "{1..5}" standing for
     * folds; NULL where they cannot be read as they are, for the reason that `label` gives. */
    const char *documents;
    const char *label_column; /* of tables: what --label gets; NULL for SVMlight text */
    const char *label;        /* where a row's label stands */

    uint64_t rows, queries;     /* of all parts of one fold; queries: 0 where there are none */
    uint32_t features, classes; /* labels are 0 .. classes - 1 */
    uint32_t features_used;     /* columns that are not empty in all rows; 0: all are used */
    uint32_t folds;             /* 1: one split, or none */
};

const struct data_set *data_sets(size_t *count);

/* The data set of that name. STATUS_INPUT, with the names that there are, where there is none. */
enum status data_set_find(const char *name, const struct data_set **set, struct error *error);

#endif
