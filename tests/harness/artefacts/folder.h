/* The folder that a test writes its artefacts to. Include it after cmocka.h. */
#ifndef TESTS_HARNESS_ARTEFACTS_FOLDER_H
#define TESTS_HARNESS_ARTEFACTS_FOLDER_H

#include <stdlib.h>
#include <unistd.h>

static char directory[] = "/tmp/treebench-test-XXXXXX";

static int make_directory(void **state) {
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state) {
    (void)state;
    return rmdir(directory);
}

#endif
