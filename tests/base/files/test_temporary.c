/* Temporary files: they never replace an existing file, and fatal signals remove them. */
#include "base/files/temporary.h"

#include "base/cleanup.h"
#include "base/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

static char *path_of(const char *name) {
    char *path;
    assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
    return path;
}

/* Replaces the system's function: returns the numbers of the test in turn, then repeats the
 * last. */
static uint64_t numbers[4];
static size_t drawn;
ssize_t getrandom(void *buffer, size_t size, unsigned flags) {
    (void)flags;
    uint64_t number = numbers[drawn < 3 ? drawn++ : 3];
    assert_int_equal(size, sizeof number);
    memcpy(buffer, &number, size);
    return (ssize_t)size;
}

static void draw_next(uint64_t first, uint64_t second, uint64_t third, uint64_t others) {
    memcpy(numbers, (uint64_t[]){first, second, third, others}, sizeof numbers);
    drawn = 0;
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

/* --- making one --------------------------------------------------------------------------------*/

static void names_that_are_taken_are_left_alone(void **state) {
    (void)state;
    char *target = path_of("out"), *link = path_of("out.tmp.0000000000000001");
    char *taken = path_of("out.tmp.0000000000000002"), *path;
    int file;
    draw_next(1, 2, 3, 3);
    assert_int_equal(symlink("victim", link), 0);
    assert_int_equal(mkdir(taken, 0700), 0);
    assert_int_equal(temporary_create(target, &path, &file), 0);
    assert_non_null(strstr(path, "out.tmp.0000000000000003"));
    assert_int_equal(write(file, "text", 4), 4);
    close(file);
    assert_int_equal(count_entries(), 3); /* nothing was overwritten */
    assert_true(temporary_rename(path, target));
    assert_int_equal(access(target, R_OK), 0);
    assert_int_equal(count_entries(), 3);
    free(target);
    free(link);
    free(taken);
}

static void it_gives_up_where_every_name_is_taken(void **state) {
    (void)state;
    char *target = path_of("out"), *link = path_of("out.tmp.0000000000000007"), *path;
    int file;
    draw_next(7, 7, 7, 7);
    assert_int_equal(symlink("victim", link), 0);
    assert_int_equal(temporary_create(target, &path, &file), EEXIST);
    assert_int_equal(count_entries(), 1);
    free(target);
    free(link);
}

static void what_cannot_be_renamed_is_removed(void **state) {
    (void)state;
    char *target = path_of("out"), *path;
    int file;
    assert_int_equal(mkdir(target, 0700), 0);
    assert_int_equal(temporary_create(target, &path, &file), 0);
    close(file);
    assert_false(temporary_rename(path, target));
    assert_int_equal(errno, EISDIR);
    assert_int_equal(count_entries(), 1);
    free(target);
}

/* --- folders -----------------------------------------------------------------------------------*/

static const char *const two_names[] = {"one", "two"};

static mode_t mode_of(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 0777;
}

static void write_to(const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

static void a_folder_is_private_until_it_has_its_name(void **state) {
    (void)state;
    char *target = path_of("above/out/"), *without_slash = path_of("above/out");
    struct temporary_folder made;
    mode_t mask = umask(022);
    draw_next(1, 2, 3, 3);
    assert_int_equal(temporary_folder_make(target, two_names, 2, &made, NULL), STATUS_OK);
    assert_non_null(strstr(made.path, "above/out.tmp.0000000000000001"));
    assert_int_equal(mode_of(made.path), 0700);
    write_to(made.files[1]);
    assert_true(temporary_folder_rename(&made, target));
    assert_null(made.path);
    assert_int_equal(mode_of(without_slash), 0755);
    temporary_folder_remove(&made); /* does nothing */
    umask(mask);
    char *two = path_of("above/out/two");
    assert_int_equal(access(two, F_OK), 0);
    free(target);
    free(without_slash);
    free(two);
}

/* Whoever can guess the name finds that it is not used. */
static void folders_that_are_there_are_left_alone(void **state) {
    (void)state;
    char *target = path_of("out"), *link = path_of("out.tmp.0000000000000001");
    char *victim = path_of("victim"), *taken = path_of("victim/one");
    struct temporary_folder made;
    assert_int_equal(mkdir(victim, 0700), 0);
    write_to(taken);
    assert_int_equal(symlink("victim", link), 0);
    draw_next(1, 2, 3, 3);
    assert_int_equal(temporary_folder_make(target, two_names, 2, &made, NULL), STATUS_OK);
    assert_non_null(strstr(made.path, "out.tmp.0000000000000002"));
    /* The folder's name is taken by a link to another folder. */
    char *moved = path_of("moved");
    assert_int_equal(rename(made.path, moved), 0);
    assert_int_equal(symlink("victim", made.path), 0);
    temporary_folder_remove(&made);
    assert_int_equal(access(taken, F_OK), 0);
    free(target);
    free(link);
    free(victim);
    free(taken);
    free(moved);
}

static void a_folder_that_cannot_be_renamed_is_removed(void **state) {
    (void)state;
    char *target = path_of("out"), *inside = path_of("out/file");
    struct temporary_folder made;
    draw_next(1, 2, 3, 3);
    assert_int_equal(temporary_folder_make(target, two_names, 2, &made, NULL), STATUS_OK);
    write_to(made.files[0]);
    assert_int_equal(mkdir(target, 0700), 0);
    write_to(inside);
    assert_false(temporary_folder_rename(&made, target));
    assert_int_equal(errno, ENOTEMPTY);
    assert_int_equal(count_entries(), 1);
    assert_int_equal(access(inside, F_OK), 0);
    free(target);
    free(inside);
}

static void a_temporary_folder_is_in_tmpdir(void **state) {
    (void)state;
    struct temporary_folder made;
    struct error error;
    draw_next(1, 2, 3, 3);
    setenv("TMPDIR", folder, 1);
    assert_int_equal(temporary_folder_make(NULL, two_names, 2, &made, NULL), STATUS_OK);
    assert_int_equal(strncmp(made.path, folder, strlen(folder)), 0);
    temporary_folder_remove(&made);
    assert_int_equal(count_entries(), 0);
    setenv("TMPDIR", "/nonexistent", 1);
    assert_int_equal(temporary_folder_make(NULL, two_names, 2, &made, &error), STATUS_IO);
    assert_non_null(strstr(error.text, "in /nonexistent. Set TMPDIR"));
    unsetenv("TMPDIR");
}

/* --- signals -----------------------------------------------------------------------------------*/

/* Runs in a child process, with an unfinished file, a folder with a file, and a child of its
 * own. */
static void work_until(int number) {
    char *target = path_of("out"), *path;
    int file;
    struct process process;
    signal(number, SIG_DFL); /* the tests may run with the signal ignored */
    cleanup_on_signals();
    draw_next(1, 2, 3, 3);
    temporary_create(target, &path, &file);
    struct temporary_folder inner;
    temporary_folder_make(target, two_names, 2, &inner, NULL);
    write_to(inner.files[0]);
    const char *const argv[] = {"sleep", "600", NULL};
    process_start(argv, NULL, 0, &process, NULL);
    FILE *told = fopen("/dev/fd/3", "w");
    fprintf(told, "%ld", (long)process.pid);
    fclose(told);
    raise(number);
    _exit(0);
}

static void a_signal_leaves_nothing(void **state) {
    (void)state;
    static const int numbers_of[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};
    for (size_t i = 0; i < sizeof numbers_of / sizeof *numbers_of; i++) {
        int ends[2], outcome;
        char text[32] = "";
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            dup2(ends[1], 3);
            work_until(numbers_of[i]);
        }
        close(ends[1]);
        assert_int_equal(waitpid(child, &outcome, 0), child);
        assert_true(WIFSIGNALED(outcome));
        assert_int_equal(WTERMSIG(outcome), numbers_of[i]);
        assert_int_equal(count_entries(), 0);
        assert_true(read(ends[0], text, sizeof text - 1) > 0);
        close(ends[0]);
        /* It was reaped, so its process id is free. */
        assert_int_equal(kill((pid_t)atol(text), 0), -1);
    }
}

static void an_ignored_signal_stays_ignored(void **state) {
    (void)state;
    int outcome;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGHUP, SIG_IGN);
        cleanup_on_signals();
        raise(SIGHUP);
        _exit(7);
    }
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_true(WIFEXITED(outcome) && WEXITSTATUS(outcome) == 7);
}

/* Finished files are not removed. */
static void a_signal_keeps_what_is_finished(void **state) {
    (void)state;
    int outcome;
    pid_t child = fork();
    if (child == 0) {
        char *target = path_of("out"), *path;
        int file;
        cleanup_on_signals();
        temporary_create(target, &path, &file);
        temporary_rename(path, target);
        temporary_create(target, &path, &file);
        temporary_remove(path);
        raise(SIGTERM);
    }
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_true(WIFSIGNALED(outcome));
    assert_int_equal(count_entries(), 1);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, enter_folder, leave_folder)
    const struct CMUnitTest tests[] = {
        TEST(names_that_are_taken_are_left_alone),
        TEST(it_gives_up_where_every_name_is_taken),
        TEST(what_cannot_be_renamed_is_removed),
        TEST(a_signal_leaves_nothing),
        TEST(an_ignored_signal_stays_ignored),
        TEST(a_signal_keeps_what_is_finished),
        TEST(a_folder_is_private_until_it_has_its_name),
        TEST(folders_that_are_there_are_left_alone),
        TEST(a_folder_that_cannot_be_renamed_is_removed),
        TEST(a_temporary_folder_is_in_tmpdir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
