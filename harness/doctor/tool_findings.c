#include "harness/doctor/finding.h"

#include "base/process.h"
#include "harness/instruments/counters.h"
#include "harness/instruments/machine.h"
#include "impls/scorer.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit statuses of a child that could not be traced are the numbers of errors. */
static void run_child(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(errno);
    raise(SIGSTOP);
    _exit(0);
}

static bool wait_for(pid_t child, int *state) {
    pid_t got;
    while ((got = waitpid(child, state, 0)) < 0 && errno == EINTR)
        continue;
    return got == child;
}

/* Returns 0 or the number of the error. Sets *is_ended if the child has ended. */
static int step(pid_t child, bool *is_ended) {
    int state;
    if (!wait_for(child, &state))
        return errno;
    if (WIFEXITED(state) || WIFSIGNALED(state)) {
        *is_ended = true;
        return WIFEXITED(state) && WEXITSTATUS(state) ? WEXITSTATUS(state) : ECHILD;
    }
    if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0)
        return errno;
    if (!wait_for(child, &state))
        return errno;
    *is_ended = !WIFSTOPPED(state);
    return WIFSTOPPED(state) && WSTOPSIG(state) == SIGTRAP ? 0 : EIO;
}

enum status stepping_try(struct error *error) {
    pid_t child = fork();
    if (child == 0)
        run_child();
    if (child < 0)
        return errno == ENOMEM ? error_memory(error, "a process to single-step")
                               : error_set(error, STATUS_MACHINE, "fork: %s", strerror(errno));
    bool is_ended = false;
    int state, number = step(child, &is_ended);
    if (!is_ended) {
        kill(child, SIGKILL);
        wait_for(child, &state);
    }
    return number ? error_set(error, STATUS_MACHINE, "ptrace: %s", strerror(number)) : STATUS_OK;
}

enum { TEXT_SIZE = 256 };

/* --- clocks ----------------------------------------------------------------------------------- */

static void find_clock(const char *name, const char *source, double resolution_ns, double cost_ns,
                       struct findings *findings) {
    static const char effect[] = "Samples must last at least 1000 steps of the clock.";
    static const char clock_fix[] =
        "cat /sys/devices/system/clocksource/clocksource0/available_clocksource, and write a "
        "better one to current_clocksource there";
    const double coarse_ns = 1000;
    const char *comma = source[0] ? ", " : "";
    if (!(resolution_ns > 0))
        findings_add(findings, name, FINDING_MISSING, "No time can be measured.", clock_fix,
                     "does not advance");
    else
        findings_add(findings, name, resolution_ns > coarse_ns ? FINDING_WARNING : FINDING_OK,
                     effect, clock_fix, "%s%ssteps of %.0f ns, %.0f ns per reading", source, comma,
                     resolution_ns, cost_ns);
}

void find_clocks(const struct surroundings *surroundings, const struct timer_info *timer,
                 struct findings *findings) {
    find_clock("wall clock", surroundings->clock_source, timer->wall_resolution_ns,
               timer->wall_cost_ns, findings);
    find_clock("CPU clock", "", timer->cpu_resolution_ns, timer->cpu_cost_ns, findings);
}

/* --- counters --------------------------------------------------------------------------------- */

static void spin(void *argument) {
    volatile unsigned *sum = argument;
    for (unsigned i = 0; i < 100000; i++)
        *sum += i;
}

static void find_source(const char *name, enum counters_source source, const char *effect,
                        struct findings *findings) {
    struct counts counts;
    unsigned sum = 0;
    counters_count(source, spin, &sum, &counts);
    if (counts.reason[0])
        findings_add_reason(findings, name, FINDING_WARNING, effect, counts.reason);
    else
        findings_add(findings, name, FINDING_OK, effect, NULL, "all %d, from %s",
                     (int)COUNTER_COUNT, counts.source);
}

static void find_perf_events(const struct surroundings *s, struct findings *findings) {
    static const char effect[] = "Only root may count events if the value is above 2.";
    if (s->perf_event_paranoid == -2)
        findings_add(findings, "perf events", FINDING_UNKNOWN, effect,
                     "Make /proc/sys visible to this process.",
                     "/proc/sys/kernel/perf_event_paranoid cannot be read");
    else
        findings_add(findings, "perf events",
                     s->perf_event_paranoid > 2 ? FINDING_WARNING : FINDING_OK, effect,
                     "sudo sysctl kernel.perf_event_paranoid=2", "perf_event_paranoid is %d",
                     s->perf_event_paranoid);
}

static void find_ptrace(const struct surroundings *s, struct findings *findings) {
    static const char effect[] = "Single-stepping counts instructions exactly, without hardware "
                                 "counters and with every instruction set.";
    struct error error;
    char scope[TEXT_SIZE] = "";
    if (s->ptrace_scope >= 0)
        snprintf(scope, sizeof scope, "; yama/ptrace_scope is %d", s->ptrace_scope);
    if (stepping_try(&error) == STATUS_OK)
        findings_add(findings, "ptrace", FINDING_OK, effect, NULL,
                     "a child can be single-stepped%s", scope);
    else
        findings_add(findings, "ptrace", FINDING_WARNING, effect,
                     s->ptrace_scope > 1
                         ? "sudo sysctl kernel.yama.ptrace_scope=1"
                         : "Allow the system call ptrace (docker run --cap-add SYS_PTRACE).",
                     "%s%s", error.text, scope);
}

void find_counters(const struct surroundings *surroundings, struct findings *findings) {
    static const char effect[] = "Rows have no counts of instructions, branches or cache misses "
                                 "if counters are missing.";
    find_source("counters", COUNTERS_AUTO, effect, findings);
    find_perf_events(surroundings, findings);
    find_source("PAPI", COUNTERS_PAPI,
                "It is used if perf has no counters, and for --counters papi.", findings);
    find_ptrace(surroundings, findings);
}

/* --- programs --------------------------------------------------------------------------------- */

static void add_memory(const char *name, struct findings *findings) {
    findings_add(findings, name, FINDING_MISSING, NULL, NULL, "out of memory while looking for it");
}

/* Reads the first line that `program --version` prints. Returns STATUS_MACHINE if the program
 * cannot be run, and STATUS_MEMORY if memory runs out. */
static enum status read_version(const char *program, char *text, size_t size) {
    const char *const argv[] = {program, "--version", NULL};
    int exit_status;
    enum status status = process_run(argv, text, size, &exit_status, NULL);
    if (status)
        return status;
    text[strcspn(text, "\n")] = '\0';
    return exit_status == 0 ? STATUS_OK : STATUS_MACHINE;
}

static void find_program(const char *name, const char *program, enum finding_level without,
                         const char *effect, const char *fix, struct findings *findings) {
    char version[TEXT_SIZE];
    enum status status = read_version(program, version, sizeof version);
    if (status == STATUS_MEMORY)
        add_memory(name, findings);
    else if (status)
        findings_add(findings, name, without, effect, fix, "'%s' does not run", program);
    else
        findings_add(findings, name, FINDING_OK, effect, NULL, "%s", version);
}

void find_programs(struct findings *findings) {
    findings_add(findings, "build", FINDING_OK,
                 "Another compiler makes other kernels, with other times.", NULL,
                 "treebench was built by %s", machine_compiler());
    const char *named = getenv("TREEBENCH_CC");
    find_program("compiler", named && *named ? named : "cc", FINDING_MISSING,
                 "codegen needs it. Its times depend on the compiler and its version.",
                 "apt-get install gcc libc6-dev, or name a compiler in TREEBENCH_CC", findings);
    find_program("valgrind", "valgrind", FINDING_WARNING,
                 "--counters callgrind needs it: it simulates counters.",
                 "apt-get install valgrind", findings);
    find_program("gnuplot", "gnuplot", FINDING_WARNING, "Reports have no figures without it.",
                 "apt-get install gnuplot-nox", findings);
}

/* --- libraries -------------------------------------------------------------------------------- */

/* Libraries are optional, so a missing library is only a warning. */
static void find_library(const struct impl *impl, struct findings *findings) {
    static const char effect[] = "Comparisons leave out libraries that are not found.";
    char text[TEXT_SIZE];
    enum status status = impl->find(text, sizeof text);
    if (status == STATUS_MEMORY)
        add_memory(impl->name, findings);
    else if (status)
        findings_add_reason(findings, impl->name, FINDING_WARNING, effect, text);
    else
        findings_add(findings, impl->name, FINDING_OK, effect, NULL, "%s", text);
}

void find_libraries(struct findings *findings) {
    size_t count;
    const struct impl *const *impls = impl_all(&count);
    for (size_t i = 0; i < count; i++)
        if (impls[i]->kind == IMPL_LIBRARY)
            find_library(impls[i], findings);
}
