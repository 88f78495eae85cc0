/* Real models and their documents in the folder TREEBENCH_DATA. Without it, the test is skipped.
 * Include after cmocka.h. */
#ifndef TESTS_MODELS_REAL_H
#define TESTS_MODELS_REAL_H

#include "datasets/data.h"
#include "models/format.h"

#include <stdio.h>
#include <stdlib.h>

/* The path of a file in that folder, valid until the next call. */
static inline const char *real_path(const char *file) {
    static char path[4096];
    const char *folder = getenv("TREEBENCH_DATA");
    if (!folder || !*folder) {
        print_message("TREEBENCH_DATA is unset: no real model\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "", file);
    return path;
}

static inline struct ensemble *real_model(const char *file) {
    struct ensemble *e = NULL;
    struct error error;
    if (model_read(real_path(file), &e, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return e;
}

/* `label` is the label column of a table; see struct data_reading. */
static inline struct matrix *real_documents(const char *file, const char *label) {
    struct matrix *documents = NULL;
    struct error error;
    const struct data_reading reading = {.label = label};
    if (data_read(real_path(file), &reading, &documents, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return documents;
}

#endif
