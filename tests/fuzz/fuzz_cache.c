/* Any bytes are either refused with one line, or read into a matrix that is written as the same
 * bytes, and take no more memory than docs/formats.md allows. The checksum is made right first:
 * else nothing would get past it. */
#include "datasets/columns.h"
#include "datasets/format.h"
#include "tests/fuzz/heap.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { AT_FILE_SIZE = 16, AT_CHECKSUM = 56, HEADER_SIZE = 256 };

static void require(bool holds) {
    if (!holds)
        abort();
}

static void seal(char *bytes, size_t size) {
    uint64_t file_size = size;
    uint32_t checksum = 0;
    memcpy(bytes + AT_FILE_SIZE, &file_size, sizeof file_size);
    memcpy(bytes + AT_CHECKSUM, &checksum, sizeof checksum);
    checksum = (uint32_t)crc32_z(0, (const unsigned char *)bytes, size);
    memcpy(bytes + AT_CHECKSUM, &checksum, sizeof checksum);
}

static void require_same_size_when_written(const struct matrix *matrix, size_t size) {
    char *text = NULL;
    size_t written;
    FILE *stream = open_memstream(&text, &written);
    require(stream && data_format_cache.write(matrix, stream, NULL) == STATUS_OK);
    require(fclose(stream) == 0);
    require(written == size);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *bytes = malloc(size + 1);
    require(bytes != NULL);
    memcpy(bytes, data, size);
    if (size >= HEADER_SIZE)
        seal(bytes, size);
    struct matrix *matrix;
    struct error error = {""};
    long long begin = heap_begin();
    enum status status =
        data_format_cache.read("f", bytes, size, &(struct data_reading){0}, &matrix, &error);
    heap_expect(begin, 4 * size + HEAP_FIXED);
    require((!status) == (matrix != NULL));
    require((!status) == (error.text[0] == '\0'));
    require(!strchr(error.text, '\n'));
    if (matrix)
        require_same_size_when_written(matrix, size);
    const struct data_reading named = {.feature_names = "x\0a b", .n_features = 2};
    if (matrix && columns_arrange("f", &named, matrix, &error) == STATUS_OK)
        require(matrix->columns != COLUMNS_BY_NAME || matrix->n_named == 2);
    matrix_free(matrix);
    free(bytes);
    return 0;
}
