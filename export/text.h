/* Texts that the program carries with it: the templates *.in of this folder, and the sources of
 * kernels. The Makefile makes them into a table. */
#ifndef EXPORT_TEXT_H
#define EXPORT_TEXT_H

#include <stdio.h>

/* The lines of a text, ended by NULL. NULL: there is none of this name. */
const char *const *text_lines(const char *path, size_t path_size);

/* What a template's "@key@" becomes. A list ends with a key of NULL. */
struct text_value {
    const char *key, *value;
};

/* What a template's line "@@key" becomes: lines. A list ends with a key of NULL. */
struct text_part {
    const char *key;
    void (*write)(FILE *stream, const void *context, int argument);
    int argument;
};

/* Keys that are not there are a mistake of this program: an assertion fails. */
void text_write(FILE *stream, const char *template_path, const struct text_value *values,
                const struct text_part *parts, const void *context);

#endif
