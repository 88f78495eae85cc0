/* The model and the documents that a command is given. */
#ifndef HARNESS_INPUTS_H
#define HARNESS_INPUTS_H

#include "base/status.h"
#include "datasets/matrix.h"
#include "models/ensemble.h"

struct inputs {
    struct ensemble *ensemble; /* NULL when no model was asked for */
    struct matrix *documents;  /* NULL when no data was asked for; at least the model's features */
};

/* Reads both. Either may be NULL. `missing` is what an absent feature is: "zero", "nan", or NULL
 * for zero. Files without documents are refused. */
enum status inputs_read(const char *model, const char *data, const char *missing,
                        struct inputs *inputs, struct error *error);
void inputs_free(struct inputs *inputs);

#endif
