/* Tables: one document per line, the same number of fields in each, with commas, semicolons, tabs
 * or spaces between (the first line tells which).
 *
 *     age;job;height;target          the first line is a header where a column of numbers begins
 *     30;"blue-collar";1,62;no       with a word in it
 *     ;"services";1.8;yes
 *
 * A field is a number, missing (empty, "NA" or "?": NaN) or a category; fields may stand in double
 * quotes, in which "" is a quote. With semicolons a number may have a decimal comma. A column is
 * all numbers or all categories, which become 0, 1, ... in the order in which they appear. The
 * label's column is no feature; the others are features 0, 1, ... from left to right, or those that
 * they are named as, where all features' names are in the header (datasets/columns.h).
 *
 * A short line asks for much memory only by the matrix, whose rows are rounded up to 64 bytes. */
#include "base/memory.h"
#include "base/number.h"
#include "datasets/columns.h"
#include "datasets/formats.h"
#include "models/ensemble.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum kind { MISSING, NUMBER, WORD };

struct field {
    const char *begin, *end; /* without quotes and the spaces around it */
};

struct column {
    struct field name;         /* its field of the first line */
    enum kind first_kind;      /* of that field */
    const char *number, *word; /* the first of each below the first line; NULL: none */
    uint32_t n_categories;
    uint32_t feature; /* NO_FEATURE: it is none */
};

struct category {
    struct field word; /* begin is NULL in a free slot */
    uint32_t column, code;
};

struct reader {
    const char *name, *text, *end;
    char separator;
    struct column *columns;
    uint32_t n_columns;
    size_t column_capacity, n_rows;
    bool has_header;
    uint32_t label;      /* its column, NO_COLUMN for none */
    uint32_t n_features; /* columns that are features */
    enum matrix_columns by;
    struct category *categories;         /* a hash table */
    size_t n_categories, category_slots; /* slots: 0 or a power of two */
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

/* --- lines and fields ------------------------------------------------------------------------- */

static bool is_blank(char c) {
    return c == ' ' || c == '\r' || c == '\t';
}

/* The next line that is not blank; false at the end of the text. */
static bool next_line(const char **at, const char *end, struct field *line) {
    while (*at < end) {
        const char *newline = memchr(*at, '\n', (size_t)(end - *at));
        *line = (struct field){*at, newline ? newline : end};
        *at = newline ? newline + 1 : end;
        if (line->end > line->begin && line->end[-1] == '\r')
            line->end--;
        for (const char *c = line->begin; c < line->end; c++) {
            if (!is_blank(*c))
                return true;
        }
    }
    return false;
}

static struct field trim(const char *begin, const char *end) {
    while (begin < end && is_blank(*begin))
        begin++;
    while (end > begin && is_blank(end[-1]))
        end--;
    return (struct field){begin, end};
}

/* Behind the quote that ends a field, or NULL. */
static const char *skip_quoted(const char *at, const char *end) {
    for (at++; at < end; at++) {
        if (*at != '"')
            continue;
        if (at + 1 == end || at[1] != '"')
            return at + 1;
        at++;
    }
    return NULL;
}

/* Takes the field at *at, which becomes NULL behind the last of the line. False, with *at where it
 * is, when a quote is wrong. */
static bool next_field(char separator, const char **at, const char *line_end, struct field *field) {
    const char *begin = *at, *end;
    while (begin < line_end && *begin != separator && is_blank(*begin))
        begin++;
    *at = begin;
    if (begin < line_end && *begin == '"') {
        const char *behind = skip_quoted(begin, line_end);
        if (!behind)
            return false;
        *field = (struct field){begin + 1, behind - 1};
        for (end = behind; end < line_end && *end != separator; end++) {
            if (!is_blank(*end))
                return false;
        }
    } else {
        end = memchr(begin, separator, (size_t)(line_end - begin));
        if (!end)
            end = line_end;
        *field = trim(begin, end);
    }
    while (separator == ' ' && end < line_end && is_blank(*end))
        end++;
    *at = end == line_end ? NULL : separator == ' ' ? end : end + 1;
    return true;
}

/* With spaces between the fields, those around the line separate nothing. */
static void begin_line(char separator, struct field *line) {
    if (separator == ' ')
        *line = trim(line->begin, line->end);
}

/* The first of ; tab , that stands outside of quotes in a line, by this rank; or a space. */
static char find_separator(struct field line) {
    static const char ranked[] = ";\t,";
    size_t best = sizeof ranked - 1;
    for (const char *at = line.begin; at && at < line.end; at++) {
        const char *found = memchr(ranked, *at, sizeof ranked - 1);
        if (found && (size_t)(found - ranked) < best)
            best = (size_t)(found - ranked);
        if (*at == '"' && (at = skip_quoted(at, line.end)))
            at--;
        if (!at)
            break;
    }
    return best < sizeof ranked - 1 ? ranked[best] : ' ';
}

/* --- what a field is -------------------------------------------------------------------------- */

static bool field_is(struct field field, const char *text) {
    size_t length = strlen(text);
    return (size_t)(field.end - field.begin) == length && memcmp(field.begin, text, length) == 0;
}

static bool parse_decimal_comma(struct field field, float *value) {
    char copy[128];
    size_t length = (size_t)(field.end - field.begin);
    const char *comma = memchr(field.begin, ',', length);
    if (!comma || length > sizeof copy || memchr(field.begin, '.', length))
        return false;
    memcpy(copy, field.begin, length);
    copy[comma - field.begin] = '.';
    return number_parse_float(copy, copy + length, value) == copy + length;
}

static enum kind classify(const struct reader *r, struct field field, float *value) {
    *value = NAN;
    if (field.begin == field.end || field_is(field, "NA") || field_is(field, "?"))
        return MISSING;
    float number;
    if (number_parse_float(field.begin, field.end, &number) == field.end ||
        (r->separator == ';' && parse_decimal_comma(field, &number))) {
        *value = number;
        return NUMBER;
    }
    return WORD;
}

/* --- first pass: columns ---------------------------------------------------------------------- */

typedef enum status (*field_visitor)(struct reader *r, size_t row, uint32_t column,
                                     struct field field, const char *at, void *data);

static enum status visit_line(struct reader *r, size_t row, struct field line, field_visitor visit,
                              void *data) {
    begin_line(r->separator, &line);
    const char *at = line.begin;
    uint32_t column = 0;
    enum status status = STATUS_OK;
    for (; at && !status; column++) {
        struct field field;
        if (row > 0 && column == r->n_columns)
            return fail(r, at, "more fields than the %u of the first line", r->n_columns);
        if (!next_field(r->separator, &at, line.end, &field))
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
    struct field line;
    enum status status = STATUS_OK;
    for (r->n_rows = 0; !status && next_line(&at, r->end, &line); r->n_rows++)
        status = visit_line(r, r->n_rows, line, visit, data);
    return status;
}

static enum status survey_field(struct reader *r, size_t row, uint32_t column, struct field field,
                                const char *at, void *data) {
    float value;
    enum kind kind = classify(r, field, &value);
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
    const char **first = kind == NUMBER ? &r->columns[column].number : &r->columns[column].word;
    if (kind != MISSING && !*first)
        *first = at;
    return STATUS_OK;
}

/* A column of numbers that begins with a word. */
static bool has_header(const struct reader *r) {
    bool found = false;
    for (uint32_t i = 0; i < r->n_columns; i++) {
        const struct column *c = &r->columns[i];
        found |= c->first_kind == WORD && c->number && !c->word;
    }
    return found;
}

static enum status check_header(struct reader *r) {
    for (uint32_t i = 0; i < r->n_columns; i++) {
        struct column *c = &r->columns[i];
        if (r->n_rows == 1 && (r->has_header || c->first_kind == WORD))
            return fail(r, c->name.begin,
                        "a header without documents, or a single document with "
                        "a category: should be more lines");
        if (!r->has_header && c->first_kind == NUMBER)
            c->number = c->name.begin;
        if (!r->has_header && c->first_kind == WORD)
            c->word = c->name.begin;
    }
    return STATUS_OK;
}

/* Refuses columns of both numbers and words, where anything depends on them. */
static enum status check_columns(const struct reader *r) {
    for (uint32_t i = 0; i < r->n_columns; i++) {
        const struct column *c = &r->columns[i];
        if (c->number && c->word && (c->feature != NO_FEATURE || i == r->label))
            return fail(r, c->word,
                        "no number, and others of column %u are; should be all numbers "
                        "or all words (missing ones empty, NA or ?)",
                        i + 1);
    }
    return STATUS_OK;
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
        words |= r->columns[i].feature != NO_FEATURE && r->columns[i].first_kind == WORD;
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
    r->by = match.n_found ? COLUMNS_BY_NAME : COLUMNS_NAMED_ELSE;
    if (match.n_found && match.absent)
        return fail(r, r->text,
                    "no column '%.40s' for feature %u of the model, though %u columns are named as "
                    "others of its %u; should be all or none",
                    match.absent, match.absent_feature, match.n_found, reading->n_features);
    if (match.twice)
        return fail(r, r->text,
                    "'%.40s' names two columns, or two features of the model; should be one",
                    match.twice);
    return STATUS_OK;
}

static void number_features(struct reader *r, uint32_t n_named) {
    r->n_features = r->by == COLUMNS_BY_NAME ? n_named : 0;
    for (uint32_t i = 0; r->by != COLUMNS_BY_NAME && i < r->n_columns; i++)
        r->columns[i].feature = i == r->label ? NO_FEATURE : r->n_features++;
}

static bool find_named(const struct reader *r, const char *name, uint32_t *column) {
    for (uint32_t i = 0; r->has_header && i < r->n_columns; i++) {
        if (field_is(r->columns[i].name, name)) {
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

/* --- categories ------------------------------------------------------------------------------- */

static size_t hash(struct field word, uint32_t column) {
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ column; /* FNV-1a */
    for (const char *c = word.begin; c < word.end; c++)
        h = (h ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return (size_t)(h ^ h >> 32);
}

/* The slot of a word, or the free one where it belongs. */
static struct category *find_slot(struct category *slots, size_t count, struct field word,
                                  uint32_t column) {
    size_t length = (size_t)(word.end - word.begin);
    for (size_t i = hash(word, column) & (count - 1);; i = (i + 1) & (count - 1)) {
        struct category *slot = &slots[i];
        if (!slot->word.begin ||
            (slot->column == column && (size_t)(slot->word.end - slot->word.begin) == length &&
             memcmp(slot->word.begin, word.begin, length) == 0))
            return slot;
    }
}

static bool grow_categories(struct reader *r) {
    size_t count = r->category_slots ? r->category_slots * 2 : 64;
    struct category *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < r->category_slots; i++) {
        const struct category *old = &r->categories[i];
        if (old->word.begin)
            *find_slot(slots, count, old->word, old->column) = *old;
    }
    free(r->categories);
    r->categories = slots;
    r->category_slots = count;
    return true;
}

static enum status code_of(struct reader *r, struct field word, uint32_t column, float *code) {
    enum { MOST = 1 << 24 }; /* up to which float32 counts exactly */
    if (r->n_categories >= r->category_slots / 2 && !grow_categories(r))
        return error_memory(r->error, "the categories of a table");
    struct category *slot = find_slot(r->categories, r->category_slots, word, column);
    if (!slot->word.begin) {
        if (r->columns[column].n_categories == MOST)
            return fail(r, word.begin, "more than %d categories in column %u", MOST, column + 1);
        *slot = (struct category){word, column, r->columns[column].n_categories++};
        r->n_categories++;
    }
    *code = (float)slot->code;
    return STATUS_OK;
}

/* --- second pass: documents ------------------------------------------------------------------- */

static enum status store_field(struct reader *r, size_t row, uint32_t column, struct field field,
                               const char *at, void *data) {
    struct matrix *matrix = data;
    uint32_t feature = r->columns[column].feature;
    float value;
    if (row < r->has_header || (feature == NO_FEATURE && column != r->label))
        return STATUS_OK;
    row -= r->has_header;
    enum status status = STATUS_OK;
    if (classify(r, field, &value) == WORD)
        status = code_of(r, field, column, &value);
    if (status)
        return status;
    if (column != r->label) {
        matrix_row(matrix, row)[feature] = value;
        return STATUS_OK;
    }
    if (!isfinite(value))
        return fail(r, at,
                    "a label that is missing or infinite, should be a finite number or a "
                    "category");
    matrix->labels[row] = value;
    return STATUS_OK;
}

/* Columns that the caller wants and the table has not. */
static void fill_absent(struct matrix *matrix, uint32_t first, float value) {
    for (size_t row = 0; value != 0 && row < matrix->n_rows; row++) {
        for (uint32_t i = first; i < matrix->n_features; i++)
            matrix_row(matrix, row)[i] = value;
    }
}

static enum status store(struct reader *r, const struct data_reading *reading,
                         struct matrix **matrix) {
    uint32_t n_features = r->n_features;
    uint32_t wanted = n_features > reading->n_features ? n_features : reading->n_features;
    if (n_features == 0)
        return fail(r, r->text, "no column besides the labels'");
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
    (*matrix)->n_left_out = r->n_columns - (r->label != NO_COLUMN) - n_features;
    fill_absent(*matrix, n_features, reading->missing);
    return visit_all(r, store_field, *matrix);
}

static enum status csv_read(const char *name, const char *text, size_t size,
                            const struct data_reading *reading, struct matrix **matrix,
                            struct error *error) {
    struct reader r = {.name = name, .text = text, .end = text + size, .error = error};
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    struct field line;
    *matrix = NULL;
    if (size >= 3 && memcmp(text, byte_order_mark, 3) == 0)
        r.text += 3;
    const char *at = r.text;
    if (!next_line(&at, r.end, &line))
        return fail(&r, text, "no documents; should be lines of fields with commas between");
    r.separator = find_separator(line);
    enum status status = visit_all(&r, survey_field, NULL);
    if (!status)
        status = find_features(&r, reading);
    if (!status)
        status = check_header(&r);
    if (!status)
        status = find_label(&r, reading->label);
    if (!status) {
        number_features(&r, reading->n_features);
        status = check_columns(&r);
    }
    if (!status)
        status = store(&r, reading, matrix);
    free(r.columns);
    free(r.categories);
    if (status) {
        matrix_free(*matrix);
        *matrix = NULL;
    }
    return status;
}

/* --- the format ------------------------------------------------------------------------------- */

/* The next word between blanks; empty at the end of the line. */
static struct field next_word(const char *at, const char *end) {
    while (at < end && is_blank(*at))
        at++;
    const char *begin = at;
    while (at < end && !is_blank(*at))
        at++;
    return (struct field){begin, at};
}

/* SVMlight's "FEATURE:VALUE", "qid:N" or a comment. */
static bool is_svmlight(struct field word) {
    const char *colon = memchr(word.begin, ':', (size_t)(word.end - word.begin));
    uint32_t number;
    return (word.begin < word.end && *word.begin == '#') ||
           (colon && (field_is((struct field){word.begin, colon}, "qid") ||
                      number_parse_u32(word.begin, colon, &number) == colon));
}

static bool is_number(struct field word) {
    float number;
    return word.begin < word.end && number_parse_float(word.begin, word.end, &number) == word.end;
}

/* A first line with separators in it, or of three numbers or more with spaces between; and not
 * SVMlight's, which may have both in its comments, nor JSON or XML. */
static bool csv_recognise(const char *text, size_t size) {
    struct field line;
    const char *at = text;
    if (!next_line(&at, text + size, &line))
        return false;
    struct field first = next_word(line.begin, line.end);
    struct field second = next_word(first.end, line.end);
    struct field third = next_word(second.end, line.end);
    if (strchr("#<{[", *first.begin) || is_svmlight(second))
        return false;
    return find_separator(line) != ' ' ||
           (is_number(first) && is_number(second) && is_number(third));
}

const struct data_format data_format_csv = {
    .name = "csv",
    .title = "CSV or TSV",
    .recognise = csv_recognise,
    .read = csv_read,
};
