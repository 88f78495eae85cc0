#include "datasets/columns.h"

#include "datasets/matrix.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int letter(char c) {
    return c == ' ' ? '_' : (unsigned char)c;
}

static int compare(const void *a, const void *b) {
    const struct column_name *x = a, *y = b;
    const char *at = x->begin, *other = y->begin;
    while (at < x->end && other < y->end && letter(*at) == letter(*other))
        at++, other++;
    if (at == x->end || other == y->end)
        return (at < x->end) - (other < y->end);
    return letter(*at) - letter(*other);
}

static bool is_twice(const struct column_name *columns, uint32_t n_columns,
                     const struct column_name *found) {
    const struct column_name *end = columns + n_columns;
    return found->feature != NO_FEATURE || (found > columns && compare(found - 1, found) == 0) ||
           (found + 1 < end && compare(found + 1, found) == 0);
}

struct columns_match columns_match(struct column_name *columns, uint32_t n_columns,
                                   const char *names, uint32_t n_features) {
    struct columns_match match = {0};
    const char *name = names;
    qsort(columns, n_columns, sizeof *columns, compare);
    for (uint32_t i = 0; i < n_columns; i++)
        columns[i].feature = NO_FEATURE;
    for (uint32_t f = 0; f < n_features; f++, name += strlen(name) + 1) {
        const struct column_name key = {.begin = name, .end = name + strlen(name)};
        struct column_name *found = bsearch(&key, columns, n_columns, sizeof *columns, compare);
        if (!found && !match.absent) {
            match.absent = name;
            match.absent_feature = f;
        }
        if (!found)
            continue;
        if (is_twice(columns, n_columns, found) && !match.twice)
            match.twice = name;
        found->feature = f;
        match.n_found++;
    }
    return match;
}

enum status columns_check(const struct columns_match *match, uint32_t n_features,
                          struct error *reason) {
    if (match->n_found && match->absent)
        return error_set(
            reason, STATUS_INPUT,
            "the table has columns for some of the model's features, but not for '%.40s' (feature "
            "%u). It names %u of %u features; name all of them or none",
            match->absent, match->absent_feature, match->n_found, n_features);
    if (match->twice)
        return error_set(
            reason, STATUS_INPUT,
            "'%.40s' is the name of two columns, or of two features of the model. Rename one of "
            "them",
            match->twice);
    return STATUS_OK;
}

/* --- columns of a matrix ---------------------------------------------------------------------- */

static struct column_name *list_names(const struct matrix *matrix) {
    struct column_name *columns = malloc((matrix->n_named + 1) * sizeof *columns);
    const char *name = matrix->column_names;
    for (uint32_t i = 0; columns && i < matrix->n_named; i++, name += strlen(name) + 1)
        columns[i] = (struct column_name){.begin = name, .end = name + strlen(name), .column = i};
    return columns;
}

/* Brings the columns into the order of the features. Every feature must have a column (see
 * columns_check). */
static enum status take_columns(const struct column_name *columns, uint32_t n_features,
                                struct matrix *matrix, struct error *error) {
    uint32_t *column_of = calloc((size_t)n_features + 1, sizeof *column_of);
    if (!column_of)
        return error_memory(error, "the columns of features");
    for (uint32_t i = 0; i < matrix->n_named; i++)
        if (columns[i].feature != NO_FEATURE)
            column_of[columns[i].feature] = columns[i].column;
    enum status status = matrix_take_columns(matrix, column_of, n_features, error);
    free(column_of);
    return status;
}

enum status columns_are_distinct(const struct matrix *matrix, bool *distinct, struct error *error) {
    *distinct = false;
    if (!matrix->column_names)
        return STATUS_OK;
    struct column_name *columns = list_names(matrix);
    if (!columns)
        return error_memory(error, "the names of columns");
    *distinct =
        !columns_match(columns, matrix->n_named, matrix->column_names, matrix->n_named).twice;
    free(columns);
    return STATUS_OK;
}

enum status columns_arrange(const char *name, const struct data_reading *reading,
                            struct matrix *matrix, struct error *error) {
    if (!matrix->column_names || !reading->feature_names)
        return STATUS_OK;
    struct column_name *columns = list_names(matrix);
    if (!columns)
        return error_memory(error, "the names of columns");
    const struct columns_match match =
        columns_match(columns, matrix->n_named, reading->feature_names, reading->n_features);
    struct error reason;
    enum status status = columns_check(&match, reading->n_features, &reason);
    if (status)
        error_set(error, status, "%s: %.900s", name, reason.text);
    else if (match.n_found)
        status = take_columns(columns, reading->n_features, matrix, error);
    else
        matrix->columns = COLUMNS_NAMED_ELSE;
    free(columns);
    return status;
}
