/* Texts that are embedded in treebench: the templates *.in of this folder, the sources of kernels,
 * and the parts of reports as HTML (html/). The Makefile turns them into a table. */
#ifndef EXPORT_TEXT_H
#define EXPORT_TEXT_H

#include <stdio.h>

/* Returns the lines of a text; a NULL follows the last line. Returns NULL if there is no text with
 * this path. */
const char *const *text_lines(const char *path, size_t path_size);

/* The value that replaces "@key@" in a template. A list ends with a NULL key. */
struct text_value {
    const char *key, *value;
};

/* Where a part writes, and what of. */
struct text_place {
    FILE *stream;
    const void *context;
    int argument; /* the part's */
};

/* The function that writes lines in place of a template's line "@@key". A list ends with a NULL
 * key. */
struct text_part {
    const char *key;
    void (*write)(const struct text_place *place);
    int argument;
};

/* Writes a template. The lines between "@@if key" and "@@end" are written unless the value of the
 * key is "0"; those between "@@else" and "@@end" if it is. These do not nest, but "@@include PATH"
 * writes another template in place of the line. `lists` are lists of parts; a NULL follows. A key
 * without a value or part is a bug: an assertion fails. */
void text_write(FILE *stream, const char *template_path, const struct text_value *values,
                const struct text_part *const *lists, const void *context);

#endif
