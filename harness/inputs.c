#include "harness/inputs.h"

#include "datasets/format.h"
#include "models/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static enum status parse_missing(const char *text, float *missing, struct error *error) {
    *missing = 0;
    if (!text || strcmp(text, "zero") == 0)
        return STATUS_OK;
    if (strcmp(text, "nan") != 0)
        return error_set(error, STATUS_INPUT, "--missing: '%s' is neither zero nor nan", text);
    *missing = NAN;
    return STATUS_OK;
}

static enum status read_documents(const char *path, const struct data_reading *reading,
                                  struct matrix **documents, struct error *error) {
    enum status status = data_read(path, reading, documents, error);
    if (!status && (*documents)->n_rows == 0)
        return error_set(error, STATUS_INPUT, "%s: no documents in it", path);
    return status;
}

/* One more than the largest feature that a node tests. */
static uint32_t tested_features(const struct ensemble *ensemble) {
    uint32_t tested = 0;
    for (size_t i = 0; i < ensemble->n_nodes; i++)
        tested = ensemble->feature[i] >= tested ? ensemble->feature[i] + 1 : tested;
    return tested;
}

/* Scores of documents that lack what the model tests are rarely what was wanted. */
static void warn_of_width(const struct input_files *files, const struct inputs *inputs,
                          float missing) {
    uint32_t named = inputs->documents->n_named, tested = tested_features(inputs->ensemble);
    if (named < tested)
        fprintf(stderr,
                "treebench: %s: names features up to %" PRIu32 ", %s tests up to %" PRIu32
                ": the rest are taken as %s\n",
                files->data, named, files->model, tested, isnan(missing) ? "NaN" : "0");
}

/* Which column is which feature can be mistaken, and scores would not tell. */
static void tell_columns(const struct input_files *files, const struct inputs *inputs) {
    const struct matrix *documents = inputs->documents;
    if (documents->columns == COLUMNS_BY_NAME)
        fprintf(stderr,
                "treebench: %s: columns are taken by the names of %s's features, %" PRIu32
                " left out\n",
                files->data, files->model, documents->n_left_out);
    else if (documents->columns == COLUMNS_NAMED_ELSE)
        fprintf(stderr,
                "treebench: %s: columns are taken by position: none is named as a feature of %s "
                "('%.40s', ...)\n",
                files->data, files->model, inputs->ensemble->feature_names);
}

enum status inputs_read(const struct input_files *files, struct inputs *inputs,
                        struct error *error) {
    const char *model = files->model, *data = files->data;
    struct data_reading reading = {.label = files->label, .queries = files->queries};
    *inputs = (struct inputs){0};
    enum status status = parse_missing(files->missing, &reading.missing, error);
    if (!status && model && data && strcmp(model, "-") == 0 && strcmp(data, "-") == 0)
        status = error_set(error, STATUS_INPUT, "--model and --data cannot both be standard input");
    if (!status && model)
        status = model_read(model, &inputs->ensemble, error);
    if (!status && data) {
        reading.n_features = inputs->ensemble ? inputs->ensemble->n_features : 0;
        reading.feature_names = inputs->ensemble ? inputs->ensemble->feature_names : NULL;
        status = read_documents(data, &reading, &inputs->documents, error);
    }
    if (!status && model && data && !files->width_told)
        warn_of_width(files, inputs, reading.missing);
    if (!status && model && data)
        tell_columns(files, inputs);
    if (status)
        inputs_free(inputs);
    return status;
}

void inputs_free(struct inputs *inputs) {
    ensemble_free(inputs->ensemble);
    matrix_free(inputs->documents);
    *inputs = (struct inputs){0};
}
