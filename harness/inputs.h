/* The model and the documents that a command is given. */
#ifndef HARNESS_INPUTS_H
#define HARNESS_INPUTS_H

#include "base/status.h"
#include "datasets/matrix.h"
#include "models/ensemble.h"

#include <stdbool.h>

struct inputs {
    struct ensemble *ensemble; /* NULL when no model was asked for */
    struct matrix *documents;  /* NULL when no data was asked for; at least the model's features */
};

/* What a command was given; each may be NULL. */
struct input_files {
    const char *model, *data;
    const char *missing; /* what an absent feature is: "zero", "nan", or NULL for zero */
    const char *label;   /* the labels' column of a table, see struct data_reading */
    const char *queries; /* a file of the sizes of the documents' queries */
    bool width_told;     /* the command itself says how wide the documents are */
};
#define LABEL_HELP "a table's column of labels: NAME, NUMBER or last"
#define READS_HELP                                                                                 \
    "Files are of any format that treebench list names, gzipped or not. A table's columns (CSV) "  \
    "are\n"                                                                                        \
    "the model's features by name where its header has all of them, else from left to right.\n"
#define QUERIES_HELP "how many documents each query has, one a line (instead of qid:)"

/* Reads both. Files without documents are refused. Where the documents have fewer features than the
 * model tests, a line on stderr says so, unless width_told. */
enum status inputs_read(const struct input_files *files, struct inputs *inputs,
                        struct error *error);
void inputs_free(struct inputs *inputs);

#endif
