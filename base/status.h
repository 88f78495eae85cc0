/* Errors are values. A function that can fail returns an enum status and takes a struct error * as
 * its last argument. On failure, the error's text is one line for the user: "FILE:LINE: what is
 * wrong and what to do". The error may be NULL if the caller does not need the text. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <stdarg.h>
#include <stddef.h>

enum status {
    STATUS_OK = 0,
    STATUS_INPUT,       /* invalid arguments or input: exit status 2 */
    STATUS_UNSUPPORTED, /* valid, but this implementation or reader cannot do it */
    STATUS_MACHINE,     /* the machine lacks something (a CPU feature, a tool): exit status 4 */
    STATUS_MEMORY,      /* out of memory, or over a stated size limit */
    STATUS_IO           /* a file operation failed */
};

enum { ERROR_TEXT_SIZE = 1024 };

struct error {
    char text[ERROR_TEXT_SIZE];
};

/* Formats the text and returns `status`, so that `return error_set(error, STATUS_INPUT, "%s:%zu:
 * ...", path, line);` is one line. The text is cut at the size of the buffer. Control characters
 * become "?". */
enum status error_set(struct error *error, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Replaces control characters by "?", because escape sequences begin with them and names from a
 * file may contain anything. */
void text_make_plain(char *text);

/* Appends to a text in a buffer of `size` bytes. What does not fit is cut. */
void text_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets the text "NAME:LINE:COLUMN: ..." for the character `at` of `text` and returns STATUS_INPUT.
 * The line and column are counted only here, so that readers need not track them. */
enum status error_set_at(struct error *error, const char *name, const char *text, const char *at,
                         const char *format, va_list arguments)
    __attribute__((format(printf, 5, 0)));

/* Reports a failed allocation and returns STATUS_MEMORY. `what` names the purpose of the memory. */
enum status error_memory(struct error *error, const char *what);

/* Reports a failed call of a C++ library with the first line of its error message `text`. Returns
 * STATUS_MEMORY if the message contains "bad_alloc", otherwise STATUS_UNSUPPORTED. */
enum status error_library(struct error *error, const char *library, const char *text);

#endif
