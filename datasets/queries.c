#include "datasets/queries.h"

#include "base/files/file.h"
#include "base/memory.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    const char *path, *data;
    const char *at, *end;
    size_t line; /* line number of `at`, from 1 */
    size_t n_rows;
    size_t *query_row; /* [n_queries + 1] */
    size_t n_queries, capacity;
    struct error *error;
};

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

static enum status add_query(struct reader *r, uint32_t size) {
    size_t begin = r->query_row[r->n_queries];
    if (size > r->n_rows - begin)
        return error_set(
            r->error, STATUS_INPUT,
            "%s:%zu: this query has %u documents, but only %zu of the %zu documents of %s are left",
            r->path, r->line, size, r->n_rows - begin, r->n_rows, r->data);
    if (!memory_grow((void **)&r->query_row, &r->capacity, r->n_queries + 1, sizeof *r->query_row))
        return error_memory(r->error, "the queries");
    r->query_row[++r->n_queries] = begin + size;
    return STATUS_OK;
}

/* Reads the size of the next query. Blank lines are skipped. */
static enum status read_line(struct reader *r) {
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    const char *end = newline ? newline : r->end, *at = skip_blanks(r->at, end);
    uint32_t size;
    const char *behind = number_parse_u32(at, end, &size);
    bool is_size = behind && skip_blanks(behind, end) == end && size > 0;
    enum status status = STATUS_OK;
    if (is_size)
        status = add_query(r, size);
    else if (at < end)
        status = error_set(r->error, STATUS_INPUT,
                           "%s:%zu: this line is not the number of documents of a query; expected "
                           "a positive integer",
                           r->path, r->line);
    r->at = newline ? newline + 1 : end;
    r->line++;
    return status;
}

static enum status read_lines(struct reader *r) {
    if (!memory_grow((void **)&r->query_row, &r->capacity, 0, sizeof *r->query_row))
        return error_memory(r->error, "the queries");
    r->query_row[0] = 0;
    enum status status = STATUS_OK;
    while (!status && r->at < r->end)
        status = read_line(r);
    size_t sum = r->query_row[r->n_queries];
    if (!status && sum != r->n_rows)
        status =
            error_set(r->error, STATUS_INPUT,
                      "%s:%zu: the queries have %zu documents together, but %s has %zu documents",
                      r->path, r->line > 1 ? r->line - 1 : 1, sum, r->data, r->n_rows);
    return status;
}

/* Stores the queries in the matrix. On success, the matrix owns r->query_row. */
static enum status store(struct reader *r, struct matrix *matrix) {
    int64_t *ids = malloc(r->n_queries * sizeof *ids);
    if (!ids)
        return error_memory(r->error, "the queries");
    for (size_t q = 0; q < r->n_queries; q++)
        ids[q] = (int64_t)q + 1;
    matrix->query_id = ids;
    matrix->query_row = r->query_row;
    matrix->n_queries = r->n_queries;
    r->query_row = NULL;
    return STATUS_OK;
}

enum status queries_read_sizes(const char *path, const char *data, struct matrix *matrix,
                               struct error *error) {
    if (matrix->n_queries > 0)
        return error_set(
            error, STATUS_INPUT,
            "%s: query sizes cannot be used, because %s has queries of its own. Omit this file",
            path, data);
    struct file_text text;
    enum status status = file_read(path, &text, error);
    if (status)
        return status;
    file_text_drop_mark(&text);
    struct reader r = {.path = path,
                       .data = data,
                       .at = text.data,
                       .end = text.data + text.size,
                       .line = 1,
                       .n_rows = matrix->n_rows,
                       .error = error};
    status = read_lines(&r);
    if (!status)
        status = store(&r, matrix);
    free(r.query_row);
    file_text_free(&text);
    return status;
}
