/* Temporary files that get their final name when they are complete. */
#ifndef BASE_FILES_TEMPORARY_H
#define BASE_FILES_TEMPORARY_H

#include "base/status.h"

#include <stdbool.h>

/* Creates TARGET.tmp.RANDOM, a new empty file with an unpredictable name. Symbolic links are not
 * followed. A fatal signal removes the file (cleanup.h). Sets *path to the file's name and
 * *descriptor to a descriptor for writing. Returns 0 or an errno. */
int temporary_create(const char *target, char **path, int *descriptor);

/* temporary_rename and temporary_remove take ownership of `path`. If renaming fails,
 * temporary_rename removes the file, sets errno and returns false. */
bool temporary_rename(char *path, const char *target);
void temporary_remove(char *path);

#endif
