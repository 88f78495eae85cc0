#include "datasets/csv_values.h"

#include "base/number.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

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
