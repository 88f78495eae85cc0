/* Splits the text of a table into lines and fields. */
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

#endif
