/* How every function of treebench says that it failed.
 *
 * A function that can fail returns an enum status and takes a struct error *
 * as its last argument. On failure the text of the error is one line, ready
 * for the user: "FILE:LINE: what is wrong and what would be right". The error
 * may be NULL when the caller does not want the text. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <stdarg.h>

enum status {
    STATUS_OK = 0,
    STATUS_INPUT,       /* unusable arguments or input: exit status 2 */
    STATUS_UNSUPPORTED, /* fine in itself, but this implementation or reader cannot do it */
    STATUS_MACHINE,     /* the machine cannot do it (CPU feature, missing tool): exit status 4 */
    STATUS_MEMORY,      /* out of memory, or a size over a stated limit */
    STATUS_IO           /* the operating system refused a file operation */
};

enum { ERROR_TEXT_SIZE = 1024 };

struct error {
    char text[ERROR_TEXT_SIZE];
};

/* Writes the text (printf style, cut at the size of the buffer, control characters as "?") and
 * returns `status`, so that `return error_set(error, STATUS_INPUT, "%s:%zu: ...", path, line);` is
 * one line. */
enum status error_set(struct error *error, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Names and words from a file may hold anything. Makes "?" of what is no text to a terminal:
 * control characters, with which escape sequences begin. */
void text_make_plain(char *text);

/* STATUS_INPUT with "NAME:LINE:COLUMN: ..." for the character `at` of a text; both are counted
 * here, so that readers need not keep them. */
enum status error_set_at(struct error *error, const char *name, const char *text, const char *at,
                         const char *format, va_list arguments)
    __attribute__((format(printf, 5, 0)));

/* The status for "malloc returned NULL", with a text that names what was wanted. */
enum status error_memory(struct error *error, const char *what);

#endif
