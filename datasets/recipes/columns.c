#include "datasets/recipes/columns.h"

#include "base/number.h"
#include "datasets/csv_fields.h"

#include <math.h>
#include <string.h>

enum { FIELDS_MAX = 1024, NUMBER_SIZE = 64 };

/* The row that is being converted. */
struct row_state {
    const char *name;      /* of the file */
    const char *text, *at; /* the file, and the row in it */
    struct csv_field fields[FIELDS_MAX];
    size_t n_fields;
};

static uint32_t repeats(const struct recipe_column *column) {
    return column->repeat ? column->repeat : 1;
}

uint32_t recipe_count_fields(const struct recipe *recipe) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < recipe->n_columns; i++)
        count += repeats(&recipe->columns[i]);
    return count;
}

/* Lines count from 1. Blank lines count too. */
static size_t line_number(const struct row_state *row) {
    size_t number = 1;
    for (const char *at = row->text; at < row->at; at++)
        number += *at == '\n';
    return number;
}

static enum status refuse(const struct row_state *row, size_t column, const char *what,
                          struct error *error) {
    struct csv_field field = row->fields[column];
    int length = (int)(field.end - field.begin < 40 ? field.end - field.begin : 40);
    return error_set(error, STATUS_INPUT, "%s:%zu: column %zu: '%.*s' is not %s", row->name,
                     line_number(row), column + 1, length, field.begin, what);
}

/* Finds the field in a list of words separated by blanks. Returns -1 if it is not there; sets
 * *count to the number of words. */
static int find_word(struct csv_field field, const char *words, uint32_t *count) {
    int found = -1;
    *count = 0;
    for (const char *at = words; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if ((size_t)(field.end - field.begin) == length && !memcmp(field.begin, at, length))
            found = (int)*count;
        ++*count;
        at += length;
    }
    return found;
}

/* Some tables have decimal commas. */
static bool parse_number(struct csv_field field, double *value) {
    char text[NUMBER_SIZE];
    size_t length = (size_t)(field.end - field.begin);
    if (length == 0 || length >= sizeof text)
        return false;
    memcpy(text, field.begin, length);
    char *comma = memchr(text, ',', length);
    if (comma)
        *comma = '.';
    return number_parse_double(text, text + length, value) == text + length;
}

static enum status convert_number(const struct recipe *recipe, const struct row_state *row,
                                  size_t at, const struct recipe_column *column, float *to,
                                  struct error *error) {
    double value;
    struct csv_field field = row->fields[at];
    if (column->damage && csv_field_is(field, column->damage))
        field = (struct csv_field){column->repair, column->repair + strlen(column->repair)};
    if (!parse_number(field, &value))
        return refuse(row, at, "a number", error);
    if (column->kind == COLUMN_TRUNCATED)
        value = trunc(value * (column->factor > 0 ? column->factor : 1));
    if (recipe->type == RECIPE_INT && (!isfinite(value) || value != trunc(value)))
        return refuse(row, at, "an integer", error);
    *to = (float)value;
    return STATUS_OK;
}

static enum status convert_word(const struct row_state *row, size_t at,
                                const struct recipe_column *column, float **to,
                                struct error *error) {
    uint32_t count;
    int word = find_word(row->fields[at], column->words, &count);
    if (word < 0 && column->kind == COLUMN_EACH_OR_LAST && csv_field_is(row->fields[at], "?"))
        word = (int)count - 1;
    if (word < 0)
        return refuse(row, at, "a word of this column", error);
    if (column->kind == COLUMN_CODE) {
        *(*to)++ = (float)word;
        return STATUS_OK;
    }
    (*to)[word] = 1;
    *to += count;
    return STATUS_OK;
}

static enum status convert_fields(const struct recipe *recipe, size_t first,
                                  const struct row_state *row, float *to, struct error *error) {
    enum status status = STATUS_OK;
    size_t at = first;
    for (uint32_t i = 0; i < recipe->n_columns; i++) {
        const struct recipe_column *column = &recipe->columns[i];
        for (uint32_t k = 0; k < repeats(column) && !status; k++, at++) {
            if (column->kind == COLUMN_NUMBER || column->kind == COLUMN_TRUNCATED)
                status = convert_number(recipe, row, at, column, to++, error);
            else if (column->kind != COLUMN_UNUSED)
                status = convert_word(row, at, column, &to, error);
        }
    }
    return status;
}

static enum status convert_label(const char *labels, const struct row_state *row, size_t at,
                                 float *label, struct error *error) {
    uint32_t count;
    struct csv_field field = row->fields[at];
    /* a class may be written as "3.0" */
    if (field.end - field.begin > 2 && field.end[-1] == '0' && field.end[-2] == '.')
        field.end -= 2;
    int class = find_word(field, labels, &count);
    if (class < 0)
        return refuse(row, at, "a class of this data set", error);
    *label = (float)class;
    return STATUS_OK;
}

static bool split_line(char separator, struct csv_field line, struct row_state *row) {
    const char *at = line.begin;
    csv_begin_line(separator, &line);
    at = line.begin;
    for (row->n_fields = 0; at && row->n_fields < FIELDS_MAX; row->n_fields++)
        if (!csv_next_field(separator, &at, line.end, &row->fields[row->n_fields]))
            return false;
    return !at;
}

static bool is_finite(const float *values, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* Converts one row into the next row of the matrix. The row is overwritten by the following one if
 * the recipe drops it. */
static enum status convert_row(const struct recipe *recipe, const struct recipe_source *source,
                               const struct row_state *row, size_t n_seen, struct matrix *matrix,
                               struct error *error) {
    size_t n_fields = row->n_fields - 1;
    float *to = matrix_row(matrix, matrix->n_rows);
    memset(to, 0, matrix->stride * sizeof *to);
    enum status status = convert_fields(recipe, source->label_first, row, to, error);
    if (!status)
        status = convert_label(source->labels, row, source->label_first ? 0 : n_fields,
                               &matrix->labels[matrix->n_rows], error);
    bool is_dropped = (recipe->drops_first_row && n_seen == 0) ||
                      (recipe->drops_not_finite && !is_finite(to, matrix->n_features));
    if (!status && !is_dropped)
        matrix->n_rows++;
    return status;
}

enum status recipe_convert(const struct recipe *recipe, const struct recipe_source *source,
                           const char *name, const char *text, size_t size, struct matrix *matrix,
                           size_t *n_seen, struct error *error) {
    const char *at = text, *end = text + size;
    struct csv_field line;
    struct row_state row = {.name = name, .text = text};
    uint32_t wanted = recipe_count_fields(recipe) + 1;
    char separator = 0;
    enum status status = STATUS_OK;
    while (!status && csv_next_line(&at, end, &line)) {
        bool is_first = row.at == NULL;
        row.at = line.begin;
        if (!separator)
            separator = csv_find_separator(line);
        if (is_first && source->has_header)
            continue;
        bool is_whole = split_line(separator, line, &row) && row.n_fields == wanted;
        if (!is_whole && source->note && at == end)
            break; /* the part was cut within a line */
        if (!is_whole)
            return error_set(error, STATUS_INPUT, "%s:%zu: expected %u columns", name,
                             line_number(&row), wanted);
        status = convert_row(recipe, source, &row, (*n_seen)++, matrix, error);
    }
    return status;
}
