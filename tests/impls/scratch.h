/* A folder of its own for what implementations keep for the user (CODEGEN's cache, times), so
 * that a test neither finds nor leaves anything there, and a compiler that does not optimise. For
 * test programs, as set-up and tear-down of a group: static functions. */
#ifndef TESTS_IMPLS_SCRATCH_H
#define TESTS_IMPLS_SCRATCH_H

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char scratch_folder[] = "/tmp/treebench-test-XXXXXX";

/* What implementations compile from now on is not optimised. */
static bool compile_fast(void) {
    char path[PATH_MAX];
    return realpath("tests/fast-compiler.sh", path) && setenv("TREEBENCH_CC", path, 1) == 0;
}

static int scratch_begin(void **state) {
    (void)state;
    return mkdtemp(scratch_folder) && setenv("XDG_CACHE_HOME", scratch_folder, 1) == 0 &&
                   compile_fast()
               ? 0
               : -1;
}

static int scratch_remove(const char *path, const struct stat *info, int kind, struct FTW *walk) {
    (void)info, (void)kind, (void)walk;
    return remove(path) == 0 || errno == ENOENT ? 0 : -1;
}

/* A process that a test started may still be tidying up: what vanishes during the walk is fine. */
static int scratch_end(void **state) {
    (void)state;
    for (int attempt = 0; attempt < 50; attempt++) {
        nftw(scratch_folder, scratch_remove, 8, FTW_DEPTH | FTW_PHYS);
        if (access(scratch_folder, F_OK) != 0)
            return 0;
        usleep(100 * 1000);
    }
    return -1;
}

#endif
