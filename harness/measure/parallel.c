#include "harness/measure/parallel.h"

#include <string.h>

const char *const parallel_names[] = {"documents", "trees", "both", NULL};

bool parallel_find(const char *name, enum parallel *parallel) {
    for (size_t i = 0; parallel_names[i]; i++)
        if (strcmp(name, parallel_names[i]) == 0) {
            *parallel = (enum parallel)i;
            return true;
        }
    return false;
}
