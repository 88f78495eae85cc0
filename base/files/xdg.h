/* The user's folders, as in the XDG Base Directory Specification. */
#ifndef BASE_FILES_XDG_H
#define BASE_FILES_XDG_H

#include <limits.h>
#include <stdbool.h>

/* Finds the folder named by `variable` ("XDG_CACHE_HOME"), or else `standard` (".cache") in the
 * home folder. Relative paths are ignored, as the specification requires. Returns false if both are
 * unknown or the path is too long. */
bool xdg_folder(const char *variable, const char *standard, char path[static PATH_MAX]);

#endif
