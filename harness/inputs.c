#include "harness/inputs.h"

#include "datasets/format.h"
#include "models/format.h"

#include <math.h>
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

enum status inputs_read(const struct input_files *files, struct inputs *inputs,
                        struct error *error) {
    const char *model = files->model, *data = files->data;
    struct data_reading reading = {.label = files->label};
    *inputs = (struct inputs){0};
    enum status status = parse_missing(files->missing, &reading.missing, error);
    if (!status && model && data && strcmp(model, "-") == 0 && strcmp(data, "-") == 0)
        status = error_set(error, STATUS_INPUT, "--model and --data cannot both be standard input");
    if (!status && model)
        status = model_read(model, &inputs->ensemble, error);
    if (!status && data) {
        reading.n_features = inputs->ensemble ? inputs->ensemble->n_features : 0;
        status = read_documents(data, &reading, &inputs->documents, error);
    }
    if (status)
        inputs_free(inputs);
    return status;
}

void inputs_free(struct inputs *inputs) {
    ensemble_free(inputs->ensemble);
    matrix_free(inputs->documents);
    *inputs = (struct inputs){0};
}
