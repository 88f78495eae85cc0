/* Reads the model and the documents that a command is given. */
#ifndef HARNESS_CLI_SHARED_INPUTS_H
#define HARNESS_CLI_SHARED_INPUTS_H

#include "base/status.h"
#include "datasets/data.h"
#include "datasets/matrix.h"
#include "harness/cli/shared/command.h"
#include "models/ensemble.h"

struct inputs {
    struct ensemble *ensemble; /* NULL if no model was given */
    /* NULL if no data was given; otherwise has at least as many features as the model */
    struct matrix *documents;
    double load_ns; /* wall time of reading the model */
    /* number of features whose values were replaced by ranks (models/placing.h) */
    uint32_t n_coded;
    /* true if the documents came from a cache, in which values are already float32 */
    bool from_cache;
};

/* What the documents are used for. This decides which tables are rejected. */
enum input_use {
    /* rejects text in columns of features, and tables with too many or too few columns */
    INPUTS_SCORED,
    INPUTS_JUDGED, /* also rejects text in the column of labels, because it names no known class */
    INPUTS_SHOWN   /* accepts all tables, because they are only shown or converted */
};

/* The files and options that a command was given. */
struct input_files {
    const char *model, *data; /* NULL: not given */
    /* documents whose paths give the probabilities of branches, or NULL */
    const char *profile;
    /* the table's column of labels (see struct data_reading), or NULL */
    const char *label;
    const char *queries; /* a file with the number of documents of each query, or NULL */
    int missing;         /* an enum missing: the value of absent features */
    int first_feature;   /* an enum first_feature: how SVMlight text numbers features */
    int data_format;     /* an enum data_format_choice: the format of text with documents */
    /* if not 0, use only the trees up to the best iteration of early stopping */
    int trees;
    enum input_use use;
};

/* The words that some options accept, and the enums of their values. */
extern const char *const missing_words[], *const first_feature_words[], *const trees_words[];
extern const char *const data_format_words[];
enum missing { MISSING_DEFAULT, MISSING_ZERO, MISSING_NAN };
enum first_feature { FIRST_FEATURE_FOUND, FIRST_FEATURE_ZERO, FIRST_FEATURE_ONE };
enum data_format_choice { DATA_FORMAT_FOUND, DATA_FORMAT_TABLE, DATA_FORMAT_SVMLIGHT };

#define MODEL_FLAG(request, files, is_required)                                                    \
    {                                                                                              \
        "model", "FILE", "the model", SETS_TEXT(request, files.model), .required = (is_required),  \
                                                                       .file = FLAG_READS          \
    }
#define DATA_FLAG(request, files, is_required)                                                     \
    {                                                                                              \
        "data", "FILE", "the documents; - is standard input", SETS_TEXT(request, files.data),      \
            .required = (is_required), .file = FLAG_READS                                          \
    }
/* How files of documents are read: those of --data, or of another option; NULL: of several. */
#define READING_FLAGS(request, files) READING_FLAGS_OF(request, files, "data")
#define READING_FLAGS_OF(request, files, option)                                                   \
    {"label", "COLUMN", "the column of labels in a table: a name, a number or last",               \
     SETS_TEXT(request, files.label), .needs = (option)},                                          \
        {"first-feature", NULL,                                                                    \
         "the first feature's number in SVMlight text (default: found, else 1)",                   \
         SETS_CHOICE(request, files.first_feature, first_feature_words), .needs = (option)},       \
    {                                                                                              \
        "data-format", NULL, "the format of text with documents (default: found)",                 \
            SETS_CHOICE(request, files.data_format, data_format_words), .needs = (option)          \
    }
#define MISSING_FLAG(request, files)                                                               \
    {                                                                                              \
        "missing", NULL, "the value of features that a document does not name (default: zero)",    \
            SETS_CHOICE(request, files.missing, missing_words), .needs = "data"                    \
    }
#define QUERIES_FLAG(request, files)                                                               \
    {                                                                                              \
        "queries", "FILE",                                                                         \
            "how many documents each query has, one number per line (instead of qid)",             \
            SETS_TEXT(request, files.queries), .needs = "data", .file = FLAG_READS                 \
    }
#define TREES_FLAG(request, files)                                                                 \
    {                                                                                              \
        "trees", NULL, "stop at early stopping's best iteration (default: all trees)",             \
            SETS_CHOICE(request, files.trees, trees_words), .needs = "model"                       \
    }
#define PROFILE_FLAG(request, files)                                                               \
    {                                                                                              \
        "profile", "FILE", "documents that tell how likely each branch is",                        \
            SETS_TEXT(request, files.profile), .needs = "model", .file = FLAG_READS                \
    }
#define READS_HELP                                                                                 \
    "Files may have any format that treebench list names, and may be gzipped. If a table's "       \
    "header "                                                                                      \
    "has all of the model's features, columns are matched by name. Otherwise the table must have " \
    "as "                                                                                          \
    "many columns as features, in their order. A column qid is not a feature: it holds the "       \
    "queries.\n"

/* Reads the model and the documents. A file without documents is an error. Prints notes on stderr
 * about facts that the user may have overlooked. Examples are too few features, the way in which
 * columns were matched, and trees after the best iteration. */
enum status inputs_read(const struct input_files *files, struct inputs *inputs,
                        struct error *error);
void inputs_free(struct inputs *inputs);

/* Returns an error if scoring would reject these documents for this model, although they were read
 * to be shown. */
enum status inputs_check_match(const struct input_files *files, const struct inputs *inputs,
                               struct error *error);

/* How the options say that documents are read. The caller adds what a model and a use decide. */
struct data_reading inputs_reading(const struct input_files *files);

/* Prints a note if the model has trees after the best iteration of early stopping. */
void inputs_tell_trees(const char *path, const struct ensemble *ensemble);

/* Prints a note if codes replaced text in a table. */
void inputs_tell_words(const char *path, const struct matrix *documents);

#endif
