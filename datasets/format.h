/* Data files: one file of this folder per format, and one line in format.c. */
#ifndef DATASETS_FORMAT_H
#define DATASETS_FORMAT_H

#include "base/status.h"
#include "datasets/matrix.h"

#include <stdbool.h>
#include <stdio.h>

struct categories; /* models/categories.h */

/* What a column of words in a table is. */
enum data_words {
    WORDS_CODED,       /* numbers: 0, 1, ... in sorted order */
    WORDS_LABELS_ONLY, /* refused where it is a feature: a model knows no words. Labels are not
                          looked at, and may be missing */
    WORDS_REFUSED      /* refused as labels too */
};

struct data_reading {
    float missing;       /* what an absent feature is: 0 by default, or NaN */
    uint32_t n_features; /* at least so many columns; 0: as many as the file names */
    /* The column of the labels in a table: a name of its header, a number from 1 on, or "last".
     * NULL: the column "target" or "label" of its header, or none. */
    const char *label;
    /* The names of the n_features features, as in struct ensemble; NULL: unknown. The columns of a
     * table with a header that has them all are taken by them. */
    const char *feature_names;
    const char *queries;      /* a file of the queries' sizes, see datasets/queries.h; NULL: none */
    bool from_zero;           /* SVMlight text numbers its features from 0, not from 1 */
    bool first_feature_given; /* the user said where text begins to number: of text only */
    bool missing_given; /* the user said what an absent feature is: something must be absent */
    /* Find that out from the numbers and the model, or refuse if it stays unclear. */
    bool from_either;
    bool first_is_empty;                 /* see struct ensemble */
    const struct placing *placing;       /* of the model that will score them, or NULL */
    const struct categories *categories; /* likewise */
    enum data_words words;
};

struct data_format {
    const char *name, *title;
    bool (*recognise)(const char *text, size_t size);
    enum status (*read)(const char *name, const char *text, size_t size,
                        const struct data_reading *reading, struct matrix **matrix,
                        struct error *error);
    enum status (*write)(const struct matrix *matrix, FILE *stream,
                         struct error *error); /* or NULL; errors of the stream are the caller's */
};

const struct data_format *const *data_formats(size_t *count);

/* The format that a text looks like, or NULL. */
const struct data_format *data_recognise(const char *text, size_t size);

/* Reads documents of any format (".gz" or not; "-" is standard input). A cache is mapped. */
enum status data_read(const char *path, const struct data_reading *reading, struct matrix **matrix,
                      struct error *error);

/* The writer of that format. Where it is NULL the end of PATH says which; SVMlight text if it has
 * none. Refused, with what there is: a format that is not written, and another suffix. */
enum status data_find_writer(const char *path, const char *format,
                             const struct data_format **writer, struct error *error);

/* Writes documents by the writer that data_find_writer finds. */
enum status data_write(const struct matrix *matrix, const char *path, const char *format,
                       struct error *error);

#endif
