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

/* --- sources of treebench's own kernels ------------------------------------------------------- */

/* Writes a source without its guard and its #include lines. Included templates are written in place
 * of their #include. */
void text_write_source(FILE *stream, const char *path);

/* Writes one kind of kernel of bit planes: the templates that planes_block_tmpl.h lists. The
 * registers are those of impls/planes/kernel/planes_KIND_tmpl.h, and a plane has `parts` registers.
 * The suffix is appended to all names that begin with kernel_ or KERNEL_, so that one file can have
 * several kinds. */
void text_write_kernel(FILE *stream, const char *kind, const char *suffix, int parts);

#endif
