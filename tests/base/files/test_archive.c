/* Zip archives, made by libzip: whole ones, damaged ones, and one that unpacks to too much. */
#include "base/files/archive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

static char path[64];

static int set_up(void **state) {
    (void)state;
    snprintf(path, sizeof path, "/tmp/treebench-archive-XXXXXX");
    int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int tear_down(void **state) {
    (void)state;
    return unlink(path);
}

static void make(const char *member, const void *data, size_t size) {
    int code;
    zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    assert_non_null(archive);
    zip_source_t *source = zip_source_buffer(archive, data, size, 0);
    assert_true(zip_file_add(archive, member, source, 0) >= 0);
    assert_int_equal(zip_close(archive), 0);
}

static void assert_fails(const char *member, enum status status, const char *words) {
    struct file_text text;
    struct error error;
    assert_int_equal(archive_read(path, member, &text, &error), status);
    if (!strstr(error.text, words) || !strstr(error.text, path))
        fail_msg("\"%s\" lacks \"%s\"", error.text, words);
    assert_null(text.data);
}

static void files_of_archives_are_read_whole(void **state) {
    (void)state;
    struct file_text text;
    make("a/b.csv", "one\ntwo", 7);
    assert_int_equal(archive_read(path, "a/b.csv", &text, NULL), STATUS_OK);
    assert_int_equal(text.size, 7);
    assert_string_equal(text.data, "one\ntwo"); /* the NUL follows */
    file_text_free(&text);
    make("empty", "", 0);
    assert_int_equal(archive_read(path, "empty", &text, NULL), STATUS_OK);
    assert_int_equal(text.size, 0);
    file_text_free(&text);
    assert_fails("b.csv", STATUS_IO, "cannot read b.csv from the zip archive: No such file");
}

static void what_is_no_archive_is_refused(void **state) {
    (void)state;
    FILE *stream = fopen(path, "w");
    fputs("no zip archive at all\n", stream);
    fclose(stream);
    assert_fails("a", STATUS_IO, "Not a zip archive");
    unlink(path);
    assert_fails("a", STATUS_IO, "No such file");
    fclose(fopen(path, "w"));
}

static void damage_is_noticed(void **state) {
    (void)state;
    char data[4096];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)(i * i % 251);
    make("a", data, sizeof data);
    FILE *stream = fopen(path, "r+");
    fseek(stream, 100, SEEK_SET);
    int byte = fgetc(stream);
    fseek(stream, 100, SEEK_SET);
    fputc(byte ^ 1, stream);
    fclose(stream);
    assert_fails("a", STATUS_IO, "cannot read a from the zip archive");
}

static void an_archive_of_zeros_does_not_fill_memory(void **state) {
    (void)state;
    size_t size = (size_t)FILE_UNPACK_FREE_MB << 20;
    char *zeros = calloc(size, 1);
    make("zeros", zeros, size);
    free(zeros);
    assert_fails("zeros", STATUS_MEMORY, "zeros unpacks to more than 256 times its size");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_of_archives_are_read_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_archive_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damage_is_noticed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_archive_of_zeros_does_not_fill_memory, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
