/* Reads tables: one document per line, with the same number of fields in each line. Commas,
 * semicolons, tabs or spaces separate the fields; the first line determines which.
 *
 *     age;job;height;target          the first line is a header if a column of numbers or truth
 *     30;"blue-collar";1,62;no       values begins with text
 *     ;"services";1.8;yes
 *
 * A field is a number, a truth value (TRUE is 1, FALSE is 0), text, or missing (empty, "NA", "N/A",
 * "null" or "?", read as NaN). Fields may be in double quotes, in which "" is a quote. With
 * semicolons, numbers may have decimal commas. A column has only numbers, only truth values, or
 * text. Text becomes 0, 1, ... in sorted order, or is rejected. If the model stores a feature's
 * categories, fields become their positions in that list. Features that the model computes from
 * categories (models/ctrs.h) are added to each line.
 *
 * Neither the label column nor a column named qid (the queries of the documents) is a feature. The
 * other columns are features 0, 1, ... from left to right. If the header has the names of all
 * features, columns are matched by name instead (datasets/columns.h).
 *
 * A row of the matrix needs at least 64 bytes, however short the line is. Apart from this and from
 * features that the caller requests, memory is proportional to the size of the text. */
#include "base/memory.h"
#include "base/number.h"
#include "datasets/columns.h"
#include "datasets/csv_table.h"
#include "datasets/csv_write.h"
#include "datasets/format.h"
#include "models/ensemble.h"
#include "models/placing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- first pass: columns ---------------------------------------------------------------------- */

typedef enum status (*field_visitor)(struct csv_table *r, size_t row, uint32_t column,
                                     struct csv_field field, const char *at, void *data);

static enum status visit_line(struct csv_table *r, size_t row, struct csv_field line,
                              field_visitor visit, void *data) {
    csv_begin_line(r->separator, &line);
    const char *at = line.begin;
    uint32_t column = 0;
    enum status status = STATUS_OK;
    for (; at && !status; column++) {
        struct csv_field field;
        if (row > 0 && column == r->n_columns)
            return csv_fail(r, at, "this line has more fields than the first line (%u)",
                            r->n_columns);
        if (!csv_next_field(r->separator, &at, line.end, &field))
            return csv_fail(r, at,
                            "the quotes of this field do not match. A quoted field begins and ends "
                            "with \"; a quote inside it is written twice");
        status = visit(r, row, column, field, field.begin, data);
    }
    if (!status && row > 0 && column < r->n_columns)
        return csv_fail(r, line.end, "this line has %u fields, but the first line has %u", column,
                        r->n_columns);
    return status;
}

static enum status visit_all(struct csv_table *r, field_visitor visit, void *data) {
    const char *at = r->text;
    struct csv_field line;
    enum status status = STATUS_OK;
    for (r->n_rows = 0; !status && csv_next_line(&at, r->end, &line); r->n_rows++)
        status = visit_line(r, r->n_rows, line, visit, data);
    return status;
}

/* The place for the first field of a kind. NULL for missing fields. */
static struct csv_field *first_of(struct csv_column *column, enum csv_kind kind) {
    return kind == CSV_NUMBER  ? &column->number
           : kind == CSV_TRUTH ? &column->truth
           : kind == CSV_WORD  ? &column->word
                               : NULL;
}

static enum status survey_field(struct csv_table *r, size_t row, uint32_t column,
                                struct csv_field field, const char *at, void *data) {
    float value;
    enum csv_kind kind = csv_classify(r->separator, field, &value);
    (void)data;
    if (row == 0) {
        if (column == ENSEMBLE_MAX_FEATURES)
            return csv_fail(r, at, "the table has more than %d columns", ENSEMBLE_MAX_FEATURES);
        if (!memory_grow((void **)&r->columns, &r->column_capacity, column, sizeof *r->columns))
            return error_memory(r->error, "the columns of a table");
        r->columns[column] = (struct csv_column){.name = field, .first_kind = kind};
        r->n_columns = column + 1;
        return STATUS_OK;
    }
    struct csv_field *first = first_of(&r->columns[column], kind);
    if (first && !first->begin)
        *first = field;
    return STATUS_OK;
}

/* Does the first line have text above a column of numbers or of truth values? */
static bool has_header(const struct csv_table *r) {
    bool found = false;
    for (uint32_t i = 0; i < r->n_columns; i++) {
        const struct csv_column *c = &r->columns[i];
        found |= c->first_kind == CSV_WORD && (c->number.begin || c->truth.begin) && !c->word.begin;
    }
    return found;
}

static enum status check_header(struct csv_table *r) {
    for (uint32_t i = 0; i < r->n_columns; i++) {
        struct csv_column *c = &r->columns[i];
        if (r->n_rows == 1 && (r->has_header || c->first_kind == CSV_WORD))
            return csv_fail(
                r, c->name.begin,
                "the table has no documents: its only line contains text, so it is a header");
        struct csv_field *first = first_of(c, c->first_kind);
        if (!r->has_header && first)
            *first = c->name;
    }
    return STATUS_OK;
}

/* --- first pass: which column is which feature ------------------------------------------------ */

static enum status match_names(struct csv_table *r, const struct data_reading *reading,
                               struct columns_match *match) {
    struct column_name *names = malloc(r->n_columns * sizeof *names);
    if (!names)
        return error_memory(r->error, "the names of columns");
    for (uint32_t i = 0; i < r->n_columns; i++)
        names[i] = (struct column_name){
            .begin = r->columns[i].name.begin, .end = r->columns[i].name.end, .column = i};
    *match = columns_match(names, r->n_columns, reading->feature_names, r->first_ctr);
    for (uint32_t i = 0; i < r->n_columns; i++)
        r->columns[names[i].column].feature = names[i].feature;
    free(names);
    return STATUS_OK;
}

/* Is the first line a header, because it contains the names of all features? If all names are
 * numbers, there must be at least three, because a document could begin with 0 and 1. */
static bool names_make_header(const struct csv_table *r, const struct columns_match *match,
                              uint32_t n_features) {
    bool words = false;
    for (uint32_t i = 0; i < r->n_columns; i++)
        words |= r->columns[i].feature != NO_FEATURE && r->columns[i].first_kind == CSV_WORD;
    return match->n_found == n_features && (words || n_features > 2);
}

/* Matches columns and features by name if the header has the names of all features, and by position
 * if it has none of them. */
static enum status find_features(struct csv_table *r, const struct data_reading *reading) {
    r->has_header = has_header(r);
    if (!reading->feature_names)
        return STATUS_OK;
    struct columns_match match = {0};
    enum status status = match_names(r, reading, &match);
    if (status)
        return status;
    r->has_header |= names_make_header(r, &match, r->first_ctr);
    if (!r->has_header)
        return STATUS_OK;
    struct error reason;
    r->by = match.n_found ? COLUMNS_BY_NAME : COLUMNS_NAMED_ELSE;
    status = columns_check(&match, r->first_ctr, &reason);
    return status ? csv_fail(r, r->text, "%.900s", reason.text) : STATUS_OK;
}

static void number_features(struct csv_table *r, uint32_t n_named) {
    r->n_features = r->by == COLUMNS_BY_NAME ? n_named : 0;
    for (uint32_t i = 0; r->by != COLUMNS_BY_NAME && i < r->n_columns; i++)
        r->columns[i].feature = i == r->label || i == r->query ? NO_FEATURE : r->n_features++;
}

static bool find_named(const struct csv_table *r, const char *name, uint32_t *column) {
    for (uint32_t i = 0; r->has_header && i < r->n_columns; i++) {
        if (csv_field_is(r->columns[i].name, name)) {
            *column = i;
            return true;
        }
    }
    return false;
}

/* Finds the column `name` for the labels, unless a feature has this name. */
static bool find_standard_label(const struct csv_table *r, const char *name, uint32_t *column) {
    uint32_t found;
    if (!find_named(r, name, &found) ||
        (r->by == COLUMNS_BY_NAME && r->columns[found].feature != NO_FEATURE))
        return false;
    *column = found;
    return true;
}

static enum status find_column(const struct csv_table *r, const char *label, uint32_t *column) {
    uint32_t number = 0;
    const char *end = label + strlen(label);
    if (find_named(r, label, column))
        return STATUS_OK;
    if (strcmp(label, "last") == 0)
        number = r->n_columns;
    else if (number_parse_u32(label, end, &number) != end)
        number = 0;
    if (number == 0 || number > r->n_columns)
        return csv_fail(r, r->text,
                        "--label: the table has no column '%.40s'. Use a name in the header, a "
                        "number from 1 to %u, or last",
                        label, r->n_columns);
    *column = number - 1;
    return STATUS_OK;
}

static enum status find_label(struct csv_table *r, const char *label) {
    r->label = NO_COLUMN;
    if (!label) {
        if (!find_standard_label(r, "target", &r->label))
            find_standard_label(r, "label", &r->label);
        return STATUS_OK;
    }
    enum status status = find_column(r, label, &r->label);
    if (!status && r->by == COLUMNS_BY_NAME && r->columns[r->label].feature != NO_FEATURE)
        status = csv_fail(
            r, r->columns[r->label].name.begin,
            "--label: the column '%.40s' is a feature of the model. Name another column", label);
    return status;
}

/* Finds the column named qid, unless it is the label column or a feature. */
static enum status find_query(struct csv_table *r) {
    r->query = NO_COLUMN;
    for (uint32_t i = 0; r->has_header && i < r->n_columns; i++) {
        const struct csv_column *c = &r->columns[i];
        bool is_feature = r->by == COLUMNS_BY_NAME && c->feature != NO_FEATURE;
        if (c->name.end - c->name.begin != 3 || strncasecmp(c->name.begin, "qid", 3) != 0 ||
            is_feature || i == r->label)
            continue;
        if (r->query != NO_COLUMN)
            return csv_fail(r, c->name.begin,
                            "the table has two columns named qid. Rename one of them");
        r->query = i;
    }
    return STATUS_OK;
}

/* --- second pass: queries --------------------------------------------------------------------- */

static enum status take_query(struct csv_table *r, size_t row, struct csv_field field) {
    int64_t id;
    if (number_parse_i64(field.begin, field.end, &id) != field.end)
        return csv_fail(r, field.begin, "'%.*s' is not a query number (a 64-bit integer)",
                        csv_shown(field), field.begin);
    return query_list_add(&r->queries, id, row, field.begin)
               ? STATUS_OK
               : error_memory(r->error, "the queries");
}

/* --- second pass: documents ------------------------------------------------------------------- */

static enum status store_field(struct csv_table *r, size_t row, uint32_t column,
                               struct csv_field field, const char *at, void *data) {
    struct matrix *matrix = data;
    uint32_t feature = r->columns[column].feature;
    float value;
    if (row < r->has_header || (feature == NO_FEATURE && column != r->label && column != r->query))
        return STATUS_OK;
    row -= r->has_header;
    if (column == r->query)
        return take_query(r, row, field);
    enum status status = STATUS_OK;
    enum csv_kind kind = csv_classify(r->separator, field, &value);
    if (column != r->label && csv_has_categories(r, feature))
        status = csv_store_category(r, matrix, column, field, &value);
    else if (kind == CSV_WORD || (kind == CSV_TRUTH && r->columns[column].word.begin))
        status = csv_number_word(r, field, column, &value);
    else if (kind != CSV_MISSING && column != r->label && r->placing)
        value = matrix_place(matrix, r->placing, feature, csv_exact_number(r->separator, field));
    else if (kind == CSV_NUMBER && isinf(value) && isfinite(csv_exact_number(r->separator, field)))
        status = csv_fail(r, at, "'%.*s' is too large for float32", csv_shown(field), at);
    if (status)
        return status;
    if (column != r->label) {
        matrix_row(matrix, row)[feature] = value;
        return STATUS_OK;
    }
    if (r->needs_labels && !isfinite(value))
        return csv_fail(r, at,
                        "the label is missing or infinite; expected a finite number or text");
    matrix->labels[row] = value;
    return STATUS_OK;
}

/* Stores a field, and after the last field of a line what is computed from the line. */
static enum status store_next(struct csv_table *r, size_t row, uint32_t column,
                              struct csv_field field, const char *at, void *data) {
    enum status status = store_field(r, row, column, field, at, data);
    if (!status && r->ctrs && row >= r->has_header && column + 1 == r->n_columns)
        csv_compute_ctrs(r, data, row - r->has_header);
    return status;
}

/* Fills the columns that the caller requested but the table does not have. */
static void fill_absent(struct matrix *matrix, uint32_t first, const struct data_reading *reading) {
    for (uint32_t i = first; i < matrix->n_features; i++) {
        float value = placing_place(reading->placing, i, (double)reading->missing);
        for (size_t row = 0; value != 0 && row < matrix->n_rows; row++)
            matrix_row(matrix, row)[i] = value;
    }
}

/* Keeps the names of the features' columns, unless columns were matched by name. */
static enum status keep_names(const struct csv_table *r, struct matrix *matrix) {
    if (!r->has_header || r->by == COLUMNS_BY_NAME)
        return STATUS_OK;
    const struct csv_field last = r->columns[r->n_columns - 1].name;
    size_t size = (size_t)(last.end - r->columns[0].name.begin) + r->n_columns;
    char *at = matrix->column_names = malloc(size);
    if (!at)
        return error_memory(r->error, "the names of columns");
    for (uint32_t i = 0; i < r->n_columns; i++) {
        const struct csv_field name = r->columns[i].name;
        size_t length = (size_t)(name.end - name.begin);
        if (r->columns[i].feature == NO_FEATURE)
            continue;
        memcpy(at, name.begin, length);
        at[length] = '\0';
        at += length + 1;
    }
    matrix->column_names_size = (size_t)(at - matrix->column_names);
    return STATUS_OK;
}

static enum status store_queries(struct csv_table *r, struct matrix *matrix) {
    struct query_begin back = {0};
    enum status status = query_list_store(&r->queries, matrix, &back, r->error);
    if (status != STATUS_INPUT)
        return status;
    return csv_fail(r, back.at,
                    "the documents of query %lld are not adjacent. Sort the documents by query",
                    (long long)back.id);
}

static enum status store(struct csv_table *r, const struct data_reading *reading,
                         struct matrix **matrix) {
    uint32_t n_features = r->n_features;
    uint32_t wanted = n_features > reading->n_features ? n_features : reading->n_features;
    if (n_features == 0)
        return csv_fail(r, r->text, "the table has no feature columns");
    enum status status = matrix_create(r->n_rows - r->has_header, wanted, matrix, r->error);
    if (status)
        return status;
    if (r->ctrs && !(r->hashes = calloc((*matrix)->n_features, sizeof *r->hashes)))
        return error_memory(r->error, "the categories of a line");
    if (r->label != NO_COLUMN) {
        (*matrix)->labels = malloc((*matrix)->n_rows * sizeof *(*matrix)->labels);
        if (!(*matrix)->labels)
            return error_memory(r->error, "the labels");
    }
    (*matrix)->n_named = n_features;
    (*matrix)->columns = r->by;
    (*matrix)->is_placed = true;
    (*matrix)->n_left_out =
        r->n_columns - (r->label != NO_COLUMN) - (r->query != NO_COLUMN) - n_features;
    fill_absent(*matrix, n_features, reading);
    status = keep_names(r, *matrix);
    if (!status)
        status = visit_all(r, store_next, *matrix);
    if (!status)
        status = store_queries(r, *matrix);
    return status ? status : csv_code_words(r, *matrix);
}

static enum status csv_read(const char *name, const char *text, size_t size,
                            const struct data_reading *reading, struct matrix **matrix,
                            struct error *error) {
    struct csv_table r = {.name = name,
                          .text = text,
                          .end = text + size,
                          .by = COLUMNS_BY_POSITION,
                          .placing = reading->placing,
                          .categories = reading->categories,
                          .ctrs = reading->ctrs,
                          .first_ctr = reading->n_features - ctrs_count(reading->ctrs),
                          .needs_labels = reading->words != WORDS_LABELS_ONLY,
                          .error = error};
    struct csv_field line;
    *matrix = NULL;
    const char *nul = memchr(text, '\0', size);
    if (nul)
        return csv_fail(&r, nul, "unexpected NUL byte; expected text");
    const char *at = r.text;
    if (!csv_next_line(&at, r.end, &line))
        return csv_fail(&r, text,
                        "the table has no documents; expected lines of fields separated by commas");
    r.separator = csv_find_separator(line);
    enum status status = visit_all(&r, survey_field, NULL);
    if (!status)
        status = find_features(&r, reading);
    if (!status)
        status = check_header(&r);
    if (!status)
        status = find_label(&r, reading->label);
    if (!status)
        status = find_query(&r);
    if (!status) {
        number_features(&r, r.first_ctr);
        status = csv_check_columns(&r, reading->words);
    }
    if (!status)
        status = store(&r, reading, matrix);
    free(r.columns);
    free(r.hashes);
    words_free(&r.words);
    query_list_free(&r.queries);
    if (status) {
        matrix_free(*matrix);
        *matrix = NULL;
    }
    return status;
}

const struct data_format data_format_csv = {
    .name = "csv",
    .title = "CSV, TSV and similar: fields separated by commas, semicolons, tabs or spaces",
    .read = csv_read,
    .write = csv_write,
};
