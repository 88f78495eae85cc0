/* Tables: one document per line, the same number of fields in each, with commas, semicolons, tabs
 * or spaces between (the first line tells which).
 *
 *     age;job;height;target          the first line is a header where a column of numbers begins
 *     30;"blue-collar";1,62;no       with a word in it
 *     ;"services";1.8;yes
 *
 * A field is a number, missing (empty, "NA", "N/A", "null" or "?": NaN) or a word; fields may stand
 * in double quotes, in which "" is a quote. With semicolons a number may have a decimal comma. A
 * column is all numbers or all words, which become 0, 1, ... in sorted order, or are refused; but
 * if the model lists a feature's categories, its fields become their places in that list. The
 * label's column is no feature, nor is one named qid, the documents' queries; the others are
 * features 0, 1, ... from left to right, or those that they are named as, where all features' names
 * are in the header (datasets/columns.h).
 *
 * A short line asks for much memory only by the matrix, whose rows are rounded up to 64 bytes. */
#include "base/memory.h"
#include "base/number.h"
#include "datasets/columns.h"
#include "datasets/csv_fields.h"
#include "datasets/csv_values.h"
#include "datasets/csv_write.h"
#include "datasets/formats.h"
#include "datasets/query_list.h"
#include "datasets/words.h"
#include "models/categories.h"
#include "models/ensemble.h"
#include "models/placing.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct column {
    struct csv_field name;         /* its field of the first line */
    enum csv_kind first_kind;      /* of that field */
    struct csv_field number, word; /* the first of each below the first line; begin NULL: none */
    uint32_t n_words;              /* that differ */
    uint32_t feature;              /* NO_FEATURE: it is none */
};

struct reader {
    const char *name, *text, *end;
    char separator;
    struct column *columns;
    uint32_t n_columns;
    size_t column_capacity, n_rows;
    bool has_header;
    bool needs_labels;   /* numbers, all of them */
    uint32_t label;      /* its column, NO_COLUMN for none */
    uint32_t query;      /* the same */
    uint32_t n_features; /* columns that are features */
    enum matrix_columns by;
    const struct placing *placing;       /* or NULL */
    const struct categories *categories; /* or NULL */
    struct words words;
    struct query_list queries;
    struct error *error;
};
static const uint32_t NO_COLUMN = UINT32_MAX;

/* --- errors ----------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static enum status
fail(const struct reader *r, const char *at, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    enum status status = error_set_at(r->error, r->name, r->text, at, format, arguments);
    va_end(arguments);
    return status;
}

/* How much of a field an error shows. */
static int shown(struct csv_field field) {
    ptrdiff_t length = field.end - field.begin;
    return length < 40 ? (int)length : 40;
}

/* --- first pass: columns ---------------------------------------------------------------------- */

typedef enum status (*field_visitor)(struct reader *r, size_t row, uint32_t column,
                                     struct csv_field field, const char *at, void *data);

static enum status visit_line(struct reader *r, size_t row, struct csv_field line,
                              field_visitor visit, void *data) {
    csv_begin_line(r->separator, &line);
    const char *at = line.begin;
    uint32_t column = 0;
    enum status status = STATUS_OK;
    for (; at && !status; column++) {
        struct csv_field field;
        if (row > 0 && column == r->n_columns)
            return fail(r, at, "more fields than the %u of the first line", r->n_columns);
        if (!csv_next_field(r->separator, &at, line.end, &field))
            return fail(r, at, "a quote that is not closed at the end of its field");
        status = visit(r, row, column, field, field.begin, data);
    }
    if (!status && row > 0 && column < r->n_columns)
        return fail(r, line.end, "%u fields, should be %u as in the first line", column,
                    r->n_columns);
    return status;
}

static enum status visit_all(struct reader *r, field_visitor visit, void *data) {
    const char *at = r->text;
    struct csv_field line;
    enum status status = STATUS_OK;
    for (r->n_rows = 0; !status && csv_next_line(&at, r->end, &line); r->n_rows++)
        status = visit_line(r, r->n_rows, line, visit, data);
    return status;
}

static enum status survey_field(struct reader *r, size_t row, uint32_t column,
                                struct csv_field field, const char *at, void *data) {
    float value;
    enum csv_kind kind = csv_classify(r->separator, field, &value);
    (void)data;
    if (row == 0) {
        if (column == ENSEMBLE_MAX_FEATURES)
            return fail(r, at, "more than %d columns", ENSEMBLE_MAX_FEATURES);
        if (!memory_grow((void **)&r->columns, &r->column_capacity, column, sizeof *r->columns))
            return error_memory(r->error, "the columns of a table");
        r->columns[column] = (struct column){.name = field, .first_kind = kind};
        r->n_columns = column + 1;
        return STATUS_OK;
    }
    struct column *c = &r->columns[column];
    struct csv_field *first = kind == CSV_NUMBER ? &c->number : &c->word;
    if (kind != CSV_MISSING && !first->begin)
        *first = field;
    return STATUS_OK;
}

/* A column of numbers that begins with a word. */
static bool has_header(const struct reader *r) {
    bool found = false;
    for (uint32_t i = 0; i < r->n_columns; i++) {
        const struct column *c = &r->columns[i];
        found |= c->first_kind == CSV_WORD && c->number.begin && !c->word.begin;
    }
    return found;
}

static enum status check_header(struct reader *r) {
    for (uint32_t i = 0; i < r->n_columns; i++) {
        struct column *c = &r->columns[i];
        if (r->n_rows == 1 && (r->has_header || c->first_kind == CSV_WORD))
            return fail(r, c->name.begin,
                        "a header without documents, or a single document with "
                        "a word: should be more lines");
        if (!r->has_header && c->first_kind == CSV_NUMBER)
            c->number = c->name;
        if (!r->has_header && c->first_kind == CSV_WORD)
            c->word = c->name;
    }
    return STATUS_OK;
}

static bool has_categories(const struct reader *r, uint32_t feature) {
    return feature != NO_FEATURE && categories_count(r->categories, feature) > 0;
}

/* A column of numbers for a list of words is probably one of codes, and nobody can know whose. */
static enum status check_category_column(const struct reader *r, uint32_t i) {
    const struct column *c = &r->columns[i];
    struct csv_field number = c->number;
    if (categories_are_numbers(r->categories, c->feature) || c->word.begin || !number.begin ||
        categories_find(r->categories, c->feature, number.begin,
                        (size_t)(number.end - number.begin)) != CATEGORIES_UNKNOWN ||
        csv_is_nan(number))
        return STATUS_OK;
    return fail(r, number.begin,
                "column %u has numbers like '%.*s', but the model's categories of this feature are "
                "words; write the words",
                i + 1, shown(number), number.begin);
}

/* Refuses words between numbers, and where nobody can know their codes. */
static enum status check_column(const struct reader *r, uint32_t i, enum data_words words) {
    const struct column *c = &r->columns[i];
    const struct csv_field word = c->word;
    if (i != r->label && has_categories(r, c->feature))
        return check_category_column(r, i);
    if (!word.begin || (c->feature == NO_FEATURE && i != r->label))
        return STATUS_OK;
    if (c->number.begin)
        return fail(
            r, word.begin,
            "'%.*s' is no number, and others of column %u are; should be all numbers or all "
            "words (missing ones empty, NA, N/A, null or ?)",
            shown(word), word.begin, i + 1);
    if (i == r->label ? words == WORDS_REFUSED : words != WORDS_CODED)
        return fail(r, word.begin,
                    "'%.*s' in column %u is a word, and a model does not say which numbers stood "
                    "for words where it was trained; should be those numbers",
                    shown(word), word.begin, i + 1);
    return STATUS_OK;
}

static enum status check_columns(const struct reader *r, enum data_words words) {
    enum status status = STATUS_OK;
    for (uint32_t i = 0; !status && i < r->n_columns; i++)
        status = check_column(r, i, words);
    return status;
}

/* --- first pass: which column is which feature ------------------------------------------------ */

static enum status match_names(struct reader *r, const struct data_reading *reading,
                               struct columns_match *match) {
    struct column_name *names = malloc(r->n_columns * sizeof *names);
    if (!names)
        return error_memory(r->error, "the names of columns");
    for (uint32_t i = 0; i < r->n_columns; i++)
        names[i] = (struct column_name){
            .begin = r->columns[i].name.begin, .end = r->columns[i].name.end, .column = i};
    *match = columns_match(names, r->n_columns, reading->feature_names, reading->n_features);
    for (uint32_t i = 0; i < r->n_columns; i++)
        r->columns[names[i].column].feature = names[i].feature;
    free(names);
    return STATUS_OK;
}

/* All names in the first line make a header of it, though numbers as names only from three on: a
 * document could begin with 0 and 1. */
static bool names_make_header(const struct reader *r, const struct columns_match *match,
                              uint32_t n_features) {
    bool words = false;
    for (uint32_t i = 0; i < r->n_columns; i++)
        words |= r->columns[i].feature != NO_FEATURE && r->columns[i].first_kind == CSV_WORD;
    return match->n_found == n_features && (words || n_features > 2);
}

/* By name where the header has all names, by position where it has none. */
static enum status find_features(struct reader *r, const struct data_reading *reading) {
    r->has_header = has_header(r);
    if (!reading->feature_names)
        return STATUS_OK;
    struct columns_match match = {0};
    enum status status = match_names(r, reading, &match);
    if (status)
        return status;
    r->has_header |= names_make_header(r, &match, reading->n_features);
    if (!r->has_header)
        return STATUS_OK;
    struct error reason;
    r->by = match.n_found ? COLUMNS_BY_NAME : COLUMNS_NAMED_ELSE;
    status = columns_check(&match, reading->n_features, &reason);
    return status ? fail(r, r->text, "%.900s", reason.text) : STATUS_OK;
}

static void number_features(struct reader *r, uint32_t n_named) {
    r->n_features = r->by == COLUMNS_BY_NAME ? n_named : 0;
    for (uint32_t i = 0; r->by != COLUMNS_BY_NAME && i < r->n_columns; i++)
        r->columns[i].feature = i == r->label || i == r->query ? NO_FEATURE : r->n_features++;
}

static bool find_named(const struct reader *r, const char *name, uint32_t *column) {
    for (uint32_t i = 0; r->has_header && i < r->n_columns; i++) {
        if (csv_field_is(r->columns[i].name, name)) {
            *column = i;
            return true;
        }
    }
    return false;
}

/* A column that is a feature by its name is no label, unless it was asked for. */
static bool find_standard_label(const struct reader *r, const char *name, uint32_t *column) {
    uint32_t found;
    if (!find_named(r, name, &found) ||
        (r->by == COLUMNS_BY_NAME && r->columns[found].feature != NO_FEATURE))
        return false;
    *column = found;
    return true;
}

static enum status find_column(const struct reader *r, const char *label, uint32_t *column) {
    uint32_t number = 0;
    const char *end = label + strlen(label);
    if (find_named(r, label, column))
        return STATUS_OK;
    if (strcmp(label, "last") == 0)
        number = r->n_columns;
    else if (number_parse_u32(label, end, &number) != end)
        number = 0;
    if (number == 0 || number > r->n_columns)
        return fail(r, r->text,
                    "no column '%.40s' for the labels; should be a name of the header, "
                    "a number from 1 to %u, or last",
                    label, r->n_columns);
    *column = number - 1;
    return STATUS_OK;
}

static enum status find_label(struct reader *r, const char *label) {
    r->label = NO_COLUMN;
    if (!label) {
        if (!find_standard_label(r, "target", &r->label))
            find_standard_label(r, "label", &r->label);
        return STATUS_OK;
    }
    enum status status = find_column(r, label, &r->label);
    if (!status && r->by == COLUMNS_BY_NAME && r->columns[r->label].feature != NO_FEATURE)
        status =
            fail(r, r->columns[r->label].name.begin,
                 "the column for the labels, '%.40s', is named as a feature of the model", label);
    return status;
}

/* A column named qid that is nothing else by its name. */
static enum status find_query(struct reader *r) {
    r->query = NO_COLUMN;
    for (uint32_t i = 0; r->has_header && i < r->n_columns; i++) {
        const struct column *c = &r->columns[i];
        bool is_feature = r->by == COLUMNS_BY_NAME && c->feature != NO_FEATURE;
        if (c->name.end - c->name.begin != 3 || strncasecmp(c->name.begin, "qid", 3) != 0 ||
            is_feature || i == r->label)
            continue;
        if (r->query != NO_COLUMN)
            return fail(r, c->name.begin, "a second column of queries, should be one named qid");
        r->query = i;
    }
    return STATUS_OK;
}

/* --- second pass: words and queries ----------------------------------------------------------- */

static enum status number_word(struct reader *r, struct csv_field word, uint32_t column,
                               float *value) {
    enum { MOST = 1 << 24 }; /* up to which float32 counts exactly */
    uint32_t number;
    if (!words_number(&r->words, word, column, &r->columns[column].n_words, &number))
        return error_memory(r->error, "the words of a table");
    if (number == MOST)
        return fail(r, word.begin, "more than %d words in column %u", MOST, column + 1);
    *value = (float)number;
    return STATUS_OK;
}

/* What code_words says of the columns: "'job' and 2 more columns". */
static void describe_words(const struct reader *r, char text[static MATRIX_NOTE_SIZE]) {
    char first[64] = "";
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->n_columns; i++) {
        const struct csv_field name = r->columns[i].name;
        if (r->columns[i].n_words == 0 || count++ > 0)
            continue;
        if (r->has_header)
            snprintf(first, sizeof first, "'%.*s'",
                     (int)(name.end - name.begin < 40 ? name.end - name.begin : 40), name.begin);
        else
            snprintf(first, sizeof first, "column %u", i + 1);
    }
    if (count > 1)
        snprintf(text, MATRIX_NOTE_SIZE, "%s and %u more column%s", first, count - 1,
                 count > 2 ? "s" : "");
    else
        snprintf(text, MATRIX_NOTE_SIZE, "%s", first);
}

/* A word's number becomes its code. */
static enum status code_words(struct reader *r, struct matrix *matrix) {
    if (!words_sort(&r->words))
        return error_memory(r->error, "the words of a table");
    const uint32_t *ranks = r->words.ranks;
    for (uint32_t i = 0; i < r->n_columns; i++) {
        const struct column *c = &r->columns[i];
        for (size_t row = 0; c->n_words && row < matrix->n_rows; row++) {
            float *value =
                i == r->label ? &matrix->labels[row] : &matrix_row(matrix, row)[c->feature];
            if (!isnan(*value))
                *value = (float)ranks[(size_t)*value];
        }
        ranks = c->n_words ? ranks + c->n_words : ranks;
    }
    describe_words(r, matrix->words);
    return STATUS_OK;
}

static enum status take_query(struct reader *r, size_t row, struct csv_field field) {
    int64_t id;
    if (number_parse_i64(field.begin, field.end, &id) != field.end)
        return fail(r, field.begin, "'%.*s' should be the number of a query, a 64 bit integer",
                    shown(field), field.begin);
    return query_list_add(&r->queries, id, row, field.begin)
               ? STATUS_OK
               : error_memory(r->error, "the queries");
}

/* --- second pass: documents ------------------------------------------------------------------- */

/* A category's place in the model's list. */
static enum status store_category(struct reader *r, struct matrix *matrix, uint32_t column,
                                  struct csv_field field, float *value) {
    uint32_t feature = r->columns[column].feature;
    size_t length = (size_t)(field.end - field.begin);
    uint32_t code = categories_find(r->categories, feature, field.begin, length);
    *value = code == CATEGORIES_UNKNOWN ? NAN : (float)code;
    /* Of hashed words the model knows those only that it tests. */
    if (code != CATEGORIES_UNKNOWN || csv_is_missing(field) || csv_is_nan(field) ||
        categories_are_hashes(r->categories, feature))
        return STATUS_OK;
    matrix->n_unknown++;
    if (!categories_refuse_unknown(r->categories))
        return STATUS_OK;
    return fail(r, field.begin,
                "'%.*s' in column %u is not among the categories that the model was trained with",
                shown(field), field.begin, column + 1);
}

static enum status store_field(struct reader *r, size_t row, uint32_t column,
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
    if (column != r->label && has_categories(r, feature))
        status = store_category(r, matrix, column, field, &value);
    else if (kind == CSV_WORD)
        status = number_word(r, field, column, &value);
    else if (kind == CSV_NUMBER && column != r->label && r->placing)
        value = matrix_place(matrix, r->placing, feature, csv_exact_number(r->separator, field));
    else if (kind == CSV_NUMBER && isinf(value) && isfinite(csv_exact_number(r->separator, field)))
        status = fail(r, at, "'%.*s' is too large for float32", shown(field), at);
    if (status)
        return status;
    if (column != r->label) {
        matrix_row(matrix, row)[feature] = value;
        return STATUS_OK;
    }
    if (r->needs_labels && !isfinite(value))
        return fail(r, at,
                    "a label that is missing or infinite, should be a finite number or a "
                    "word");
    matrix->labels[row] = value;
    return STATUS_OK;
}

/* Columns that the caller wants and the table has not. */
static void fill_absent(struct matrix *matrix, uint32_t first, const struct data_reading *reading) {
    for (uint32_t i = first; i < matrix->n_features; i++) {
        float value = placing_place(reading->placing, i, (double)reading->missing);
        for (size_t row = 0; value != 0 && row < matrix->n_rows; row++)
            matrix_row(matrix, row)[i] = value;
    }
}

/* The names of the features' columns, where nothing else tells which feature is which. */
static enum status keep_names(const struct reader *r, struct matrix *matrix) {
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

static enum status store_queries(struct reader *r, struct matrix *matrix) {
    struct query_begin back = {0};
    enum status status = query_list_store(&r->queries, matrix, &back, r->error);
    if (status != STATUS_INPUT)
        return status;
    return fail(r, back.at,
                "query %lld comes back: the documents of a query should be kept together",
                (long long)back.id);
}

static enum status store(struct reader *r, const struct data_reading *reading,
                         struct matrix **matrix) {
    uint32_t n_features = r->n_features;
    uint32_t wanted = n_features > reading->n_features ? n_features : reading->n_features;
    if (n_features == 0)
        return fail(r, r->text, "no column of a feature");
    enum status status = matrix_create(r->n_rows - r->has_header, wanted, matrix, r->error);
    if (status)
        return status;
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
        status = visit_all(r, store_field, *matrix);
    if (!status)
        status = store_queries(r, *matrix);
    return status ? status : code_words(r, *matrix);
}

static enum status csv_read(const char *name, const char *text, size_t size,
                            const struct data_reading *reading, struct matrix **matrix,
                            struct error *error) {
    struct reader r = {.name = name,
                       .text = text,
                       .end = text + size,
                       .by = COLUMNS_BY_POSITION,
                       .placing = reading->placing,
                       .categories = reading->categories,
                       .needs_labels = reading->words != WORDS_LABELS_ONLY,
                       .error = error};
    struct csv_field line;
    *matrix = NULL;
    const char *nul = memchr(text, '\0', size);
    if (nul)
        return fail(&r, nul, "a NUL byte, should be text");
    const char *at = r.text;
    if (!csv_next_line(&at, r.end, &line))
        return fail(&r, text, "no documents; should be lines of fields with commas between");
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
        number_features(&r, reading->n_features);
        status = check_columns(&r, reading->words);
    }
    if (!status)
        status = store(&r, reading, matrix);
    free(r.columns);
    words_free(&r.words);
    query_list_free(&r.queries);
    if (status) {
        matrix_free(*matrix);
        *matrix = NULL;
    }
    return status;
}

/* --- the format ------------------------------------------------------------------------------- */

/* The next word between blanks; empty at the end of the line. */
static struct csv_field next_word(const char *at, const char *end) {
    while (at < end && csv_is_blank(*at))
        at++;
    const char *begin = at;
    while (at < end && !csv_is_blank(*at))
        at++;
    return (struct csv_field){begin, at};
}

/* SVMlight's "FEATURE:VALUE", "qid:N" or a comment. */
static bool is_svmlight(struct csv_field word) {
    const char *colon = memchr(word.begin, ':', (size_t)(word.end - word.begin));
    uint32_t number;
    return (word.begin < word.end && *word.begin == '#') ||
           (colon && (csv_field_is((struct csv_field){word.begin, colon}, "qid") ||
                      number_parse_u32(word.begin, colon, &number) == colon));
}

static bool is_number(struct csv_field word) {
    float number;
    return word.begin < word.end && number_parse_float(word.begin, word.end, &number) == word.end;
}

/* A first line with separators in it, or of three numbers or more with spaces between; and not
 * SVMlight's, which may have both in its comments, nor JSON or XML. */
static bool csv_recognise(const char *text, size_t size) {
    struct csv_field line;
    const char *at = text;
    if (!csv_next_line(&at, text + size, &line))
        return false;
    struct csv_field first = next_word(line.begin, line.end);
    struct csv_field second = next_word(first.end, line.end);
    struct csv_field third = next_word(second.end, line.end);
    if (strchr("#<{[", *first.begin) || is_svmlight(second))
        return false;
    return csv_find_separator(line) != ' ' ||
           (is_number(first) && is_number(second) && is_number(third));
}

const struct data_format data_format_csv = {
    .name = "csv",
    .title = "CSV, TSV and the like: fields between commas, semicolons, tabs or spaces",
    .recognise = csv_recognise,
    .read = csv_read,
    .write = csv_write,
};
