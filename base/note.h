/* Notes: messages for the user although nothing failed. A function that may send notes takes a
 * `note_function`, so that its caller decides where they go. */
#ifndef BASE_NOTE_H
#define BASE_NOTE_H

/* `line` is one line without a newline, valid during the call. */
typedef void note_function(const char *line);

/* Formats one line and passes it to `note`. Does nothing if `note` is NULL. */
void note_tell(note_function *note, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
