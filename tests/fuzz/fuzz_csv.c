/* Any bytes are either refused with one line, or read into a matrix of numbers. */
#include "datasets/formats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void require(bool holds) {
    if (!holds)
        abort();
}

static void require_finite_labels(const struct matrix *matrix) {
    for (size_t row = 0; matrix->labels && row < matrix->n_rows; row++)
        require(isfinite(matrix->labels[row]));
}

static void read_bytes(const char *text, size_t size, const struct data_reading *reading) {
    struct matrix *matrix;
    struct error error = {""};
    enum status status = data_format_csv.read("f", text, size, reading, &matrix, &error);
    require((status == STATUS_OK) == (matrix != NULL));
    require((status == STATUS_OK) == (error.text[0] == '\0'));
    require(status == STATUS_OK || strncmp(error.text, "f:", 2) == 0);
    if (matrix)
        require_finite_labels(matrix);
    matrix_free(matrix);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    data_format_csv.recognise(text, size);
    read_bytes(text, size, &(struct data_reading){0});
    read_bytes(text, size, &(struct data_reading){.label = "last", .missing = NAN});
    read_bytes(text, size, &(struct data_reading){.feature_names = "a\0b\0c d", .n_features = 3});
    return 0;
}
