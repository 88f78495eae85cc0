#include "models/xgboost/xgboost_walk.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>

enum status walk_wrong(const struct walk *w, const char *what, const char *expected) {
    return json_stream_error(w->stream, w->error, "%s: expected %s", what, expected);
}

enum status walk_next(struct walk *w, struct json_token *token) {
    return json_stream_next(w->stream, token, w->error);
}

enum status walk_object(struct walk *w, const char *what, const struct json_stream_member *members,
                        size_t n_members, bool skip_unknown) {
    struct json_token token;
    enum status status = walk_next(w, &token);
    if (status)
        return status;
    if (token.kind != JSON_OBJECT)
        return walk_wrong(w, what, "an object");
    char where[WALK_NAME_SIZE];
    snprintf(where, sizeof where, "%s: ", what);
    return json_stream_members(w->stream, where, members, n_members, skip_unknown, w, w->error);
}

enum status walk_array_begin(struct walk *w, const char *what) {
    struct json_token token;
    enum status status = walk_next(w, &token);
    if (!status && token.kind != JSON_ARRAY)
        status = walk_wrong(w, what, "an array");
    return status;
}

enum status walk_string(struct walk *w, const char *what, struct json_token *token) {
    enum status status = walk_next(w, token);
    if (!status && token->kind != JSON_STRING)
        status = walk_wrong(w, what, "a string");
    return status;
}

enum status walk_name(struct walk *w, const char *what, char name[static WALK_NAME_SIZE]) {
    struct json_token token;
    enum status status = walk_string(w, what, &token);
    if (status)
        return status;
    if (token.size >= WALK_NAME_SIZE || memchr(token.text, '\0', token.size))
        return walk_wrong(w, what, "a name of at most 63 letters");
    memcpy(name, token.text, token.size);
    name[token.size] = '\0';
    return STATUS_OK;
}

/* Reads an integer from a string, as XGBoost writes its parameters. */
enum status walk_parameter(struct walk *w, const char *what, uint32_t *value) {
    struct json_token token;
    enum status status = walk_string(w, what, &token);
    if (!status &&
        number_parse_u32(token.text, token.text + token.size, value) != token.text + token.size)
        status = walk_wrong(w, what, "a string with a 32-bit integer");
    return status;
}

enum status walk_append_float(struct walk *w, struct float_list *list, float value) {
    if (!memory_grow((void **)&list->values, &list->capacity, list->count, sizeof *list->values))
        return error_memory(w->error, "an array of a model");
    list->values[list->count++] = value;
    return STATUS_OK;
}

static enum status append_u32(struct walk *w, struct u32_list *list, const char *what,
                              const struct json_token *token) {
    if (token->kind != JSON_NUMBER || !token->is_integer || token->integer < 0 ||
        token->integer > UINT32_MAX)
        return walk_wrong(w, what, "an array of integers from 0 to 4294967295");
    if (!memory_grow((void **)&list->values, &list->capacity, list->count, sizeof *list->values))
        return error_memory(w->error, "an array of a model");
    list->values[list->count++] = (uint32_t)token->integer;
    return STATUS_OK;
}

enum status walk_u32_list(struct walk *w, const char *what, struct u32_list *list) {
    enum status status = walk_array_begin(w, what);
    struct json_token token = {.kind = JSON_ARRAY};
    while (!status && !(status = walk_next(w, &token)) && token.kind != JSON_ARRAY_END)
        status = append_u32(w, list, what, &token);
    return status;
}

enum status walk_float_list(struct walk *w, const char *what, struct float_list *list) {
    enum status status = walk_array_begin(w, what);
    while (!status) {
        struct json_token token;
        if ((status = walk_next(w, &token)) || token.kind == JSON_ARRAY_END)
            break;
        status = token.kind == JSON_NUMBER ? walk_append_float(w, list, token.real)
                                           : walk_wrong(w, what, "an array of numbers");
    }
    return status;
}
