#include "base/nearest.h"

#include <string.h>

enum { NAME_MAX_SIZE = 64 };

/* Levenshtein distance between `a` and the first b_size characters of `b`. */
static size_t edit_distance(const char *a, const char *b, size_t b_size) {
    size_t row[NAME_MAX_SIZE + 1];
    for (size_t j = 0; j <= b_size; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b_size; j++) {
            size_t changed = diagonal + (a[i] != b[j]);
            size_t shorter = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            diagonal = row[j + 1];
            row[j + 1] = changed < shorter ? changed : shorter;
        }
    }
    return row[b_size];
}

const char *nearest_name(const char *typed, const char *const *names, size_t count) {
    const char *nearest = NULL;
    size_t best = strlen(typed) / 3 + 2; /* names with more differences are not typing errors */
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(names[i]);
        size_t distance = size <= NAME_MAX_SIZE ? edit_distance(typed, names[i], size) : best;
        if (distance < best) {
            best = distance;
            nearest = names[i];
        }
    }
    return nearest;
}
