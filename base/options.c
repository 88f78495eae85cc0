#include "base/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies the text [from, from + length). Fails if it is empty or too long. */
static enum status copy_part(char to[static OPTION_TEXT_SIZE], const char *from, size_t length,
                             const char *text, const char *what, struct error *error) {
    if (length == 0)
        return error_set(error, STATUS_INPUT,
                         "'%s': %s is empty; write NAME or NAME,KEY=VALUE,KEY=VALUE", text, what);
    if (length >= OPTION_TEXT_SIZE)
        return error_set(error, STATUS_INPUT, "'%s': %s is longer than %d characters", text, what,
                         OPTION_TEXT_SIZE - 1);
    memcpy(to, from, length);
    to[length] = '\0';
    return STATUS_OK;
}

/* Keeps the pairs sorted by key. */
static enum status insert_pair(struct options *options, const struct option_pair *pair,
                               const char *text, struct error *error) {
    if (options_get(options, pair->name))
        return error_set(error, STATUS_INPUT, "'%s': %s is given twice", text, pair->name);
    if (options->count == OPTIONS_MAX)
        return error_set(error, STATUS_INPUT, "'%s': there are more than %d options", text,
                         OPTIONS_MAX);
    size_t at = options->count++;
    for (; at > 0 && strcmp(options->pairs[at - 1].name, pair->name) > 0; at--)
        options->pairs[at] = options->pairs[at - 1];
    options->pairs[at] = *pair;
    return STATUS_OK;
}

static enum status parse_pair(struct options *options, const char *from, size_t length,
                              const char *text, struct error *error) {
    const char *equals = memchr(from, '=', length);
    if (!equals)
        return error_set(error, STATUS_INPUT, "'%s': '%.*s' is not of the form KEY=VALUE", text,
                         (int)length, from);
    struct option_pair pair = {0}; /* sets all bytes, so that memcmp can compare options */
    size_t key_length = (size_t)(equals - from);
    enum status status = copy_part(pair.name, from, key_length, text, "a key", error);
    if (!status)
        status = copy_part(pair.value, equals + 1, length - key_length - 1, text, "a value", error);
    return status ? status : insert_pair(options, &pair, text, error);
}

enum status options_parse(const char *text, char name[OPTION_TEXT_SIZE], struct options *options,
                          struct error *error) {
    *options = (struct options){0};
    size_t length = strcspn(text, ",");
    enum status status =
        copy_part(name, text, length, text, "the name of the implementation", error);
    for (const char *at = text + length; !status && *at == ','; at += length) {
        at++;
        length = strcspn(at, ",");
        status = parse_pair(options, at, length, text, error);
    }
    return status;
}

const char *options_get(const struct options *options, const char *name) {
    for (size_t i = 0; options && i < options->count; i++)
        if (strcmp(options->pairs[i].name, name) == 0)
            return options->pairs[i].value;
    return NULL;
}

enum status options_integer(const struct options *options, const char *name, long low, long high,
                            long fallback, long *value, struct error *error) {
    const char *text = options_get(options, name);
    if (!text) {
        *value = fallback;
        return STATUS_OK;
    }
    char *behind;
    errno = 0;
    long number = strtol(text, &behind, 10);
    if (behind == text || *behind || errno || number < low || number > high)
        return error_set(error, STATUS_INPUT, "%s=%s: not an integer from %ld to %ld", name, text,
                         low, high);
    *value = number;
    return STATUS_OK;
}

enum status options_choice(const struct options *options, const char *impl, const char *name,
                           const char *words, unsigned *choice, struct error *error) {
    const char *text = options_get(options, name);
    *choice = 0;
    for (const char *word = words; text && *word; *choice += 1) {
        size_t length = strcspn(word, " ");
        if (strlen(text) == length && memcmp(text, word, length) == 0)
            return STATUS_OK;
        word += length + (word[length] == ' ');
    }
    return text ? error_set(error, STATUS_INPUT, "%s,%s=%s: %s must be one of: %s", impl, name,
                            text, name, words)
                : STATUS_OK;
}

void options_format(const struct options *options, char *text, size_t size) {
    size_t used = 0;
    if (size)
        text[0] = '\0';
    for (size_t i = 0; options && i < options->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s=%s", i ? "," : "",
                                 options->pairs[i].name, options->pairs[i].value);
}
