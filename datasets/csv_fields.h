/* The lines and fields of a table's text. */
#ifndef DATASETS_CSV_FIELDS_H
#define DATASETS_CSV_FIELDS_H

#include <stdbool.h>

struct csv_field {
    const char *begin, *end; /* without quotes and the spaces around it */
};

bool csv_is_blank(char c);
bool csv_field_is(struct csv_field field, const char *text);

/* The next line that is not blank; false at the end of the text. */
bool csv_next_line(const char **at, const char *end, struct csv_field *line);

/* The first of ; tab , that stands outside of quotes in a line, by this rank; or a space. */
char csv_find_separator(struct csv_field line);

/* With spaces between the fields, those around the line separate nothing. */
void csv_begin_line(char separator, struct csv_field *line);

/* Takes the field at *at, which becomes NULL behind the last of the line. False, with *at where it
 * is, when a quote is wrong. */
bool csv_next_field(char separator, const char **at, const char *line_end, struct csv_field *field);

#endif
