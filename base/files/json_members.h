/* Reads streaming JSON by tables that say what the members of an object are and where they go.
 *
 *     struct point { struct json_reader json; uint32_t x; bool has_name; struct json_token name; };
 *
 *     static const struct json_member members[] = {
 *         JSON_REQUIRED(U32, "x", .offset = offsetof(struct point, x), .low = 1, .high = 9),
 *         JSON_OPTIONAL(TEXT, "name", .offset = offsetof(struct point, name),
 *                       .has = offsetof(struct point, has_name)),
 *         JSON_SKIP_OTHERS};
 *
 * Errors read "FILE:LINE: tree 3, node 5: KEY: what is wrong". */
#ifndef BASE_FILES_JSON_MEMBERS_H
#define BASE_FILES_JSON_MEMBERS_H

#include "base/files/json_stream.h"
#include "base/memory.h"

/* A part of a file, for errors: "tree 3". No part if `what` is NULL. */
struct json_part {
    const char *what;
    size_t number;
};

struct json_reader {
    struct json_stream stream;
    struct error *error;
    struct json_part part, inner; /* what is being read: "tree 3", "node 5" */
    bool has_fractions;           /* integers may be written with a fraction of 0: 5.0, 5e0 */
};

/* Each comment gives the form of a member in the struct; in JSON. Lists are struct memory_list. */
enum json_member_type {
    MEMBER_REFUSED,  /* none; an error: an unknown member may change the scores */
    MEMBER_SKIPPED,  /* none; anything */
    MEMBER_READ,     /* what `read` makes of it */
    MEMBER_TAKEN,    /* what `take` makes of its token, the first one of an array or object */
    MEMBER_PARSED,   /* what `take` makes of it; a string */
    MEMBER_BOOL,     /* bool; true or false */
    MEMBER_BIT,      /* bool; 0 or 1 */
    MEMBER_FLAG,     /* bool; 0, 1, true or false */
    MEMBER_U32,      /* uint32_t; an integer from `low` to `high` */
    MEMBER_I32,      /* int32_t; the same */
    MEMBER_U64,      /* uint64_t; the same */
    MEMBER_REAL,     /* float; a number, which may be infinite or NaN */
    MEMBER_FLOAT,    /* float; a number in its range, rounded once */
    MEMBER_DOUBLE,   /* double; the same */
    MEMBER_TEXT,     /* struct json_token; a string */
    MEMBER_WORD,     /* uint32_t or an enum, an index of `words`; one of these strings */
    MEMBER_U32S,     /* u32; an array of integers from `low` to `high` */
    MEMBER_INTEGERS, /* integer; the same */
    MEMBER_FLOATS,   /* real; an array of numbers, which may be infinite or NaN */
    MEMBER_DOUBLES,  /* number; an array of finite numbers */
    MEMBER_OBJECT,   /* `members` of the same struct; an object */
    MEMBER_OBJECTS,  /* what `each` makes of each, after its "{"; an array of objects */
    MEMBER_ITEMS,    /* what `take` makes of the token of each; an array */
    MEMBER_LATER     /* struct json_place; anything, which is skipped and can be read later */
};

struct json_member {
    const char *name; /* NULL in the last row of a table, whose type is that of all others */
    enum json_member_type type;
    bool is_required;
    size_t offset;     /* in the struct that is filled in */
    size_t has;        /* offset of a bool that becomes true if the member is there; 0: none */
    int64_t low, high; /* of integers; both 0: the whole range of the type */
    bool or_null;      /* arrays: null is an empty array */
    const char *const *words; /* ended by NULL */
    const struct json_member *members;
    enum status (*read)(void *data, const struct json_member *member);
    enum status (*take)(void *data, const struct json_member *member,
                        const struct json_token *token);
    enum status (*each)(void *data);
};

/* Rows of a table. The last arguments are further members of struct json_member. */
#define JSON_REQUIRED(TYPE, NAME, ...)                                                             \
    { .name = NAME, .type = MEMBER_##TYPE, .is_required = true, __VA_ARGS__ }
#define JSON_OPTIONAL(TYPE, NAME, ...)                                                             \
    { .name = NAME, .type = MEMBER_##TYPE, __VA_ARGS__ }
#define JSON_SKIPPED(NAME)                                                                         \
    { .name = NAME, .type = MEMBER_SKIPPED }
#define JSON_SKIP_OTHERS                                                                           \
    { .type = MEMBER_SKIPPED }
#define JSON_REFUSE_OTHERS                                                                         \
    { .type = MEMBER_REFUSED }

/* Begins a text. The other members of the reader are cleared. */
void json_reader_open(struct json_reader *reader, const char *name, const char *text, size_t size,
                      struct error *error);

/* Read an object into the struct at `data`: the next value, or the rest of it after its "{". Known
 * members may come in any order, but only once. A table has at most 64 rows. Errors name the object
 * by `key` unless it is "". */
enum status json_read_object(struct json_reader *reader, const char *key,
                             const struct json_member *members, void *data);
enum status json_read_members(struct json_reader *reader, const char *key,
                              const struct json_member *members, void *data);

/* Reads the object that is the whole text. */
enum status json_read_root(struct json_reader *reader, const struct json_member *members,
                           void *data);

/* Reads the value of a member. */
enum status json_read_member(struct json_reader *reader, const struct json_member *member,
                             void *data);

/* Sets the place of the member in the struct at `data`. Not for arrays, objects and MEMBER_READ. */
enum status json_set_value(const struct json_reader *reader, const struct json_member *member,
                           const struct json_token *token, void *data);

enum status json_read_token(struct json_reader *reader, struct json_token *token);
enum status json_begin(struct json_reader *reader, const char *key, enum json_token_kind kind);

/* Reads the next item of an array, or the next key of an object. False at its end, or if *status is
 * or becomes an error. */
bool json_read_item(struct json_reader *reader, struct json_token *token, enum status *status);

/* Adds an item of `size` bytes to a list. */
enum status json_list_add(const struct json_reader *reader, struct memory_list *list,
                          const void *item, size_t size);

/* Integers, written as `has_fractions` allows. json_read_integer reads the next
 * value, and json_check_integer takes a token. */
bool json_to_integer(const struct json_reader *reader, const struct json_token *token, int64_t low,
                     int64_t high, int64_t *value);
enum status json_check_integer(const struct json_reader *reader, const char *key,
                               const struct json_token *token, int64_t low, int64_t high,
                               int64_t *value);
enum status json_read_integer(struct json_reader *reader, const char *key, int64_t low,
                              int64_t high, int64_t *value);

/* The functions that report errors return STATUS_INPUT. */
enum status json_fail(const struct json_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "FILE:LINE: tree 3: KEY: expected EXPECTED" */
enum status json_wrong(const struct json_reader *reader, const char *key, const char *expected);

/* If a function that knows no place in the file has failed with `status` and `inner`, reports its
 * message with the place. `key` is "" or "KEY: ". */
enum status json_locate(const struct json_reader *reader, enum status status, const char *key,
                        const struct error *inner);

#endif
