/* The data sets that the papers use: their sources, terms and shapes. No other file repeats these
 * facts. scripts/datasets.sh reads them through `treebench list --data-set`, and stand-ins copy the
 * shapes. */
#ifndef DATASETS_CATALOGUE_H
#define DATASETS_CATALOGUE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { DATA_SET_FILES = 4 };

/* A file as published by its owners. */
struct data_set_file {
    const char *name;
    const char *url; /* where a script may fetch it; NULL if users must download it from the page */
    const char *checksum; /* "sha256:HEX" or "md5:HEX"; NULL if unknown */
};

struct data_set {
    const char *name, *title;
    const char *used_by; /* keys of the papers ("asadi2014"), or "-" if no paper uses it */
    const char *page;    /* web page of the owners */
    const char *terms;   /* a summary; the page is authoritative */
    struct data_set_file files[DATA_SET_FILES]; /* the list ends at the first file without a name */
    const char *checksum_source; /* who recorded the checksums; NULL if there are none */

    /* The files of documents in the unpacked folder, separated by blanks; "{1..5}" stands for
     * folds. NULL if they cannot be read directly, for the reason in `label`. */
    const char *documents;
    const char *label_column; /* tables: the value for --label; NULL for SVMlight text */
    const char *label;        /* describes where the label of a row is stored */

    /* Totals over all parts of one fold. `queries` is 0 if there are none. */
    uint64_t rows, queries;
    uint32_t features, classes; /* labels are 0 .. classes - 1 */
    uint32_t features_used;     /* columns with a value in some row; 0 if all columns have one */
    uint32_t folds;             /* number of folds; 1 for a single split or none */
};

const struct data_set *data_sets(size_t *count);

/* Finds a data set by name. If there is none, STATUS_INPUT, and the error lists the names. */
enum status data_set_find(const char *name, const struct data_set **set, struct error *error);

#endif
