#include "dropin/announce.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void announce(const char *line) {
    dprintf(STDERR_FILENO, "treebench: %s\n", line);
}

note_function *announcer(void) {
    const char *asked = getenv("TREEBENCH_DROPIN_VERBOSE");
    return asked && *asked ? announce : NULL;
}
