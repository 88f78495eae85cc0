/* "did you mean ...?" */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/* The name that is nearest to what was typed, or NULL where none is near. */
const char *nearest_name(const char *typed, const char *const *names, size_t count);

#endif
