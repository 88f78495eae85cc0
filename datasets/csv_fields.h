/* Splits the text of a table into lines and fields, and classifies the fields: numbers, truth
 * values, words, or missing. */
#ifndef DATASETS_CSV_FIELDS_H
#define DATASETS_CSV_FIELDS_H

#include <stdbool.h>

struct csv_field {
    const char *begin, *end; /* without surrounding quotes and spaces */
};

bool csv_is_blank(char c);
bool csv_field_is(struct csv_field field, const char *text);

/* Gets the next line that is not blank. False at the end of the text. */
bool csv_next_line(const char **at, const char *end, struct csv_field *line);

/* The first of ; tab , in this order of preference, that occurs outside quotes in a line; otherwise
 * a space. */
char csv_find_separator(struct csv_field line);

/* If the separator is a space, removes the spaces at both ends of the line. */
void csv_begin_line(char separator, struct csv_field *line);

/* Gets the field at *at and moves *at to the next field, or sets it to NULL after the last one.
 * False if a quote is misplaced; *at is then unchanged. */
bool csv_next_field(char separator, const char **at, const char *line_end, struct csv_field *field);

/* --- kinds of fields ------------------------------------------------------------------------- */

enum csv_kind { CSV_MISSING, CSV_NUMBER, CSV_TRUTH, CSV_WORD };

/* Returns the kind of a field. *value is set to its number, to 1 or 0 for a truth value, or to NaN.
 * If semicolons separate fields, numbers may have decimal commas. "nan" in any case is a number. */
enum csv_kind csv_classify(char separator, struct csv_field field, float *value);

/* The number of a numeric field or a truth value, as a double. */
double csv_exact_number(char separator, struct csv_field field);

bool csv_is_missing(struct csv_field field); /* empty, or a word such as NA */
bool csv_is_nan(struct csv_field field);

#endif
