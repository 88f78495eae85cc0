/* The model and the documents that a command is given. */
#ifndef HARNESS_INPUTS_H
#define HARNESS_INPUTS_H

#include "base/status.h"
#include "datasets/format.h"
#include "datasets/matrix.h"
#include "models/ensemble.h"

struct inputs {
    struct ensemble *ensemble; /* NULL when no model was asked for */
    struct matrix *documents;  /* NULL when no data was asked for; at least the model's features */
    uint32_t n_coded;          /* features that models/placing.h had to code */
    bool from_cache;           /* the documents were float32 already */
};

/* What documents are for decides what of a table is refused. */
enum input_use {
    INPUTS_SCORED, /* features that are words, or as many columns as the model has no features */
    INPUTS_JUDGED, /* labels that are words too: who knows which class is which? */
    INPUTS_SHOWN   /* nothing: they are looked at, or written in another format */
};

/* What a command was given; each may be NULL. */
struct input_files {
    const char *model, *data;
    const char *missing;       /* what an absent feature is: "zero", "nan", or NULL for zero */
    const char *label;         /* the labels' column of a table, see struct data_reading */
    const char *queries;       /* a file of the sizes of the documents' queries */
    const char *first_feature; /* the number of SVMlight text's first: "0", "1", or NULL for 1 */
    const char *trees;         /* "best": those up to early stopping's best iteration; NULL: all */
    enum input_use use;
};
#define LABEL_FLAG(variable)                                                                       \
    {                                                                                              \
        .name = "label", .argument = "COLUMN",                                                     \
        .help = "a table's column of labels: NAME, NUMBER or last", .value = &(variable)           \
    }
#define MISSING_FLAG(variable)                                                                     \
    {                                                                                              \
        .name = "missing", .argument = "zero|nan",                                                 \
        .help = "what a feature is that a document does not name (default: zero)",                 \
        .value = &(variable)                                                                       \
    }
#define FIRST_FEATURE_FLAG(variable)                                                               \
    {                                                                                              \
        .name = "first-feature", .argument = "0|1",                                                \
        .help = "first number in SVMlight text (default: found, else 1)", .value = &(variable)     \
    }
#define QUERIES_FLAG(variable)                                                                     \
    {                                                                                              \
        .name = "queries", .argument = "FILE",                                                     \
        .help = "how many documents each query has, one a line (instead of qid)",                  \
        .value = &(variable)                                                                       \
    }
#define TREES_FLAG(variable)                                                                       \
    {                                                                                              \
        .name = "trees", .argument = "best",                                                       \
        .help = "stop at early stopping's best iteration (default: all trees)",                    \
        .value = &(variable)                                                                       \
    }
#define READS_HELP                                                                                 \
    "Files are of any format that treebench list names, gzipped or not. A table's columns (CSV) "  \
    "are\n"                                                                                        \
    "the model's features by name where its header has all of them, else from left to right "      \
    "where\n"                                                                                      \
    "there are as many. A column qid is no feature: it has the documents' queries.\n"

/* Reads both. Files without documents are refused. Lines on stderr say what may be mistaken:
 * documents of fewer features than the model tests, or of more than it has, columns by name or by
 * position, features that are absent and should be NaN, trees behind the best
 * iteration, scores that LightGBM prints otherwise. */
enum status inputs_read(const struct input_files *files, struct inputs *inputs,
                        struct error *error);
void inputs_free(struct inputs *inputs);

/* --first-feature's text. */
enum status inputs_parse_first_feature(const char *text, bool *from_zero, struct error *error);

/* A line on stderr if a model has trees behind early stopping's best iteration. */
void inputs_tell_trees(const char *path, const struct ensemble *ensemble);

/* A line on stderr where words of a table were coded. */
void inputs_tell_words(const char *path, const struct matrix *documents);

#endif
