#include "harness/papers/report_parts.h"

#include "base/files/file.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 32, LINES_MAX = 4096 };

struct reference {
    /* the file's text, with a NUL in place of each comma and each line end */
    struct file_text text;
    size_t n_columns, n_lines;
    char *fields[LINES_MAX][COLUMNS_MAX]; /* the header is line 0 */
};

/* Splits a line into fields. Returns their number, or 0 if there are too many. */
static size_t cut_line(char *line, char **fields) {
    size_t count = 0;
    for (char *comma = line; comma; line = comma) {
        if (count == COLUMNS_MAX)
            return 0;
        fields[count++] = line;
        comma = strchr(line, ',');
        if (comma)
            *comma++ = '\0';
    }
    return count;
}

static enum status cut_text(const char *path, struct reference *reference, struct error *error) {
    char *line = reference->text.data;
    while (*line) {
        if (reference->n_lines == LINES_MAX)
            return error_set(error, STATUS_INPUT, "%s: more than %d lines", path, LINES_MAX);
        char *next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        size_t number = reference->n_lines++;
        size_t count = cut_line(line, reference->fields[number]);
        if (number == 0)
            reference->n_columns = count;
        if (count == 0 || count != reference->n_columns)
            return error_set(error, STATUS_INPUT,
                             "%s:%zu: must have the same number of fields as the header", path,
                             number + 1);
        line = next;
    }
    return STATUS_OK;
}

enum status reference_read(const char *path, struct reference **reference, struct error *error) {
    struct reference *read = calloc(1, sizeof *read);
    if (!read)
        return error_memory(error, "the paper's numbers");
    enum status status = file_read_kept(path, &read->text, error);
    if (status) {
        free(read);
        return status;
    }
    status = cut_text(path, read, error);
    if (status) {
        reference_free(read);
        return status;
    }
    *reference = read;
    return STATUS_OK;
}

void reference_free(struct reference *reference) {
    if (!reference)
        return;
    file_text_free(&reference->text);
    free(reference);
}

static const char *field(const struct reference *reference, size_t line, const char *column) {
    for (size_t i = 0; i < reference->n_columns; i++)
        if (strcmp(reference->fields[0][i], column) == 0)
            return reference->fields[line][i];
    return NULL;
}

/* Returns true if the column has the wanted number on this line. Also returns true if the file
 * lacks the column or if `wanted` is 0. */
static bool has_number(const struct reference *reference, size_t line, const char *column,
                       uint32_t wanted) {
    const char *text = field(reference, line, column);
    uint32_t value;
    return !text || wanted == 0 ||
           (number_parse_u32(text, text + strlen(text), &value) && value == wanted);
}

static bool has_text(const struct reference *reference, size_t line, const char *column,
                     const char *wanted) {
    const char *text = field(reference, line, column);
    return !text || strcmp(text, wanted) == 0;
}

static bool is_of(const struct reference *reference, size_t line, const struct point *point) {
    return has_number(reference, line, "features", point->features) &&
           has_number(reference, line, "depth", point->depth) &&
           has_number(reference, line, "max_leaves", point->max_leaves) &&
           has_number(reference, line, "trees", point->trees) &&
           has_number(reference, line, "threads", point->threads) &&
           has_text(reference, line, "data", point->data) &&
           has_text(reference, line, "parallel", point->parallel);
}

const char *reference_find(const struct reference *reference, const struct point *point,
                           const char *column) {
    for (size_t i = 1; i < reference->n_lines; i++)
        if (is_of(reference, i, point))
            return field(reference, i, column);
    return NULL;
}

const char *reference_text(const struct reference *reference, const struct point *point,
                           const char *column) {
    const char *text = reference && column ? reference_find(reference, point, column) : NULL;
    return text && *text ? text : "-";
}
