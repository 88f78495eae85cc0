/* JSON one token after the other, for texts that are too large for a tree of cJSON's: nothing is
 * allocated, and the memory is that of this struct.
 *
 *     struct json_stream stream;
 *     json_stream_open_text(&stream, name, text, size);
 *     json_stream_next(&stream, &token, error);         once per token, until JSON_END
 *
 * Strict, but for one thing that programs write all the same: NaN, Infinity and -Infinity are
 * numbers. Another encoding of the same values (UBJSON) is another `next`. */
#ifndef BASE_JSON_STREAM_H
#define BASE_JSON_STREAM_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_token_kind {
    JSON_END, /* behind the whole text */
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
    /* In the input. Keys and strings: between the quotes, escapes as they stand. What
     * else is no bracket: as it stands, in JSON text only. */
    const char *text;
    size_t size;
    bool is_integer; /* of numbers: no point and no exponent, and it fits `integer` */
    int64_t integer;
    float real; /* of numbers: rounded once; a number over the largest float is infinite */
};

enum { JSON_STREAM_MAX_DEPTH = 512 };

/* What is open around the next token; the last three are for encodings that count. */
struct json_frame {
    bool is_object, is_counted;
    char type; /* of every element; 0 where each says its own */
    uint64_t left;
};

struct json_stream {
    const char *name;
    const char *begin, *at, *end;
    size_t line; /* 0: this encoding has no lines, errors tell the byte */
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

/* Passes over the value that comes next, whatever is in it. */
enum status json_stream_skip(struct json_stream *stream, struct error *error);

/* "FILE:LINE: " or "FILE: byte N: " before the message. */
enum status json_stream_error(const struct json_stream *stream, struct error *error,
                              const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Opens a frame, for decoders; refuses what is nested too deep. */
enum status json_stream_push(struct json_stream *stream, struct json_frame frame,
                             struct error *error);

bool json_token_is(const struct json_token *token, const char *text); /* a key or string */

/* A finite number of JSON text, rounded once to double. False where the token is something else. */
bool json_token_double(const struct json_token *token, double *value);

/* A known member of an object. */
struct json_member {
    const char *name;
    enum status (*read)(void *data); /* reads its value; NULL passes over it */
    bool is_required;
};

/* The rest of an object whose "{" has been read: known members in any order, none twice, all that
 * are required. Others are refused, or passed over where skip_unknown says so. `where` begins
 * errors: "" or "tree 3: ". At most 64 members. */
enum status json_stream_members(struct json_stream *stream, const char *where,
                                const struct json_member *members, size_t n_members,
                                bool skip_unknown, void *data, struct error *error);

#endif
