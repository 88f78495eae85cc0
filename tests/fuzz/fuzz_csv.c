/* Any bytes are either refused with one line, or read into a matrix of numbers, and take no more
 * memory than docs/formats.md allows. */
#include "datasets/format.h"
#include "datasets/recognise.h"
#include "tests/fuzz/heap.h"

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

/* One for each column that has some. */
static void require_names(const struct matrix *matrix) {
    size_t count = 0;
    for (size_t i = 0; i < matrix->column_names_size; i++)
        count += matrix->column_names[i] == '\0';
    require(!matrix->column_names || count == matrix->n_named);
}

static size_t allowed(const char *text, size_t size) {
    enum { BYTES_PER_ROW = 64, BYTES_PER_FIELD = 256 };
    size_t lines = 1, fields = 1;
    for (size_t i = 0; i < size; i++) {
        lines += text[i] == '\n';
        fields += text[i] && strchr(",;\t \n", text[i]);
    }
    return 4 * size + HEAP_FIXED + BYTES_PER_ROW * lines + BYTES_PER_FIELD * fields;
}

static void read_bytes(const char *text, size_t size, const struct data_reading *reading) {
    struct matrix *matrix;
    struct error error = {""};
    long long begin = heap_begin();
    enum status status = data_format_csv.read("f", text, size, reading, &matrix, &error);
    heap_expect(begin, allowed(text, size));
    require((!status) == (matrix != NULL));
    require((!status) == (error.text[0] == '\0'));
    require(!status || strncmp(error.text, "f:", 2) == 0);
    if (matrix) {
        if (reading->words != WORDS_LABELS_ONLY) /* which may be missing */
            require_finite_labels(matrix);
        require_names(matrix);
    }
    matrix_free(matrix);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    text_recognise(text, size);
    read_bytes(text, size, &(struct data_reading){0});
    read_bytes(text, size, &(struct data_reading){.label = "last", .missing = NAN});
    read_bytes(text, size, &(struct data_reading){.words = WORDS_LABELS_ONLY});
    read_bytes(text, size, &(struct data_reading){.feature_names = "a\0b\0c d", .n_features = 3});
    return 0;
}
