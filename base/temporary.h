/* Files under a name of their own, until they are whole. */
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

#include "base/status.h"

#include <stdbool.h>

/* Makes TARGET.tmp.RANDOM, an empty file that was not there before: nobody can foresee the name,
 * and no symbolic link is followed. A fatal signal removes it (cleanup.h). *path is its name, and
 * *descriptor is open for writing. Returns 0, or errno's reason. */
int temporary_create(const char *target, char **path, int *descriptor);

/* Each takes `path` over. On failure, temporary_rename removes the file and leaves errno. */
bool temporary_rename(char *path, const char *target);
void temporary_remove(char *path);

#endif
