#include "harness/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum status paths_find(const char *name, char path[static PATHS_SIZE], struct error *error) {
    char program[PATHS_SIZE / 2];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return error_set(error, STATUS_IO, "cannot tell where the program is: /proc is needed");
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    static const char *const places[] = {"..", "../share/treebench"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, PATHS_SIZE, "%s/%s/%s", program, places[i], name);
        char *plain = realpath(path, NULL); /* errors shall not speak of "build/../" */
        if (plain && strlen(plain) < PATHS_SIZE) {
            strcpy(path, plain);
            free(plain);
            return STATUS_OK;
        }
        if (!plain && errno == ENOMEM)
            return error_memory(error, name);
        free(plain);
    }
    return error_set(error, STATUS_IO,
                     "%s: not found beside the program or in its share/treebench; "
                     "run it from its source tree or after make install",
                     name);
}
