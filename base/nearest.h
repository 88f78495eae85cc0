/* Suggestions for "Did you mean ...?". */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* Returns the name with the fewest typing differences from `typed`, or NULL if no name is close. */
const char *nearest_name(const char *typed, const char *const *names, size_t count);

#endif
