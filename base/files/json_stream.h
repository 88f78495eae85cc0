/* Streaming JSON, one token at a time, for texts that are too large for a cJSON tree. Nothing is
 * allocated: a struct json_stream is all the memory needed.
 *
 *     struct json_stream stream;
 *     json_stream_open_text(&stream, name, text, size);
 *     json_stream_next(&stream, &token, error);         once per token, until JSON_END
 *
 * The grammar is strict, with one exception that many programs need: NaN, Infinity and -Infinity
 * are numbers. Other encodings of the same values (UBJSON) provide their own `next`. */
#ifndef BASE_FILES_JSON_STREAM_H
#define BASE_FILES_JSON_STREAM_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_token_kind {
    JSON_END, /* after the whole text */
    JSON_OBJECT,
    JSON_OBJECT_END,
    JSON_ARRAY,
    JSON_ARRAY_END,
    JSON_KEY,
    JSON_STRING,
    JSON_NUMBER,
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL
};

struct json_token {
    enum json_token_kind kind;
    /* Points into the input. Keys and strings: the text between the quotes, escapes not decoded.
     * Other values, in JSON text only: the text as written. Unset for brackets. */
    const char *text;
    size_t size;
    bool is_integer; /* numbers only: true if it has no point and no exponent, and fits `integer` */
    int64_t integer;
    float real; /* numbers only: rounded once, infinite beyond the largest float */
};

enum { JSON_STREAM_MAX_DEPTH = 512 };

/* An open array or object. is_counted, type and left are for encodings that store the number of
 * elements. */
struct json_frame {
    bool is_object, is_counted;
    char type; /* type shared by all elements; 0 if each element has its own type */
    uint64_t left;
};

struct json_stream {
    const char *name;
    const char *begin, *at, *end;
    size_t line; /* 0 if the encoding has no lines; errors then name the byte offset */
    int state;
    unsigned depth;
    struct json_frame frames[JSON_STREAM_MAX_DEPTH];
    enum status (*next)(struct json_stream *stream, struct json_token *token, struct error *error);
};

void json_stream_open_text(struct json_stream *stream, const char *name, const char *text,
                           size_t size);

static inline enum status json_stream_next(struct json_stream *stream, struct json_token *token,
                                           struct error *error) {
    return stream->next(stream, token, error);
}

/* A value to which a stream can go, to read it again or later. */
struct json_place {
    const char *at; /* NULL: none */
    size_t line;
    int state;
    unsigned depth;
};

struct json_place json_stream_place(const struct json_stream *stream);
void json_stream_go(struct json_stream *stream, const struct json_place *place);

/* Skips the next value, including all nested values. */
enum status json_stream_skip(struct json_stream *stream, struct error *error);

/* Prefixes the message with "FILE:LINE: " or "FILE: byte N: ". */
enum status json_stream_error(const struct json_stream *stream, struct error *error,
                              const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Opens an array or object. Called by the decoders of an encoding. Fails if the nesting is too
 * deep. */
enum status json_stream_push(struct json_stream *stream, struct json_frame frame,
                             struct error *error);

bool json_token_is(const struct json_token *token, const char *text); /* for keys and strings */

/* Compares keys or strings, for qsort and bsearch: by size, then by text. */
int json_token_compare(const void *a, const void *b);

/* Reads a finite number of JSON text, rounded once to double. Returns false for any other token. */
bool json_token_double(const struct json_token *token, double *value);

#endif
