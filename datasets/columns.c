#include "datasets/columns.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int letter(char c) {
    return c == ' ' ? '_' : (unsigned char)c;
}

static int compare(const void *a, const void *b) {
    const struct column_name *x = a, *y = b;
    const char *at = x->begin, *other = y->begin;
    while (at < x->end && other < y->end && letter(*at) == letter(*other))
        at++, other++;
    if (at == x->end || other == y->end)
        return (at < x->end) - (other < y->end);
    return letter(*at) - letter(*other);
}

static bool is_twice(const struct column_name *columns, uint32_t n_columns,
                     const struct column_name *found) {
    const struct column_name *end = columns + n_columns;
    return found->feature != NO_FEATURE || (found > columns && compare(found - 1, found) == 0) ||
           (found + 1 < end && compare(found + 1, found) == 0);
}

struct columns_match columns_match(struct column_name *columns, uint32_t n_columns,
                                   const char *names, uint32_t n_features) {
    struct columns_match match = {0};
    const char *name = names;
    qsort(columns, n_columns, sizeof *columns, compare);
    for (uint32_t i = 0; i < n_columns; i++)
        columns[i].feature = NO_FEATURE;
    for (uint32_t f = 0; f < n_features; f++, name += strlen(name) + 1) {
        const struct column_name key = {.begin = name, .end = name + strlen(name)};
        struct column_name *found = bsearch(&key, columns, n_columns, sizeof *columns, compare);
        if (!found && !match.absent) {
            match.absent = name;
            match.absent_feature = f;
        }
        if (!found)
            continue;
        if (is_twice(columns, n_columns, found) && !match.twice)
            match.twice = name;
        found->feature = f;
        match.n_found++;
    }
    return match;
}
