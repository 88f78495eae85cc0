#include "harness/cli/shared/flags.h"

#include "base/nearest.h"
#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct flag *flag_find(const struct flag *flags, const char *text) {
    size_t size = strcspn(text, "=");
    for (const struct flag *flag = flags; flag->name; flag++)
        if (strlen(flag->name) == size && strncmp(flag->name, text, size) == 0)
            return flag;
    return NULL;
}

const char *const *flag_choices(const struct flag *flag) {
    return flag->list ? flag->list() : flag->choices;
}

void flag_argument(const struct flag *flag, char text[static FLAG_ARGUMENT_SIZE]) {
    const char *const *choices = flag_choices(flag);
    text[0] = '\0';
    if (flag->argument)
        snprintf(text, FLAG_ARGUMENT_SIZE, "%s", flag->argument);
    for (size_t i = 0; !flag->argument && choices && choices[i]; i++) {
        size_t used = strlen(text);
        snprintf(text + used, FLAG_ARGUMENT_SIZE - used, "%s%s", i ? "|" : "", choices[i]);
    }
}

/* --- values ----------------------------------------------------------------------------------- */

static enum status parse_integer(const struct flag *flag, const char *text, const char *end,
                                 int64_t *value, struct error *error) {
    int64_t parsed;
    if (number_parse_i64(text, end, &parsed) != end || parsed < flag->low || parsed > flag->high)
        return error_set(error, STATUS_INPUT,
                         "--%s: '%.*s' is not an integer from %" PRId64 " to %" PRId64, flag->name,
                         (int)(end - text), text, flag->low, flag->high);
    *value = parsed;
    return STATUS_OK;
}

static enum status parse_real(const struct flag *flag, const char *text, double *value,
                              struct error *error) {
    const char *end = text + strlen(text);
    double parsed;
    if (number_parse_double(text, end, &parsed) != end || !(parsed >= (double)flag->low) ||
        !(parsed <= (double)flag->high))
        return error_set(error, STATUS_INPUT,
                         "--%s: '%s' is not a number from %" PRId64 " to %" PRId64, flag->name,
                         text, flag->low, flag->high);
    *value = parsed;
    return STATUS_OK;
}

static enum status parse_choice(const struct flag *flag, const char *text, int *value,
                                struct error *error) {
    const char *const *choices = flag_choices(flag);
    char words[FLAG_ARGUMENT_SIZE] = "";
    size_t count = 0;
    for (; choices[count]; count++) {
        size_t used = strlen(words);
        if (strcmp(choices[count], text) == 0) {
            *value = (int)count + 1;
            return STATUS_OK;
        }
        snprintf(words + used, sizeof words - used, "%s%s", count ? ", " : "", choices[count]);
    }
    if (count == 1)
        return error_set(error, STATUS_INPUT, "--%s: '%s' is not supported. The only value is %s",
                         flag->name, text, words);
    const char *nearest = strlen(text) > 1 ? nearest_name(text, choices, count) : NULL;
    return error_set(error, STATUS_INPUT, "--%s: '%s' is not one of %s%s%s%s", flag->name, text,
                     words, nearest ? ": did you mean '" : "", nearest ? nearest : "",
                     nearest ? "'?" : "");
}

static enum status add_text(const struct flag *flag, const char *text, struct flag_texts *list,
                            struct error *error) {
    if (list->count == FLAG_LIST_MAX)
        return error_set(error, STATUS_INPUT, "--%s is given more than %d times", flag->name,
                         FLAG_LIST_MAX);
    list->items[list->count++] = text;
    return STATUS_OK;
}

static enum status add_integers(const struct flag *flag, const char *text,
                                struct flag_integers *list, struct error *error) {
    for (const char *end;; text = end + 1) {
        end = text + strcspn(text, ",");
        if (list->count == FLAG_INTEGERS_MAX)
            return error_set(error, STATUS_INPUT, "--%s: more than %d numbers", flag->name,
                             FLAG_INTEGERS_MAX);
        enum status status = parse_integer(flag, text, end, &list->items[list->count], error);
        list->count += !status;
        if (status || !*end)
            return status;
    }
}

enum status flag_set(const struct flag *flag, const char *text, void *request,
                     struct error *error) {
    void *member = (char *)request + flag->at;
    switch (flag->type) {
    case FLAG_TEXT:
        *(const char **)member = text;
        return STATUS_OK;
    case FLAG_SWITCH:
        *(bool *)member = true;
        return STATUS_OK;
    case FLAG_INTEGER:
        return parse_integer(flag, text, text + strlen(text), member, error);
    case FLAG_REAL:
        return parse_real(flag, text, member, error);
    case FLAG_CHOICE:
        return parse_choice(flag, text, member, error);
    case FLAG_TEXTS:
        return add_text(flag, text, member, error);
    case FLAG_INTEGERS:
        return add_integers(flag, text, member, error);
    }
    return STATUS_INPUT;
}
