#include "harness/measure/parallel.h"

#include <string.h>

static const char *const names[] = {"documents", "trees", "both"};

const char *parallel_name(enum parallel parallel) {
    return names[parallel];
}

bool parallel_find(const char *name, enum parallel *parallel) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            *parallel = (enum parallel)i;
            return true;
        }
    return false;
}
