/* Gives each test its own folder of data sets, so that it does not see those of other tests or of
 * the user. For test programs, as set-up and tear-down of a test: static functions. */
#ifndef TESTS_DATASETS_OWN_FOLDER_H
#define TESTS_DATASETS_OWN_FOLDER_H

#include <stdio.h>
#include <stdlib.h>

static char folder[64];

static int set_up(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/treebench-sets-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    unsetenv("TREEBENCH_DATA");
    return setenv("TREEBENCH_DATA_SETS", folder, 1);
}

static int tear_down(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

#endif
