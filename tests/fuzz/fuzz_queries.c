/* A file of the queries' sizes is refused with one line, or it shares out all documents in their
 * order. */
#include "datasets/queries.h"
#include "tests/fuzz/own_folder.h"

/* The first byte says how many documents there are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[512];
    struct error error = {""};
    struct matrix matrix = {.n_rows = size ? data[0] : 0};
    snprintf(path, sizeof path, "%s/x.query", fuzz_folder());
    fuzz_write(path, size ? data + 1 : data, size ? size - 1 : 0);
    if (queries_read_sizes(path, "x", &matrix, &error)) {
        fuzz_expect_line(error.text, path);
        fuzz_expect(matrix.n_queries == 0 && !matrix.query_row && !matrix.query_id);
        return 0;
    }
    fuzz_expect(matrix.query_row[0] == 0 && matrix.query_row[matrix.n_queries] == matrix.n_rows);
    for (size_t q = 0; q < matrix.n_queries; q++)
        fuzz_expect(matrix.query_row[q] < matrix.query_row[q + 1]);
    free(matrix.query_row);
    free(matrix.query_id);
    return 0;
}
