#include "dropin/xgboost/flat.h"

#include <stdlib.h>
#include <string.h>

static const char *skip_space(const char *at) {
    return at + strspn(at, " \t\r\n");
}

const char *flat_find(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length) {
        if (at == text || at[-1] != '"' || at[length] != '"')
            continue;
        const char *colon = skip_space(at + length + 1);
        if (*colon == ':')
            return skip_space(colon + 1);
    }
    return NULL;
}

static bool ends_value(const char *at) {
    at = skip_space(at);
    return *at == ',' || *at == '}';
}

bool flat_integer(const char *text, const char *name, long *value) {
    const char *at = flat_find(text, name);
    char *end;
    if (!at)
        return false;
    *value = strtol(at, &end, 10);
    return end != at && ends_value(end);
}

bool flat_float(const char *text, const char *name, float *value) {
    const char *at = flat_find(text, name);
    char *end;
    if (!at)
        return false;
    *value = strtof(at, &end);
    return end != at && ends_value(end);
}

bool flat_bool(const char *text, const char *name, bool *value) {
    const char *at = flat_find(text, name);
    if (!at)
        return false;
    *value = strncmp(at, "true", 4) == 0;
    return *value || strncmp(at, "false", 5) == 0;
}
