/* Where a user's files are, by the XDG Base Directory Specification. */
#ifndef BASE_XDG_H
#define BASE_XDG_H

#include <limits.h>
#include <stdbool.h>

/* The folder that `variable` ("XDG_CACHE_HOME") names, else `standard` (".cache") in the home
 * folder. A relative path is invalid by the specification and passed over. False where neither
 * says, or the path is too long. */
bool xdg_folder(const char *variable, const char *standard, char path[static PATH_MAX]);

#endif
