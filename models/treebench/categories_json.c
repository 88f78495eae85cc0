/* The categories in treebench's JSON. */
#include "base/number.h"
#include "models/treebench/treebench_json.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void write_word(const char *word, size_t length, FILE *stream) {
    fputc('"', stream);
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)word[i] < ' ')
            fprintf(stream, "\\u%04x", (unsigned)(unsigned char)word[i]);
        else
            fprintf(stream, "%s%c", word[i] == '"' || word[i] == '\\' ? "\\" : "", word[i]);
    }
    fputc('"', stream);
}

static void write_list(const struct categories *categories, uint32_t feature, FILE *stream) {
    bool numbers = categories_are_numbers(categories, feature);
    fprintf(stream, "\"%" PRIu32 "\": [", feature);
    for (uint32_t code = 0; code < categories_count(categories, feature); code++) {
        fputs(code ? "," : "", stream);
        if (numbers) {
            char text[NUMBER_TEXT_SIZE];
            number_format_double(categories_number(categories, feature, code), text);
            fputs(text, stream);
        } else {
            size_t length;
            const char *word = categories_word(categories, feature, code, &length);
            write_word(word, length, stream);
        }
    }
    fputc(']', stream);
}

void categories_write_json(const struct categories *categories, uint32_t n_features, bool hashed,
                           FILE *stream) {
    bool first = true;
    fputc('{', stream);
    for (uint32_t f = 0; f < n_features; f++) {
        if (!categories_has(categories, f) || categories_are_hashes(categories, f) != hashed)
            continue;
        fputs(first ? "" : ", ", stream);
        write_list(categories, f, stream);
        first = false;
    }
    fputc('}', stream);
}

/* Adds a word. cJSON decodes the escapes; it needs the quotes around the token. */
static enum status add_word(const struct json_stream *stream, const struct json_token *token,
                            struct categories *categories, uint32_t feature, struct error *error) {
    cJSON *string = cJSON_ParseWithLength(token->text - 1, token->size + 2);
    enum status status = STATUS_OK;
    if (!cJSON_IsString(string))
        status = json_stream_error(stream, error, "categories: a word is not valid text");
    else if (!categories_add_word(categories, feature, string->valuestring,
                                  strlen(string->valuestring)))
        status = error_memory(error, "the categories of a model");
    cJSON_Delete(string);
    return status;
}

static enum status add_hash(const struct json_stream *stream, const struct json_token *token,
                            struct categories *categories, uint32_t feature, struct error *error) {
    double hash;
    if (!json_token_double(token, &hash) || !(hash >= 0 && hash <= UINT32_MAX) ||
        hash != (double)(uint32_t)hash)
        return json_stream_error(stream, error,
                                 "hashed_categories: expected integers from 0 to 4294967295");
    return categories_add_hash(categories, feature, (uint32_t)hash)
               ? STATUS_OK
               : error_memory(error, "the categories of a model");
}

static enum status add_item(const struct json_stream *stream, const struct json_token *token,
                            struct categories *categories, uint32_t feature, struct error *error) {
    bool is_number = token->kind == JSON_NUMBER;
    double number;
    if (categories_count(categories, feature) > 0 &&
        is_number != categories_are_numbers(categories, feature))
        return json_stream_error(stream, error,
                                 "categories: a list contains both words and numbers");
    if (token->kind == JSON_STRING)
        return add_word(stream, token, categories, feature, error);
    if (!is_number || !json_token_double(token, &number))
        return json_stream_error(
            stream, error, "categories: a list contains something other than words or numbers");
    return categories_add_number(categories, feature, number)
               ? STATUS_OK
               : error_memory(error, "the categories of a model");
}

static enum status read_list(struct json_stream *stream, struct categories *categories,
                             uint32_t feature, bool hashed, struct error *error) {
    struct json_token token;
    enum status status = json_stream_next(stream, &token, error);
    if (!status && (token.kind != JSON_ARRAY || categories_count(categories, feature) > 0))
        return json_stream_error(
            stream, error, "categories: feature %" PRIu32 ": expected a single array", feature);
    if (!status && hashed && !categories_add_hashed(categories, feature))
        status = error_memory(error, "the categories of a model");
    while (!status && !(status = json_stream_next(stream, &token, error)) &&
           token.kind != JSON_ARRAY_END)
        status = (hashed ? add_hash : add_item)(stream, &token, categories, feature, error);
    return status;
}

enum status categories_read_json(struct json_stream *stream, uint32_t n_features, bool hashed,
                                 struct categories *categories, struct error *error) {
    struct json_token token;
    enum status status = json_stream_next(stream, &token, error);
    if (!status && token.kind != JSON_OBJECT)
        return json_stream_error(stream, error, "categories: expected an object");
    while (!status && !(status = json_stream_next(stream, &token, error)) &&
           token.kind != JSON_OBJECT_END) {
        uint32_t feature;
        const char *end = token.text + token.size;
        if (number_parse_u32(token.text, end, &feature) != end || feature >= n_features)
            return json_stream_error(stream, error, "categories: '%.*s' is not a feature number",
                                     (int)(token.size < 40 ? token.size : 40), token.text);
        status = read_list(stream, categories, feature, hashed, error);
    }
    return status;
}
