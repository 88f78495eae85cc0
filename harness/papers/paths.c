#include "harness/papers/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum status paths_find(const char *name, char path[static PATHS_SIZE], struct error *error) {
    char program[PATHS_SIZE / 2];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return error_set(error, STATUS_IO,
                         "cannot find the program's own path. Mount /proc and try again");
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    static const char *const places[] = {"..", "../share/treebench"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, PATHS_SIZE, "%s/%s/%s", program, places[i], name);
        char *plain = realpath(path, NULL); /* so that errors do not show "build/../" */
        if (plain && strlen(plain) < PATHS_SIZE) {
            strcpy(path, plain);
            free(plain);
            return STATUS_OK;
        }
        if (!plain && errno == ENOMEM)
            return error_memory(error, name);
        free(plain);
    }
    return error_set(
        error, STATUS_IO,
        "%s: not found in %s/.. or %s/../share/treebench. Run the program that was built in the "
        "source tree, or install it with make install",
        name, program, program);
}
