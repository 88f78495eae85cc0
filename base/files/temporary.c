#include "base/files/temporary.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

/* Draws an unpredictable number from the system. base/random.h would give the same numbers in every
 * run. */
static bool draw(uint64_t *number) {
    return getrandom(number, sizeof *number, 0) == (ssize_t)sizeof *number;
}

static int try_name(const char *target, char **path) {
    uint64_t number;
    if (!draw(&number))
        return -1;
    if (asprintf(path, "%s.tmp.%016" PRIx64, target, number) < 0) {
        errno = ENOMEM;
        return -1;
    }
    int opened = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (opened < 0) {
        int reason = errno;
        free(*path);
        errno = reason;
    }
    return opened;
}

int temporary_create(const char *target, char **path, int *descriptor) {
    enum { TRIES = 100 };
    sigset_t before;
    int opened = -1, reason = EEXIST;
    cleanup_hold_signals(&before);
    for (int i = 0; i < TRIES && opened < 0 && reason == EEXIST; i++) {
        opened = try_name(target, path);
        reason = opened < 0 ? errno : 0;
    }
    if (opened >= 0)
        cleanup_add_path(*path);
    cleanup_release_signals(&before);
    *descriptor = opened;
    return reason;
}

bool temporary_rename(char *path, const char *target) {
    if (rename(path, target) == 0) {
        cleanup_drop_path(path);
        return true;
    }
    int reason = errno;
    temporary_remove(path);
    errno = reason;
    return false;
}

void temporary_remove(char *path) {
    unlink(path);
    cleanup_drop_path(path);
}
