/* Appended lines reach the disk before the call returns. */
#include "harness/rows/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char folder[64];

/* These replace the system's functions: they record what was synced, and its size. */
static int failure;
static off_t synced_size;
static bool synced_folder;
int fdatasync(int file) {
    struct stat info;
    assert_int_equal(fstat(file, &info), 0);
    synced_size = info.st_size;
    errno = failure;
    return failure ? -1 : (int)syscall(SYS_fdatasync, file);
}

int fsync(int file) {
    struct stat info;
    assert_int_equal(fstat(file, &info), 0);
    synced_folder |= S_ISDIR(info.st_mode);
    return (int)syscall(SYS_fsync, file);
}

static int enter_folder(void **state) {
    (void)state;
    failure = 0;
    synced_size = -1;
    synced_folder = false;
    strcpy(folder, "/tmp/treebench-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int leave_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static off_t size_of(const struct lines *lines) {
    struct stat info;
    assert_int_equal(fstat(lines->descriptor, &info), 0);
    return info.st_size;
}

static void each_append_is_synced(void **state) {
    (void)state;
    struct lines lines;
    assert_int_equal(lines_open(folder, "lines", &lines, NULL), STATUS_OK);
    assert_true(synced_folder); /* the file's name */
    assert_int_equal(lines_append(&lines, "one\n", 4, "a line", NULL), STATUS_OK);
    assert_int_equal(synced_size, 4);
    assert_int_equal(lines_append(&lines, "three\n", 6, "a line", NULL), STATUS_OK);
    assert_int_equal(synced_size, 10);
    lines_close(&lines);
}

static void what_could_not_be_synced_does_not_stay(void **state) {
    (void)state;
    struct lines lines;
    struct error error;
    assert_int_equal(lines_open(folder, "lines", &lines, NULL), STATUS_OK);
    assert_int_equal(lines_append(&lines, "one\n", 4, "a line", NULL), STATUS_OK);
    failure = EIO;
    assert_int_equal(lines_append(&lines, "two\n", 4, "a line", &error), STATUS_IO);
    assert_non_null(strstr(error.text, "cannot append a line"));
    assert_int_equal(size_of(&lines), 4);
    lines_close(&lines);
}

/* The file is cut where the last append that succeeded ended. */
static void earlier_lines_survive_a_failure(void **state) {
    (void)state;
    struct lines lines;
    assert_int_equal(lines_open(folder, "lines", &lines, NULL), STATUS_OK);
    assert_int_equal(lines_append(&lines, "one\n", 4, "a line", NULL), STATUS_OK);
    assert_int_equal(lines_append(&lines, "three\n", 6, "a line", NULL), STATUS_OK);
    failure = EIO;
    assert_int_equal(lines_append(&lines, "five\n", 5, "a line", NULL), STATUS_IO);
    assert_int_equal(size_of(&lines), 10);
    failure = 0;
    assert_int_equal(lines_append(&lines, "six\n", 4, "a line", NULL), STATUS_OK);
    assert_int_equal(size_of(&lines), 14);
    lines_close(&lines);
}

static void what_is_no_regular_file_is_refused(void **state) {
    (void)state;
    char path[128];
    struct lines lines;
    struct error error;
    snprintf(path, sizeof path, "%s/lines", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(lines_open(folder, "lines", &lines, &error), STATUS_IO);
    assert_non_null(strstr(error.text, "/lines: not a regular file"));
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, enter_folder, leave_folder)
    const struct CMUnitTest tests[] = {
        TEST(each_append_is_synced),
        TEST(what_could_not_be_synced_does_not_stay),
        TEST(earlier_lines_survive_a_failure),
        TEST(what_is_no_regular_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
