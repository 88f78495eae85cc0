#include "datasets/csv_fields.h"

#include "base/number.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

bool csv_is_blank(char c) {
    return c == ' ' || c == '\r' || c == '\t';
}

bool csv_next_line(const char **at, const char *end, struct csv_field *line) {
    while (*at < end) {
        const char *newline = memchr(*at, '\n', (size_t)(end - *at));
        *line = (struct csv_field){*at, newline ? newline : end};
        *at = newline ? newline + 1 : end;
        if (line->end > line->begin && line->end[-1] == '\r')
            line->end--;
        for (const char *c = line->begin; c < line->end; c++) {
            if (!csv_is_blank(*c))
                return true;
        }
    }
    return false;
}

static struct csv_field trim(const char *begin, const char *end) {
    while (begin < end && csv_is_blank(*begin))
        begin++;
    while (end > begin && csv_is_blank(end[-1]))
        end--;
    return (struct csv_field){begin, end};
}

/* The position after the quote that ends a field, or NULL. */
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

bool csv_next_field(char separator, const char **at, const char *line_end,
                    struct csv_field *field) {
    const char *begin = *at, *end;
    while (begin < line_end && *begin != separator && csv_is_blank(*begin))
        begin++;
    *at = begin;
    if (begin < line_end && *begin == '"') {
        const char *behind = skip_quoted(begin, line_end);
        if (!behind)
            return false;
        *field = (struct csv_field){begin + 1, behind - 1};
        for (end = behind; end < line_end && *end != separator; end++) {
            if (!csv_is_blank(*end))
                return false;
        }
    } else {
        end = memchr(begin, separator, (size_t)(line_end - begin));
        if (!end)
            end = line_end;
        *field = trim(begin, end);
    }
    while (separator == ' ' && end < line_end && csv_is_blank(*end))
        end++;
    *at = end == line_end ? NULL : separator == ' ' ? end : end + 1;
    return true;
}

void csv_begin_line(char separator, struct csv_field *line) {
    if (separator == ' ')
        *line = trim(line->begin, line->end);
}

char csv_find_separator(struct csv_field line) {
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

bool csv_field_is(struct csv_field field, const char *text) {
    size_t length = strlen(text);
    return (size_t)(field.end - field.begin) == length && memcmp(field.begin, text, length) == 0;
}

/* --- kinds of fields ------------------------------------------------------------------------- */

enum { DECIMAL_SIZE = 128 };

/* Copies the field and replaces its decimal comma by a decimal point. Returns false if the field is
 * too long, or has no comma or a point as well. */
static bool change_decimal_comma(struct csv_field field, char copy[static DECIMAL_SIZE]) {
    size_t length = (size_t)(field.end - field.begin);
    const char *comma = memchr(field.begin, ',', length);
    if (!comma || length > DECIMAL_SIZE || memchr(field.begin, '.', length))
        return false;
    memcpy(copy, field.begin, length);
    copy[comma - field.begin] = '.';
    return true;
}

static bool parse_decimal_comma(struct csv_field field, float *value) {
    char copy[DECIMAL_SIZE];
    size_t length = (size_t)(field.end - field.begin);
    return change_decimal_comma(field, copy) &&
           number_parse_float(copy, copy + length, value) == copy + length;
}

double csv_exact_number(char separator, struct csv_field field) {
    char copy[DECIMAL_SIZE];
    double value = (double)NAN;
    float truth;
    size_t length = (size_t)(field.end - field.begin);
    if (number_parse_double(field.begin, field.end, &value) == field.end)
        return value;
    if (number_parse_truth(field.begin, field.end, &truth))
        return (double)truth;
    if (separator == ';' && change_decimal_comma(field, copy))
        number_parse_double(copy, copy + length, &value);
    return value;
}

bool csv_is_missing(struct csv_field field) {
    static const char *const words[] = {"NA", "?", "N/A", "n/a", "#N/A", "null", "NULL"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (csv_field_is(field, words[i]))
            return true;
    return field.begin == field.end;
}

bool csv_is_nan(struct csv_field field) {
    float number;
    return number_parse_float(field.begin, field.end, &number) == field.end && isnan(number);
}

enum csv_kind csv_classify(char separator, struct csv_field field, float *value) {
    *value = NAN;
    if (csv_is_missing(field))
        return CSV_MISSING;
    float number;
    double large;
    if (number_parse_float(field.begin, field.end, &number) == field.end ||
        (separator == ';' && parse_decimal_comma(field, &number))) {
        *value = number;
        return CSV_NUMBER;
    }
    if (number_parse_double(field.begin, field.end, &large) ==
        field.end) { /* exceeds the range of float32 */
        *value = large < 0 ? -INFINITY : INFINITY;
        return CSV_NUMBER;
    }
    return number_parse_truth(field.begin, field.end, value) ? CSV_TRUTH : CSV_WORD;
}
