#include "base/files/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

/* Each test has its own folder. */
static char folder[64];

static int enter_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/treebench-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int leave_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const char *path_of(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *path, const void *data, size_t size) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(data, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

/* Writes compressed text of `size` bytes with few repetitions, and returns it. */
static char *put_gzip(const char *path, size_t size) {
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)('a' + i * i % 23);
    gzFile stream = gzopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(gzwrite(stream, text, (unsigned)size), (int)size);
    assert_int_equal(gzclose(stream), Z_OK);
    return text;
}

static size_t size_of(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return (size_t)info.st_size;
}

static void assert_refused(const char *path, enum status expected, const char *words) {
    struct file_text text;
    struct error error = {""};
    assert_int_equal(file_read(path, &text, &error), expected);
    assert_null(text.data);
    if (!strstr(error.text, words) || !strstr(error.text, path) || strchr(error.text, '\n'))
        fail_msg("'%s' instead of '%s'", error.text, words);
}

/* --- reading ---------------------------------------------------------------------------------- */
static void plain_files_are_read_whole(void **state) {
    (void)state;
    static const char content[] = "one\0two\nthree";
    put(path_of("plain"), content, sizeof content - 1);
    struct file_text text;
    assert_int_equal(file_read(path_of("plain"), &text, NULL), STATUS_OK);
    assert_int_equal(text.size, sizeof content - 1);
    assert_memory_equal(text.data, content, sizeof content); /* and a NUL behind it */
    file_text_free(&text);

    put(path_of("empty"), "", 0);
    assert_int_equal(file_read(path_of("empty"), &text, NULL), STATUS_OK);
    assert_int_equal(text.size, 0);
    assert_int_equal(text.data[0], 0);
    file_text_free(&text);
}

static void gzip_files_are_unpacked(void **state) {
    (void)state;
    enum { SIZE = 300 * 1000 };
    char *content = put_gzip(path_of("packed"), SIZE);
    struct file_text text;
    assert_int_equal(file_read(path_of("packed"), &text, NULL), STATUS_OK);
    assert_int_equal(text.size, SIZE);
    assert_memory_equal(text.data, content, SIZE);
    assert_int_equal(text.data[SIZE], 0);
    file_text_free(&text);
    free(content);
}

static void cut_gzip_files_are_refused(void **state) {
    (void)state;
    enum { SIZE = 20 * 1000 };
    free(put_gzip(path_of("packed"), SIZE));
    size_t whole = size_of(path_of("packed"));
    for (size_t size = whole - 1; size >= 2; size = size > whole - 12 ? size - 1 : size / 2) {
        assert_int_equal(truncate(path_of("packed"), (off_t)size), 0);
        assert_refused(path_of("packed"), STATUS_IO, "incomplete");
    }
}

static void damaged_gzip_files_are_refused(void **state) {
    (void)state;
    free(put_gzip(path_of("packed"), 20 * 1000));
    FILE *stream = fopen(path_of("packed"), "r+b");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, -6, SEEK_END), 0); /* in the checksum */
    int c = fgetc(stream);
    assert_int_equal(fseek(stream, -1, SEEK_CUR), 0);
    fputc(c ^ 1, stream);
    assert_int_equal(fclose(stream), 0);
    assert_refused(path_of("packed"), STATUS_IO, "corrupt");
}

static void what_is_no_file_is_refused(void **state) {
    (void)state;
    assert_refused(path_of("nothing"), STATUS_IO, "No such file");
    assert_refused(folder, STATUS_IO, "is a folder");
}

/* --- writing ---------------------------------------------------------------------------------- */
/* Replace the system's functions to record the order of calls, and the sizes of files when they are
 * synced. */
static char events[256];
int fsync(int file) {
    struct stat info;
    char event[64];
    assert_int_equal(fstat(file, &info), 0);
    snprintf(event, sizeof event, S_ISDIR(info.st_mode) ? "folder;" : "%lld bytes;",
             (long long)info.st_size);
    strncat(events, event, sizeof events - strlen(events) - 1);
    return (int)syscall(SYS_fsync, file);
}

int rename(const char *from, const char *to) {
    strncat(events, "rename;", sizeof events - strlen(events) - 1);
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

static void a_file_is_on_the_disk_before_it_has_its_name(void **state) {
    (void)state;
    struct file_writer writer;
    assert_int_equal(file_write_begin(&writer, path_of("out"), NULL), STATUS_OK);
    fputs("brand new", writer.stream);
    events[0] = '\0';
    assert_int_equal(file_write_commit(&writer, NULL), STATUS_OK);
    assert_string_equal(events, "9 bytes;rename;folder;");
}

static size_t count_entries(void) {
    DIR *stream = opendir(folder);
    assert_non_null(stream);
    size_t count = 0;
    for (const struct dirent *entry; (entry = readdir(stream));)
        count += entry->d_name[0] != '.';
    closedir(stream);
    return count;
}

static void a_file_appears_when_it_is_whole(void **state) {
    (void)state;
    put(path_of("out"), "old", 3);
    struct file_writer writer;
    assert_int_equal(file_write_begin(&writer, path_of("out"), NULL), STATUS_OK);
    fputs("brand new", writer.stream);
    assert_int_equal(fflush(writer.stream), 0);
    assert_int_equal(size_of(path_of("out")), 3);
    assert_int_equal(count_entries(), 2);
    assert_int_equal(file_write_commit(&writer, NULL), STATUS_OK);
    assert_int_equal(size_of(path_of("out")), 9);
    assert_int_equal(count_entries(), 1);
}

static void an_abandoned_file_leaves_nothing(void **state) {
    (void)state;
    struct file_writer writer;
    assert_int_equal(file_write_begin(&writer, path_of("out"), NULL), STATUS_OK);
    fputs("half", writer.stream);
    file_write_abandon(&writer);
    assert_int_equal(count_entries(), 0);
}

static void a_failed_commit_leaves_nothing(void **state) {
    (void)state;
    struct file_writer writer;
    struct error error;
    assert_int_equal(file_write_begin(&writer, path_of("out"), &error), STATUS_OK);
    assert_int_equal(mkdir(path_of("out"), 0777), 0); /* cannot be replaced by a file */
    assert_int_equal(file_write_commit(&writer, &error), STATUS_IO);
    assert_non_null(strstr(error.text, path_of("out")));
    assert_int_equal(count_entries(), 1);
}

static void assert_no_begin(const char *path, const char *words) {
    struct file_writer writer;
    struct error error;
    assert_int_equal(file_write_begin(&writer, path, &error), STATUS_IO);
    char expected[512];
    snprintf(expected, sizeof expected, "%s%s", path, words);
    assert_string_equal(error.text, expected);
}

static void what_cannot_be_written_is_refused_at_once(void **state) {
    (void)state;
    assert_no_begin("", "the name of the output file is empty");
    assert_no_begin(folder, ": is a folder; expected a file");
    char words[512];
    snprintf(words, sizeof words, ": the folder %s/no/such does not exist", folder);
    assert_no_begin(path_of("no/such/file"), words);
    assert_no_begin("/proc/file",
                    ": cannot create a file in its folder: No such file or directory");
    assert_int_equal(symlink("nowhere", path_of("link")), 0);
    assert_no_begin(path_of("link"), ": is a symbolic link whose target does not exist");
    assert_int_equal(count_entries(), 1);
}

static void a_link_stays_and_its_file_is_replaced(void **state) {
    (void)state;
    struct file_writer writer;
    struct stat info;
    assert_int_equal(mkdir(path_of("sub"), 0777), 0);
    put(path_of("sub/real"), "old", 3);
    assert_int_equal(symlink("sub/real", path_of("link")), 0);
    assert_int_equal(file_write_begin(&writer, path_of("link"), NULL), STATUS_OK);
    fputs("brand new", writer.stream);
    assert_int_equal(file_write_commit(&writer, NULL), STATUS_OK);
    assert_int_equal(lstat(path_of("link"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(size_of(path_of("sub/real")), 9);
    assert_int_equal(count_entries(), 2);
}

static mode_t mode_after_writing(const char *name) {
    struct file_writer writer;
    struct stat info;
    assert_int_equal(file_write_begin(&writer, path_of(name), NULL), STATUS_OK);
    assert_int_equal(stat(writer.temporary, &info), 0);
    mode_t while_written = info.st_mode & 0777;
    assert_int_equal(file_write_commit(&writer, NULL), STATUS_OK);
    assert_int_equal(stat(path_of(name), &info), 0);
    assert_int_equal(while_written, info.st_mode & 0777);
    return info.st_mode & 0777;
}

/* Whoever could not read the old file cannot read the new one either. */
static void permissions_of_a_replaced_file_stay(void **state) {
    (void)state;
    static const mode_t modes[] = {0600, 0640, 0664, 0400, 0755};
    mode_t mask = umask(022);
    assert_int_equal(mode_after_writing("new"), 0644);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(path_of("new"), modes[i]), 0);
        assert_int_equal(mode_after_writing("new"), modes[i]);
    }
    assert_int_equal(chmod(path_of("new"), 0600), 0);
    assert_int_equal(symlink("new", path_of("link")), 0);
    assert_int_equal(mode_after_writing("link"), 0600);
    umask(mask);
}

static void a_fifo_is_written_and_stays(void **state) {
    (void)state;
    struct file_writer writer;
    struct stat info;
    char text[8] = "";
    assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
    int reader = open(path_of("fifo"), O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(file_write_begin(&writer, path_of("fifo"), NULL), STATUS_OK);
    fputs("lines", writer.stream);
    assert_int_equal(file_write_commit(&writer, NULL), STATUS_OK);
    assert_int_equal(read(reader, text, sizeof text), 5);
    assert_string_equal(text, "lines");
    assert_int_equal(file_write_begin(&writer, path_of("fifo"), NULL), STATUS_OK);
    file_write_abandon(&writer);
    close(reader);
    assert_int_equal(stat(path_of("fifo"), &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    assert_int_equal(count_entries(), 1);
}

static void the_same_file_has_many_names(void **state) {
    (void)state;
    char one[256], other[256];
    snprintf(one, sizeof one, "%s/one", folder);
    snprintf(other, sizeof other, "%s/./one", folder);
    assert_true(file_same(one, one)); /* neither exists yet */
    assert_false(file_same(one, path_of("two")));
    put(one, "", 0);
    put(path_of("two"), "", 0);
    assert_true(file_same(one, other));
    assert_false(file_same(one, path_of("two")));
    assert_int_equal(symlink("one", path_of("link")), 0);
    assert_true(file_same(one, path_of("link")));
    assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
    assert_false(file_same(path_of("fifo"), path_of("fifo")));
}

/* Far more than stdio's buffer, so that the disk is full long before the end. */
static void write_much(FILE *stream) {
    for (uint32_t i = 0, x = 1; i < 100000; i++, x = x * 1664525 + 1013904223)
        fprintf(stream, "%u\n", x);
    errno = 0; /* as other calls may leave it */
}

static void a_full_disk_is_told_with_its_reason(void **state) {
    (void)state;
    struct file_writer writer;
    struct error error;
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(file_write_begin(&writer, "/dev/full", NULL), STATUS_OK);
    write_much(writer.stream);
    assert_int_equal(file_write_commit(&writer, &error), STATUS_IO);
    assert_string_equal(error.text, "/dev/full: cannot write: No space left on device");
}

/* A limit on file sizes simulates a full disk. */
static void a_file_over_the_limit_is_told_and_removed(void **state) {
    (void)state;
    static const char *const names[] = {"out", "out.gz"};
    struct rlimit before;
    struct error error;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < 2; i++) {
        struct file_writer writer;
        assert_int_equal(file_write_begin(&writer, path_of(names[i]), NULL), STATUS_OK);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, before.rlim_max});
        write_much(writer.stream);
        enum status status = file_write_commit(&writer, &error);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(status, STATUS_IO);
        assert_non_null(strstr(error.text, names[i]));
        assert_non_null(strstr(error.text, ": cannot write: File too large"));
        assert_int_equal(count_entries(), 0);
    }
    signal(SIGXFSZ, SIG_DFL);
}

static void a_name_that_ends_in_gz_is_packed(void **state) {
    (void)state;
    struct file_writer writer;
    struct file_text text;
    char begin[2];
    assert_int_equal(file_write_begin(&writer, path_of("packed.gz"), NULL), STATUS_OK);
    write_much(writer.stream);
    assert_int_equal(file_write_commit(&writer, NULL), STATUS_OK);
    FILE *stream = fopen(path_of("packed.gz"), "rb");
    assert_int_equal(fread(begin, 1, 2, stream), 2);
    fclose(stream);
    assert_memory_equal(begin, "\x1f\x8b", 2);
    assert_int_equal(file_read(path_of("packed.gz"), &text, NULL), STATUS_OK);
    assert_memory_equal(text.data, "1\n1015568748\n", 13);
    assert_true(text.size > 900000);
    file_text_free(&text);
}

static void folders_are_made_with_their_parents(void **state) {
    (void)state;
    struct stat info;
    assert_int_equal(file_make_directories(path_of("a/b//c"), NULL), STATUS_OK);
    assert_int_equal(file_make_directories(path_of("a/b/c/"), NULL), STATUS_OK);
    assert_int_equal(stat(path_of("a/b/c"), &info), 0);
    assert_true(S_ISDIR(info.st_mode));
    put(path_of("file"), "", 0);
    struct error error;
    assert_int_equal(file_make_directories(path_of("file/sub"), &error), STATUS_IO);
    assert_non_null(strstr(error.text, "/file: is a file; expected a folder"));
    assert_int_equal(file_make_directories(path_of("file"), &error), STATUS_IO);
    assert_non_null(strstr(error.text, "/file: is a file; expected a folder"));
    /* The reason must be mkdir's, not that of the following stat. */
    assert_int_equal(symlink("nowhere", path_of("link")), 0);
    assert_int_equal(file_make_directories(path_of("link"), &error), STATUS_IO);
    assert_non_null(strstr(error.text, "cannot create the folder: File exists"));
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, enter_folder, leave_folder)
    const struct CMUnitTest tests[] = {
        TEST(plain_files_are_read_whole),
        TEST(gzip_files_are_unpacked),
        TEST(cut_gzip_files_are_refused),
        TEST(damaged_gzip_files_are_refused),
        TEST(what_is_no_file_is_refused),
        TEST(a_file_appears_when_it_is_whole),
        TEST(a_file_is_on_the_disk_before_it_has_its_name),
        TEST(an_abandoned_file_leaves_nothing),
        TEST(a_failed_commit_leaves_nothing),
        TEST(what_cannot_be_written_is_refused_at_once),
        TEST(a_link_stays_and_its_file_is_replaced),
        TEST(permissions_of_a_replaced_file_stay),
        TEST(a_fifo_is_written_and_stays),
        TEST(the_same_file_has_many_names),
        TEST(a_full_disk_is_told_with_its_reason),
        TEST(a_file_over_the_limit_is_told_and_removed),
        TEST(a_name_that_ends_in_gz_is_packed),
        TEST(folders_are_made_with_their_parents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
