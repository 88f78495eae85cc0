#include "base/files/xdg.h"

#include <stdio.h>
#include <stdlib.h>

bool xdg_folder(const char *variable, const char *standard, char path[static PATH_MAX]) {
    const char *folder = getenv(variable), *home = getenv("HOME");
    int length = 0;
    if (folder && folder[0] == '/')
        length = snprintf(path, PATH_MAX, "%s", folder);
    else if (home && home[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/%s", home, standard);
    return length > 0 && length < PATH_MAX;
}
