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

/* --- signals -----------------------------------------------------------------------------------*/

/* Runs in a child process, with an unfinished file, a folder with a file, and a child of its
 * own. */
static void work_until(int number) {
    char *target = path_of("out"), *path;
    int file;
    struct process process;
    signal(number, SIG_DFL); /* the tests may run with the signal ignored */
    cleanup_on_signals();
    temporary_create(target, &path, &file);
    char *inner = path_of("inner"), *inside = path_of("inner/file");
    mkdir(inner, 0700);
    cleanup_add_path(inner); /* before its content */
    cleanup_add_path(inside);
    fclose(fopen(inside, "w"));
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
        TEST(names_that_are_taken_are_left_alone), TEST(it_gives_up_where_every_name_is_taken),
        TEST(what_cannot_be_renamed_is_removed),   TEST(a_signal_leaves_nothing),
        TEST(an_ignored_signal_stays_ignored),     TEST(a_signal_keeps_what_is_finished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
