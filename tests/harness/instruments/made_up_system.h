/* A made-up tree with proc/ and sys/, in a temporary folder of its own. Include it after cmocka.h.
 *   cmocka_unit_test_setup_teardown(test, make_system, remove_system) */
#ifndef TESTS_HARNESS_INSTRUMENTS_MADE_UP_SYSTEM_H
#define TESTS_HARNESS_INSTRUMENTS_MADE_UP_SYSTEM_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char made_up_root[64];

static int make_system(void **state) {
    (void)state;
    snprintf(made_up_root, sizeof made_up_root, "/tmp/treebench-system-XXXXXX");
    return mkdtemp(made_up_root) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk) {
    (void)info, (void)kind, (void)walk;
    return remove(path);
}

static int remove_system(void **state) {
    (void)state;
    return nftw(made_up_root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Writes a file of the tree, and makes its folders. */
static void has_file(const char *path, const char *text) {
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", made_up_root, path);
    for (char *slash = whole + strlen(made_up_root) + 1; (slash = strchr(slash, '/')) != NULL;
         *slash++ = '/') {
        *slash = '\0';
        mkdir(whole, 0700);
    }
    FILE *stream = fopen(whole, "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

#endif
