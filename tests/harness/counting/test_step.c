#include "harness/counting/step.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- what is counted: this program, with the name of a scene as its argument ------------------ */

static void do_nothing(void *argument) {
    (void)argument;
}

static void do_nops(void *argument) {
    (void)argument;
    __asm__ volatile("nop\nnop\nnop\nnop\nnop\nnop\nnop");
}

/* Two instructions for each turn. */
static void loop(void *argument) {
    uint64_t turns = *(const uint64_t *)argument;
#if defined(__x86_64__)
    __asm__ volatile("1: dec %0\njnz 1b" : "+r"(turns) : : "cc");
#elif defined(__aarch64__)
    __asm__ volatile("1: subs %0, %0, #1\nb.ne 1b" : "+r"(turns) : : "cc");
#endif
}

static void call_system(void *argument) {
    (void)argument;
    syscall(SYS_getppid);
}

/* The processor repeats the instruction for each byte, and a system call maps the pages. */
static void copy_pages(void *argument) {
    size_t size = *(const size_t *)argument;
    char *from = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *to = from + (1 << 15);
#if defined(__x86_64__)
    __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(size) : : "memory");
#else
    (void)to, (void)size;
#endif
}

/* With the prefix for words before the one that repeats. */
static void copy_words(void *argument) {
    size_t words = *(const size_t *)argument;
    static char from[1 << 15], to[1 << 15];
#if defined(__x86_64__)
    char *source = from, *target = to;
    __asm__ volatile(".byte 0x66, 0xf3, 0xa5"
                     : "+S"(source), "+D"(target), "+c"(words)
                     :
                     : "memory");
#else
    (void)words, (void)from, (void)to;
#endif
}

/* Signals that the system sends unasked. Each costs as many instructions as the others. */
static void raise_harmless(void *argument) {
    raise(*(const int *)argument);
}

static void raise_here(void *argument) {
    (void)argument;
    raise(SIGUSR1);
}

/* On how many this process may run. */
static int processors(void) {
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    return CPU_COUNT(&set);
}

static int play(const char *scene) {
    uint64_t ten = 10, hundred = 100, thousands = 5000, pages = 20000;
    if (strcmp(scene, "sizes") == 0) {
        step_region(do_nothing, NULL);
        step_region(do_nops, NULL);
        step_region(loop, &ten);
        step_region(loop, &hundred);
        step_region(call_system, NULL);
        step_region(copy_pages, &ten);
        step_region(copy_pages, &pages);
        printf("played\n");
    } else if (strcmp(scene, "words") == 0) {
        step_region(copy_words, &ten);
        step_region(copy_words, &thousands);
    } else if (strcmp(scene, "harmless") == 0) {
        int signals[] = {SIGURG, SIGWINCH, SIGCHLD, SIGCONT};
        raise_harmless(&signals[0]); /* binds */
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
            step_region(raise_harmless, &signals[i]);
    } else if (strcmp(scene, "signal") == 0) {
        signal(SIGUSR1, SIG_IGN);
        step_region(raise_here, NULL);
    } else if (strcmp(scene, "end") == 0) {
        step_region(do_nothing, NULL);
        printf("no such model\nsecond line\n");
        return 2;
    } else if (strcmp(scene, "kill") == 0) {
        raise(SIGTERM);
    } else if (strcmp(scene, "many") == 0) {
        for (int i = 0; i <= STEP_REGIONS_MAX; i++)
            step_region(do_nothing, NULL);
    } else if (strcmp(scene, "signals outside") == 0) {
        signal(SIGUSR1, SIG_IGN);
        raise(SIGUSR1);
        raise(SIGURG);
        step_region(do_nops, NULL);
    } else if (strcmp(scene, "processors") == 0) {
        step_region(do_nothing, NULL);
        printf("%d\n", processors());
    }
    return 0;
}

/* --- tests ------------------------------------------------------------------------------------ */

static char self[4096];
static int processors_at_first;

static enum status count(const char *scene, uint64_t limit, struct step_counts *counts,
                         struct error *error) {
    const char *const argv[] = {self, scene, NULL};
    const char *const environment[] = {"ASAN_OPTIONS=detect_leaks=0", NULL};
    const struct step_request request = {argv, environment, limit};
    return step_count(&request, counts, error);
}

/* Skips the test if the system allows no single steps. */
static void count_or_skip(const char *scene, struct step_counts *counts) {
    struct error error;
    enum status status = count(scene, STEP_LIMIT, counts, &error);
    if (status) {
        print_message("%s\n", error.text);
        assert_true(status == STATUS_UNSUPPORTED || strstr(error.text, "single-stepping"));
        skip();
    }
}

static void regions_are_counted_to_the_instruction(void **state) {
    (void)state;
    struct step_counts counts;
    count_or_skip("sizes", &counts);
    assert_int_equal(counts.n_regions, 7);
    assert_int_equal(counts.instructions[0], 0);
    assert_int_equal(counts.instructions[1], 7);
    assert_int_equal(counts.instructions[3] - counts.instructions[2], 180);
    assert_in_range(counts.instructions[2], 20, 40);
    assert_in_range(counts.instructions[4], 3, 60);
    assert_int_equal(counts.instructions[5], counts.instructions[6]);
    assert_string_equal(counts.output, "played\n");
}

static void repeated_words_count_once(void **state) {
    (void)state;
    struct step_counts counts;
    count_or_skip("words", &counts);
    assert_int_equal(counts.n_regions, 2);
    assert_int_equal(counts.instructions[0], counts.instructions[1]);
}

static void harmless_signals_within_regions_do_not_matter(void **state) {
    (void)state;
    struct step_counts counts;
    count_or_skip("words", &counts);
    assert_int_equal(count("harmless", STEP_LIMIT, &counts, NULL), STATUS_OK);
    assert_int_equal(counts.n_regions, 4);
    for (size_t i = 1; i < 4; i++)
        assert_int_equal(counts.instructions[0], counts.instructions[i]);
}

static void counts_are_equal_twice(void **state) {
    (void)state;
    struct step_counts first, second;
    count_or_skip("sizes", &first);
    count_or_skip("sizes", &second);
    assert_int_equal(first.n_regions, second.n_regions);
    for (size_t i = 0; i < first.n_regions; i++)
        assert_int_equal(first.instructions[i], second.instructions[i]);
}

static void signals_outside_of_regions_do_not_matter(void **state) {
    (void)state;
    struct step_counts counts;
    count_or_skip("signals outside", &counts);
    assert_int_equal(counts.n_regions, 1);
    assert_int_equal(counts.instructions[0], 7);
}

static void processors_are_given_back(void **state) {
    (void)state;
    struct step_counts counts;
    count_or_skip("processors", &counts);
    assert_int_equal(processors(), processors_at_first);
    assert_int_equal(atoi(counts.output), processors_at_first);
}

static void expect_error(const char *scene, uint64_t limit, enum status expected,
                         const char *text) {
    struct step_counts counts;
    struct error error = {""};
    count_or_skip("sizes", &counts);
    assert_int_equal(count(scene, limit, &counts, &error), expected);
    print_message("%s\n", error.text);
    assert_non_null(strstr(error.text, text));
    assert_null(strchr(error.text, '\n'));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
}

static void failures_say_what_happened(void **state) {
    (void)state;
    expect_error("signal", STEP_LIMIT, STATUS_MACHINE, "received signal 10");
    expect_error("end", STEP_LIMIT, STATUS_MACHINE, "exited with status 2: no such model");
    expect_error("kill", STEP_LIMIT, STATUS_MACHINE, "was killed by signal 15");
    expect_error("none", STEP_LIMIT, STATUS_INPUT, "has no regions");
    expect_error("many", STEP_LIMIT, STATUS_UNSUPPORTED, "has more than 16 regions");
    expect_error("sizes", 100, STATUS_UNSUPPORTED, "more than 100 instructions");
}

static void a_program_that_does_not_exist_is_named(void **state) {
    (void)state;
    const char *const argv[] = {"/nonexistent/program", NULL};
    const char *const environment[] = {NULL};
    struct step_counts counts;
    struct error error;
    count_or_skip("sizes", &counts);
    enum status status =
        step_count(&(struct step_request){argv, environment, STEP_LIMIT}, &counts, &error);
    assert_int_equal(status, STATUS_MACHINE);
    assert_string_equal(error.text, "cannot run /nonexistent/program: No such file or directory");
}

/* Makes ptrace fail for this process and its children. Returns false if this is not possible. */
static bool forbid_ptrace(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

enum { IS_REFUSED = 0, IS_NOT_REFUSED = 1, CANNOT_FORBID = 2 };

static int count_without_ptrace(void) {
    struct step_counts counts;
    struct error error = {""};
    if (!forbid_ptrace())
        return CANNOT_FORBID;
    return count("sizes", STEP_LIMIT, &counts, &error) == STATUS_MACHINE &&
                   strstr(error.text, "docker run --cap-add SYS_PTRACE")
               ? IS_REFUSED
               : IS_NOT_REFUSED;
}

static void forbidden_ptrace_is_refused_with_the_remedy(void **state) {
    (void)state;
    struct step_counts counts;
    int result;
    count_or_skip("sizes", &counts);
    pid_t child = fork();
    if (child == 0)
        _exit(count_without_ptrace());
    assert_int_equal(waitpid(child, &result, 0), child);
    if (WEXITSTATUS(result) == CANNOT_FORBID)
        skip();
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), IS_REFUSED);
}

static void without_a_tracer_the_work_is_just_done(void **state) {
    (void)state;
    assert_int_equal(play("sizes"), 0);
}

int main(int argc, char **argv) {
    if (argc > 1)
        return play(argv[1]);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    processors_at_first = processors();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_are_counted_to_the_instruction),
        cmocka_unit_test(repeated_words_count_once),
        cmocka_unit_test(harmless_signals_within_regions_do_not_matter),
        cmocka_unit_test(counts_are_equal_twice),
        cmocka_unit_test(signals_outside_of_regions_do_not_matter),
        cmocka_unit_test(processors_are_given_back),
        cmocka_unit_test(failures_say_what_happened),
        cmocka_unit_test(a_program_that_does_not_exist_is_named),
        cmocka_unit_test(forbidden_ptrace_is_refused_with_the_remedy),
        cmocka_unit_test(without_a_tracer_the_work_is_just_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
