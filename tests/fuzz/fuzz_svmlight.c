/* Any bytes are either refused with one line, or read into a matrix that survives being written and
 * read again, and take no more memory than docs/formats.md allows. */
#include "datasets/format.h"
#include "tests/fuzz/heap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct data_format *const FORMAT = &data_format_svmlight;

static void require(bool holds) {
    if (!holds)
        abort();
}

/* A refused text may have asked for as large a matrix as its size allows. */
static size_t allowed(const struct matrix *matrix, const char *text, size_t size) {
    enum { MATRIX_PER_BYTE = 1024, MATRIX_ALWAYS = 1 << 20, BYTES_PER_ROW = 64 + 128 };
    size_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    size_t values = matrix ? matrix->n_rows * matrix->stride * sizeof(float)
                           : MATRIX_PER_BYTE * size + MATRIX_ALWAYS;
    return 4 * size + HEAP_FIXED + values + BYTES_PER_ROW * lines;
}

static struct matrix *read_bytes(const char *text, size_t size,
                                 const struct data_reading *reading) {
    struct matrix *matrix;
    struct error error = {""};
    long long begin = heap_begin();
    enum status status = FORMAT->read("f", text, size, reading, &matrix, &error);
    heap_expect(begin, allowed(matrix, text, size));
    require((!status) == (matrix != NULL));
    require((!status) == (error.text[0] == '\0'));
    require(!strchr(error.text, '\n'));
    return matrix;
}

static bool same_float(float a, float b) {
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void require_same(const struct matrix *a, const struct matrix *b) {
    require(a->n_rows == b->n_rows && a->n_features == b->n_features);
    for (size_t i = 0; i < a->n_rows * a->stride; i++)
        require(same_float(a->values[i], b->values[i]));
    for (size_t row = 0; row < a->n_rows; row++)
        require(same_float(a->labels[row], b->labels[row]));
    require(a->n_queries == b->n_queries);
    for (size_t query = 0; query < a->n_queries; query++)
        require(a->query_id[query] == b->query_id[query] &&
                a->query_row[query] == b->query_row[query]);
}

static void write_and_read(const struct matrix *matrix) {
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    require(stream && FORMAT->write(matrix, stream, NULL) == STATUS_OK);
    require(fclose(stream) == 0);
    struct matrix *again = read_bytes(text, size, &(struct data_reading){0});
    require(again != NULL);
    require_same(matrix, again);
    matrix_free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { FEW_VALUES = 10 * 1000 }; /* writing more would slow the search down */
    const char *text = (const char *)data;
    struct matrix *matrix = read_bytes(text, size, &(struct data_reading){.missing = NAN});
    if (!matrix)
        return 0;
    matrix_free(matrix);
    matrix_free(read_bytes(text, size, &(struct data_reading){.from_zero = true}));
    matrix = read_bytes(text, size, &(struct data_reading){0});
    require(matrix != NULL);
    if (matrix->n_features > 0 && matrix->n_rows * matrix->n_features <= FEW_VALUES)
        write_and_read(matrix);
    matrix_free(matrix);
    return 0;
}
