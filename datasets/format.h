/* Data formats. Each format has its own file and one line in data.c. */
#ifndef DATASETS_FORMAT_H
#define DATASETS_FORMAT_H

#include "base/status.h"
#include "datasets/matrix.h"

#include <stdbool.h>
#include <stdio.h>

struct categories; /* models/categories.h */
struct ctrs;       /* models/ctrs.h */

/* How to treat a column of words in a table. */
enum data_words {
    WORDS_CODED, /* words become the numbers 0, 1, ... in sorted order */
    /* Words are an error in features, unless the model stores categories. In labels, words and
     * missing values are allowed, because scoring does not use labels. */
    WORDS_LABELS_ONLY,
    WORDS_REFUSED /* words are an error in labels too */
};

struct data_reading {
    const struct data_format *format; /* the format of text; NULL: recognised from the text */
    float missing;                    /* value of an absent feature: 0 (the default) or NaN */
    uint32_t n_features; /* smallest number of columns in the matrix; 0: the number of columns in
                            the file. If 1, lines of one number are a table */
    /* The label column of a table: a name in its header, a column number from 1, or "last". If
     * NULL, the column named "target" or "label" if there is one. */
    const char *label;
    /* The names of the n_features features, as in struct ensemble; NULL if unknown. If the header
     * of a table contains all of them, its columns are matched by name. */
    const char *feature_names;
    const char *queries;      /* file with query sizes, see datasets/queries.h; NULL if none */
    bool from_zero;           /* SVMlight text numbers features from 0 instead of 1 */
    bool first_feature_given; /* the user gave --first-feature, which only SVMlight text allows */
    bool missing_given; /* the user set the value of absent features: an error if the format has no
                           absent features */
    /* Decide from the feature numbers and the model whether features are numbered from 0 or 1, or
     * fail if this is ambiguous. */
    bool from_either;
    bool first_is_empty;                 /* see struct ensemble */
    const struct placing *placing;       /* of the model that will score the documents, or NULL */
    const struct categories *categories; /* of the model that will score the documents, or NULL */
    const struct ctrs *ctrs; /* of this model: tables lack the last of its features; or NULL */
    enum data_words words;
};

struct data_format {
    const char *name, *title;
    enum status (*read)(const char *name, const char *text, size_t size,
                        const struct data_reading *reading, struct matrix **matrix,
                        struct error *error);
    enum status (*write)(
        const struct matrix *matrix, FILE *stream,
        struct error *error); /* may be NULL; the caller checks the stream for errors */
};

/* Reads the lines "# note: TEXT" and "# origin: WORDS" at the beginning of SVMlight text. The note
 * is
 * "" if there is none. Returns the origin. */
unsigned svmlight_read_origin(const char *text, size_t size, char note[static MATRIX_NOTE_SIZE]);

/* All formats, for the list in datasets/data.c. */
extern const struct data_format data_format_svmlight, data_format_csv, data_format_cache;

#endif
