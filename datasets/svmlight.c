/* Reads SVMlight and LETOR text, one document per line:
 *
 *     LABEL [qid:N] FEATURE:VALUE FEATURE:VALUE ... # comment
 *
 * Features are numbered from 1, or from 0 at the caller's request. Their numbers must increase
 * within a line. Absent features have the value `missing`. Values may be "nan" or "inf". The
 * documents of a query are contiguous, and either all documents have a query or none. Lines may end
 * in CR LF.
 * Empty lines and comments are skipped. A first line "# note: TEXT" is the note of the matrix. A
 * line "# origin: WORDS" behind it, or in its place, is the origin (base/origin.h). The first line
 * may be "DOCUMENTS FEATURES", as in OptTrees' files, and must then be correct.
 *
 * The matrix is dense, so a short text can request much memory. The limit is 1024 bytes per byte of
 * the text, plus 1 MiB. */
#include "base/memory.h"
#include "base/number.h"
#include "base/origin.h"
#include "datasets/format.h"
#include "datasets/query_list.h"
#include "models/ensemble.h"
#include "models/placing.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const size_t BYTES_PER_TEXT_BYTE = 1024, BYTES_ALWAYS = (size_t)1 << 20;

struct reader {
    const char *name, *text, *end;
    const char *documents;         /* the text after the line "DOCUMENTS FEATURES", if any */
    uint32_t first_feature;        /* number of the first feature: 1 or 0 */
    const struct placing *placing; /* may be NULL */
    uint32_t feature_limit;        /* higher features are errors */
    bool limited_by_text;          /* feature_limit comes from the line "DOCUMENTS FEATURES" */
    struct matrix *matrix;
    size_t n_values; /* number of values in the text */
    struct query_list queries;
    struct error *error;
};

static const char NOTE[] = "# note: ", ORIGIN[] = "# origin: ";

/* --- errors ----------------------------------------------------------------------------------- */
__attribute__((format(printf, 3, 4))) static enum status
fail(const struct reader *reader, const char *at, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    enum status status =
        error_set_at(reader->error, reader->name, reader->text, at, format, arguments);
    va_end(arguments);
    return status;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* Shows the word at `at` in an error: cut, and without control characters. */
enum { WORD_SIZE = 32 };
static const char *show_word(const char *at, const char *end, char word[static WORD_SIZE]) {
    size_t length = 0;
    for (; at + length < end && !is_space(at[length]) && length < WORD_SIZE - 1; length++) {
        char c = at[length];
        word[length] = (unsigned char)c < ' ' || c == 0x7f ? '?' : c;
    }
    word[length] = '\0';
    return word;
}

/* --- lines ------------------------------------------------------------------------------------ */
struct line {
    const char *begin, *end; /* without surrounding white space and comment */
};

/* Gets the next line that is not empty. False at the end of the text. */
static bool next_line(const char **at, const char *end, struct line *line) {
    while (*at < end) {
        const char *begin = *at;
        const char *newline = memchr(begin, '\n', (size_t)(end - begin));
        const char *line_end = newline ? newline : end;
        *at = newline ? newline + 1 : end;
        const char *comment = memchr(begin, '#', (size_t)(line_end - begin));
        if (comment)
            line_end = comment;
        while (line_end > begin && is_space(line_end[-1]))
            line_end--;
        while (begin < line_end && is_space(*begin))
            begin++;
        if (begin < line_end) {
            *line = (struct line){begin, line_end};
            return true;
        }
    }
    return false;
}

static bool starts_query(const char *at, const char *end) {
    return end - at >= 4 && memcmp(at, "qid:", 4) == 0;
}

static const char *skip_space(const char *at, const char *end) {
    while (at < end && is_space(*at))
        at++;
    return at;
}

static bool ends_word(const char *at, const char *end) {
    return at == end || is_space(*at);
}

/* --- first pass: the shape -------------------------------------------------------------------- */
struct shape {
    size_t n_rows;
    uint32_t n_features;
    uint32_t least, most; /* smallest and largest feature number in the text; least > most if there
                             are no features */
};

static bool is_shape_line(const struct line *line, uint32_t *n_rows, uint32_t *n_features) {
    const char *at = number_parse_u32(line->begin, line->end, n_rows);
    if (!at || at == line->end || !is_space(*at))
        return false;
    return number_parse_u32(skip_space(at, line->end), line->end, n_features) == line->end;
}

/* Finds the number of the last feature of a line, which is the largest if the line is valid. The
 * result for an invalid line does not matter, because the second pass reports the error. */
static bool find_last(const struct line *line, uint32_t *number) {
    const char *colon = memrchr(line->begin, ':', (size_t)(line->end - line->begin));
    if (!colon)
        return false;
    const char *digits = colon;
    while (digits > line->begin && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    return number_parse_u32(digits, colon, number) && *number <= ENSEMBLE_MAX_FEATURES;
}

/* Finds the number of the first feature of a line, which is the smallest if the line is valid. */
static bool find_first(const struct line *line, uint32_t *number) {
    const char *at = line->begin;
    while (at < line->end && !is_space(*at))
        at++;
    at = skip_space(at, line->end);
    if (starts_query(at, line->end)) {
        while (at < line->end && !is_space(*at))
            at++;
        at = skip_space(at, line->end);
    }
    return number_parse_u32(at, line->end, number) != NULL;
}

static void survey_line(const struct line *line, struct shape *shape) {
    uint32_t number;
    if (find_last(line, &number) && number > shape->most)
        shape->most = number;
    if (find_first(line, &number) && number < shape->least)
        shape->least = number;
    shape->n_rows++;
}

/* Decides whether features are numbered from 0 or 1, if the caller left the choice to the text and
 * the model. */
static enum status decide_first(struct reader *reader, const struct data_reading *reading,
                                const struct shape *shape) {
    if (!reading->from_either)
        return STATUS_OK;
    if (shape->least == 0 || (reading->first_is_empty && shape->most < reading->n_features)) {
        reader->first_feature = 0;
        return STATUS_OK;
    }
    if (shape->least > shape->most ||
        (shape->most == reading->n_features && !reading->first_is_empty))
        return STATUS_OK;
    if (shape->most > reading->n_features)
        return error_set(
            reader->error, STATUS_INPUT,
            "%s: the largest feature number is %u, but the model has only %u features. Check that "
            "this is the right file. To ignore the features beyond the model's, add "
            "--first-feature 1 or --first-feature 0, the number of the first feature",
            reader->name, shape->most, reading->n_features);
    return error_set(reader->error, STATUS_INPUT,
                     "%s: the feature numbers are %u to %u, and the model has %u features. It is "
                     "unclear whether numbering begins at 1, or at 0 as in LightGBM and XGBoost. "
                     "Add --first-feature 1 or --first-feature 0",
                     reader->name, shape->least, shape->most, reading->n_features);
}

static enum status survey(struct reader *reader, const struct data_reading *reading,
                          struct shape *shape) {
    *shape = (struct shape){.least = UINT32_MAX};
    reader->documents = reader->text;
    reader->feature_limit = ENSEMBLE_MAX_FEATURES;
    struct line line;
    uint32_t told_rows = 0, told_features = 0;
    const char *at = reader->text, *told_at = NULL;
    if (next_line(&at, reader->end, &line) && is_shape_line(&line, &told_rows, &told_features)) {
        told_at = line.begin;
        reader->documents = at;
    }
    at = reader->documents;
    while (next_line(&at, reader->end, &line)) {
        survey_line(&line, shape);
    }
    if (shape->n_rows == 0)
        return fail(reader, reader->text,
                    "there are no documents. Expected lines LABEL [qid:N] FEATURE:VALUE ..., or a "
                    "table with commas, semicolons or tabs");
    enum status status = decide_first(reader, reading, shape);
    if (status)
        return status;
    if (shape->least <= shape->most && shape->most >= reader->first_feature)
        shape->n_features = shape->most + 1 - reader->first_feature;
    if (!told_at)
        return STATUS_OK;
    if (told_rows != shape->n_rows)
        return fail(reader, told_at, "the first line announces %u documents, but the file has %zu",
                    told_rows, shape->n_rows);
    if (told_features > ENSEMBLE_MAX_FEATURES)
        return fail(reader, told_at, "the first line announces %u features; the limit is %d",
                    told_features, ENSEMBLE_MAX_FEATURES);
    reader->limited_by_text = true;
    reader->feature_limit = shape->n_features = told_features;
    return STATUS_OK;
}

static enum status create_matrix(struct reader *reader, const struct shape *shape) {
    size_t size = (size_t)(reader->end - reader->text), bytes;
    bool fits = memory_multiply(shape->n_rows, shape->n_features * sizeof(float), &bytes);
    if (!fits || (bytes > BYTES_ALWAYS && (bytes - BYTES_ALWAYS) / BYTES_PER_TEXT_BYTE > size))
        return error_set(reader->error, STATUS_MEMORY,
                         "%s: %zu documents of %u features would take more memory than the limit "
                         "of %zu times the file's size. Is a feature number wrong? Features that a "
                         "document omits take memory too",
                         reader->name, shape->n_rows, shape->n_features, BYTES_PER_TEXT_BYTE);
    enum status status =
        matrix_create(shape->n_rows, shape->n_features, &reader->matrix, reader->error);
    if (status)
        return status;
    reader->matrix->labels = malloc(shape->n_rows * sizeof *reader->matrix->labels);
    return reader->matrix->labels ? STATUS_OK : error_memory(reader->error, "the labels");
}

/* --- second pass: the documents --------------------------------------------------------------- */
static const char *parse_label(const struct reader *reader, const struct line *line, float *label) {
    const char *behind = number_parse_float(line->begin, line->end, label);
    if (behind && ends_word(behind, line->end) && isfinite(*label))
        return behind;
    char word[WORD_SIZE];
    fail(reader, line->begin, "'%s' is not a label; expected a finite number",
         show_word(line->begin, line->end, word));
    return NULL;
}

/* Parses the optional "qid:N" at `at`. NULL on errors. */
static const char *parse_query(struct reader *reader, const char *at, const char *end, size_t row) {
    bool present = starts_query(at, end);
    if (row > 0 && present != (reader->queries.count > 0)) {
        fail(reader, at,
             present ? "this document has a qid, but earlier ones have none"
                     : "this document has no qid, but earlier ones have one");
        return NULL;
    }
    if (!present)
        return at;
    int64_t id;
    const char *behind = number_parse_i64(at + 4, end, &id);
    if (!behind || !ends_word(behind, end)) {
        char word[WORD_SIZE];
        fail(reader, at + 4, "'%s' is not a query number (a 64-bit integer)",
             show_word(at + 4, end, word));
        return NULL;
    }
    if (query_list_add(&reader->queries, id, row, at))
        return behind;
    error_memory(reader->error, "the queries");
    return NULL;
}

static size_t count_digits(const char *at, const char *end) {
    size_t count = 0;
    while (at + count < end && at[count] >= '0' && at[count] <= '9')
        count++;
    return count;
}

/* The number of the last possible feature. */
static uint32_t last_number(const struct reader *reader) {
    return reader->feature_limit + reader->first_feature - 1;
}

/* Explains why a word is not FEATURE:VALUE. */
static enum status refuse_word(const struct reader *reader, const char *at, const char *end) {
    char word[WORD_SIZE];
    uint32_t feature;
    const char *colon = number_parse_u32(at, end, &feature);
    size_t digits = count_digits(at, end);
    if (!colon && digits && at + digits < end && at[digits] == ':')
        return fail(reader, at, "feature %s exceeds the limit of %u",
                    show_word(at, at + digits, word), last_number(reader));
    if (!colon || colon == end || *colon != ':')
        return fail(reader, at, "'%s' is not FEATURE:VALUE with an integer FEATURE%s",
                    show_word(at, end, word),
                    starts_query(at, end) ? "; a qid must come directly after the label" : "");
    return fail(reader, colon + 1,
                "'%s' is not a value for feature %u; expected a number in the range of float32",
                show_word(colon + 1, end, word), feature);
}

/* `least` is the lowest number that the line's next feature may have. */
static enum status refuse_feature(const struct reader *reader, const char *at, uint32_t feature,
                                  uint32_t least) {
    if (feature < reader->first_feature)
        return fail(reader, at,
                    "feature 0 is below 1, the number of the first feature. If numbering begins at "
                    "0, use --first-feature 0");
    if (feature < least)
        return fail(reader, at, "feature %u after feature %u: features must be in increasing order",
                    feature, least - 1);
    if (reader->limited_by_text)
        return fail(reader, at,
                    "feature %u exceeds the number of features that the first line announces (%u)",
                    feature, reader->feature_limit);
    return fail(reader, at, "feature %u exceeds the limit of %u", feature, last_number(reader));
}

/* NULL if there is no number. */
static const char *parse_value(struct reader *reader, const char *at, const char *end,
                               uint32_t feature, float *value) {
    double exact;
    if (!reader->placing)
        return number_parse_float(at, end, value);
    const char *behind = number_parse_double(at, end, &exact);
    if (behind)
        *value = matrix_place(reader->matrix, reader->placing, feature, exact);
    return behind;
}

static enum status parse_features(struct reader *reader, const char *at, const char *end,
                                  float *row) {
    const uint32_t first = reader->first_feature, n_features = reader->matrix->n_features;
    uint32_t least = first;
    while ((at = skip_space(at, end)) < end) {
        uint32_t feature;
        float value;
        const char *colon = number_parse_u32(at, end, &feature);
        if (!colon || colon == end || *colon != ':')
            return refuse_word(reader, at, end);
        if (feature < least || feature - first >= reader->feature_limit)
            return refuse_feature(reader, at, feature, least);
        const char *behind = parse_value(reader, colon + 1, end, feature - first, &value);
        if (!behind || !ends_word(behind, end))
            return refuse_word(reader, at, end);
        if (feature - first < n_features) /* larger only if the line is invalid (find_last) */
            row[feature - first] = value;
        least = feature + 1;
        reader->n_values++;
        at = behind;
    }
    return STATUS_OK;
}

static enum status parse_document(struct reader *reader, const struct line *line, size_t row) {
    const char *at = parse_label(reader, line, &reader->matrix->labels[row]);
    if (!at)
        return STATUS_INPUT;
    at = parse_query(reader, skip_space(at, line->end), line->end, row);
    if (!at)
        return STATUS_INPUT;
    return parse_features(reader, at, line->end, matrix_row(reader->matrix, row));
}

/* Sets the features of a row to the value `missing`. Rows are already zero. If `missing` is zero,
 * only coded features change, because their codes for zero may be other numbers. */
static void fill_absent(const struct reader *reader, float missing, float *values) {
    const bool all = missing != 0 || signbit(missing); /* also true for NaN */
    for (uint32_t i = 0; i < reader->matrix->n_features; i++)
        if (all || placing_is_coded(reader->placing, i))
            values[i] = placing_place(reader->placing, i, (double)missing);
}

static enum status parse_documents(struct reader *reader, float missing) {
    const struct matrix *matrix = reader->matrix;
    const bool fill = missing != 0 || signbit(missing) || placing_count_coded(reader->placing) > 0;
    const char *at = reader->documents;
    struct line line;
    enum status status = STATUS_OK;
    for (size_t row = 0; !status && next_line(&at, reader->end, &line); row++) {
        float *values = matrix_row(matrix, row);
        if (fill)
            fill_absent(reader, missing, values);
        status = parse_document(reader, &line, row);
    }
    return status;
}

static enum status store_queries(struct reader *reader) {
    struct query_begin back = {0};
    enum status status = query_list_store(&reader->queries, reader->matrix, &back, reader->error);
    return status == STATUS_INPUT
               ? fail(reader, back.at,
                      "the documents of query %lld are not adjacent. Sort the documents by query",
                      (long long)back.id)
               : status;
}

/* Copies the printable text behind a mark at `at`, up to the end of the line. Returns the end of
 * the text, or `at` if the mark is not there. */
static const char *read_header(const char *at, const char *end, const char *mark,
                               char text[static MATRIX_NOTE_SIZE]) {
    size_t length = 0, size = strlen(mark);
    text[0] = '\0';
    if ((size_t)(end - at) <= size || memcmp(at, mark, size) != 0)
        return at;
    at += size;
    while (at < end && (unsigned char)*at >= ' ' && *at != 0x7f && length < MATRIX_NOTE_SIZE - 1)
        text[length++] = *at++;
    text[length] = '\0';
    return at;
}

unsigned svmlight_read_origin(const char *text, size_t size, char note[static MATRIX_NOTE_SIZE]) {
    char words[MATRIX_NOTE_SIZE];
    unsigned origin;
    const char *end = text + size, *at = read_header(text, end, NOTE, note);
    if (at > text)
        while (at < end && (*at == '\r' || *at == '\n'))
            at++;
    read_header(at, end, ORIGIN, words);
    if (words[0] && origin_read(words, strlen(words), &origin))
        return origin;
    return words[0] ? ORIGIN_UNKNOWN : origin_of_documents_note(note);
}

/* --- the format ------------------------------------------------------------------------------- */
static enum status read_svmlight(const char *name, const char *text, size_t size,
                                 const struct data_reading *reading, struct matrix **matrix,
                                 struct error *error) {
    *matrix = NULL;
    struct reader reader = {.name = name,
                            .text = text,
                            .end = text + size,
                            .first_feature = reading->from_zero ? 0 : 1,
                            .placing = reading->placing,
                            .error = error};
    struct shape shape;
    enum status status = survey(&reader, reading, &shape);
    if (status)
        return status;
    uint32_t n_named = shape.n_features;
    if (shape.n_features < reading->n_features)
        shape.n_features = reading->n_features;
    status = create_matrix(&reader, &shape);
    if (!status)
        status = parse_documents(&reader, reading->missing);
    if (!status)
        status = store_queries(&reader);
    query_list_free(&reader.queries);
    if (status) {
        matrix_free(reader.matrix);
        return status;
    }
    reader.matrix->n_named = n_named;
    reader.matrix->is_placed = true;
    reader.matrix->from_zero = reader.first_feature == 0;
    reader.matrix->any_absent = reader.n_values < reader.matrix->n_rows * reader.matrix->n_features;
    reader.matrix->origin = svmlight_read_origin(text, size, reader.matrix->note);
    *matrix = reader.matrix;
    return STATUS_OK;
}

/* --- writing ---------------------------------------------------------------------------------- */
static void write_float(FILE *stream, float value) {
    char text[NUMBER_TEXT_SIZE];
    if (isfinite(value))
        number_format_float(value, text);
    else
        snprintf(text, sizeof text, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    fputs(text, stream);
}

/* Zeros are omitted, except in the last feature of the first document. This feature is always
 * written because it determines the number of features. */
static void write_features(const struct matrix *matrix, size_t row, FILE *stream) {
    const float *values = matrix_row(matrix, row);
    for (uint32_t i = 0; i < matrix->n_features; i++) {
        bool tells_width = row == 0 && i + 1 == matrix->n_features;
        if (values[i] == 0 && !signbit(values[i]) && !tells_width)
            continue;
        fprintf(stream, " %u:", i + 1);
        write_float(stream, values[i]);
    }
}

static enum status write_svmlight(const struct matrix *matrix, FILE *stream, struct error *error) {
    (void)error;
    size_t query = 0;
    if (matrix->note[0])
        fprintf(stream, "%s%s\n", NOTE, matrix->note);
    if (matrix->origin || matrix->note[0]) {
        char words[ORIGIN_TEXT_SIZE];
        origin_write(matrix->origin, words);
        fprintf(stream, "%s%s\n", ORIGIN, words[0] ? words : "real");
    }
    for (size_t row = 0; row < matrix->n_rows; row++) {
        write_float(stream, matrix->labels ? matrix->labels[row] : 0);
        if (matrix->query_id) {
            while (matrix->query_row[query + 1] <= row)
                query++;
            fprintf(stream, " qid:%lld", (long long)matrix->query_id[query]);
        }
        write_features(matrix, row, stream);
        fputc('\n', stream);
    }
    return STATUS_OK;
}

const struct data_format data_format_svmlight = {
    .name = "svmlight",
    .title = "SVMlight / LETOR text",
    .read = read_svmlight,
    .write = write_svmlight,
};
