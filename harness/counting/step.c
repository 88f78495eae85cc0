#include "harness/counting/step.h"

#include "base/cleanup.h"
#include "base/cpu.h"
#include "harness/instruments/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__aarch64__)

/* Exit statuses of a child that could not begin: the number of the error, plus CANNOT_RUN if the
 * program could not be run. */
enum { CANNOT_RUN = 128, LOOK_EVERY = 1024 };

struct tracee {
    pid_t pid;
    const char *program;
    int output; /* an anonymous file */
    int state;  /* as waitpid returned it */
    bool has_ended;
    uint64_t left; /* instructions up to the limit */
    uint64_t limit;
};

/* --- starting and ending ---------------------------------------------------------------------- */

/* Calls only functions that are safe after fork(). Does not return. */
static void become_program(const struct step_request *request, char **environment, int output) {
    sigset_t none;
    int nowhere = open("/dev/null", O_RDONLY);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    dup2(nowhere, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    personality(ADDR_NO_RANDOMIZE); /* containers may forbid it, and counts do not depend on it */
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(errno);
    execve(request->argv[0], (char *const *)request->argv, environment);
    _exit(CANNOT_RUN + errno);
}

static char **add_binding(const char *const *environment) {
    static char bind_now[] = "LD_BIND_NOW=1";
    size_t count = 0;
    while (environment[count])
        count++;
    char **added = malloc((count + 2) * sizeof *added);
    if (!added)
        return NULL;
    added[0] = bind_now;
    memcpy(added + 1, environment, (count + 1) * sizeof *added);
    return added;
}

static enum status start(const struct step_request *request, struct tracee *tracee,
                         struct error *error) {
    sigset_t before;
    char **environment = add_binding(request->environment);
    if (!environment)
        return error_memory(error, "the environment of a counted program");
    cleanup_hold_signals(&before);
    tracee->pid = fork();
    if (tracee->pid == 0)
        become_program(request, environment, tracee->output);
    int reason = errno;
    if (tracee->pid > 0) {
        setpgid(tracee->pid, tracee->pid); /* cleanup ends groups, perhaps before the child runs */
        cleanup_add_child(tracee->pid);
    }
    cleanup_release_signals(&before);
    free(environment);
    if (tracee->pid > 0)
        return STATUS_OK;
    return reason == ENOMEM ? error_memory(error, "a process to count instructions in")
                            : error_set(error, STATUS_MACHINE, "fork: %s", strerror(reason));
}

static void end(struct tracee *tracee) {
    if (!tracee->has_ended) {
        kill(tracee->pid, SIGKILL);
        while (waitpid(tracee->pid, &tracee->state, __WALL) < 0 ? errno == EINTR
                                                                : WIFSTOPPED(tracee->state))
            continue;
    }
    cleanup_drop_child(tracee->pid);
}

/* --- errors ----------------------------------------------------------------------------------- */

static enum status refuse_ptrace(int reason, struct error *error) {
    return error_set(error, STATUS_MACHINE,
                     "single-stepping is not possible (ptrace: %s). Allow the system call ptrace "
                     "(docker run --cap-add SYS_PTRACE; sudo sysctl kernel.yama.ptrace_scope=1), "
                     "and do not run this under a debugger",
                     strerror(reason));
}

static void read_output(const struct tracee *tracee, char output[static STEP_OUTPUT_SIZE]) {
    ssize_t size = pread(tracee->output, output, STEP_OUTPUT_SIZE - 1, 0);
    output[size > 0 ? size : 0] = '\0';
}

/* A tracee that has ended too early. */
static enum status refuse_end(const struct tracee *tracee, struct error *error) {
    char output[STEP_OUTPUT_SIZE];
    int number = WIFEXITED(tracee->state) ? WEXITSTATUS(tracee->state) : 0;
    read_output(tracee, output);
    output[strcspn(output, "\n")] = '\0';
    if (WIFSIGNALED(tracee->state))
        return error_set(error, STATUS_MACHINE, "%s was killed by signal %d (%s)", tracee->program,
                         WTERMSIG(tracee->state), strsignal(WTERMSIG(tracee->state)));
    return error_set(error, STATUS_MACHINE, "%s exited with status %d: %s", tracee->program, number,
                     output);
}

/* --- running ---------------------------------------------------------------------------------- */

/* Lets the tracee go on, by PTRACE_CONT or PTRACE_SINGLESTEP, and waits until it stops or ends. It
 * receives `signal` unless this is 0. */
static enum status go_on(struct tracee *tracee, int how, int signal, struct error *error) {
    pid_t got;
    if (how >= 0 && ptrace((enum __ptrace_request)how, tracee->pid, NULL, signal) != 0 &&
        errno != ESRCH) /* it was killed, which waitpid reports */
        return refuse_ptrace(errno, error);
    while ((got = waitpid(tracee->pid, &tracee->state, __WALL)) < 0 && errno == EINTR)
        continue;
    if (got < 0)
        return error_set(error, STATUS_MACHINE, "waitpid: %s", strerror(errno));
    tracee->has_ended = !WIFSTOPPED(tracee->state);
    return STATUS_OK;
}

/* The tracee stops for the first time when it has become the program. */
static enum status wait_for_program(struct tracee *tracee, struct error *error) {
    enum status status = go_on(tracee, -1, 0, error);
    if (status)
        return status;
    int number = tracee->has_ended && WIFEXITED(tracee->state) ? WEXITSTATUS(tracee->state) : 0;
    if (number > CANNOT_RUN)
        return error_set(error, STATUS_MACHINE, "cannot run %s: %s", tracee->program,
                         strerror(number - CANNOT_RUN));
    if (number > 0)
        return refuse_ptrace(number, error);
    if (tracee->has_ended)
        return refuse_end(tracee, error);
    if (ptrace(PTRACE_SETOPTIONS, tracee->pid, NULL, PTRACE_O_EXITKILL) != 0)
        return refuse_ptrace(errno, error);
    return STATUS_OK;
}

static bool is_at_mark(const struct tracee *tracee) {
    siginfo_t info;
    return WIFSTOPPED(tracee->state) && WSTOPSIG(tracee->state) == SIGURG &&
           ptrace(PTRACE_GETSIGINFO, tracee->pid, NULL, &info) == 0 && info.si_code == SI_QUEUE &&
           info.si_value.sival_int == STEP_MARK;
}

/* Runs the tracee up to a mark, or up to its end. */
static enum status run_to_mark(struct tracee *tracee, struct error *error) {
    enum status status;
    int signal = 0;
    do {
        status = go_on(tracee, PTRACE_CONT, signal, error);
        signal = !status && !tracee->has_ended ? WSTOPSIG(tracee->state) : 0;
    } while (!status && !tracee->has_ended && !is_at_mark(tracee));
    return status;
}

/* --- stepping --------------------------------------------------------------------------------- */

/* Reads the address of the next instruction. 0 if unknown, as on ARM, where it is not needed. */
static uint64_t next_address(const struct tracee *tracee) {
#ifdef __x86_64__
    return (uint64_t)ptrace(PTRACE_PEEKUSER, tracee->pid, offsetof(struct user_regs_struct, rip),
                            NULL);
#else
    (void)tracee;
    return 0;
#endif
}

/* Returns true if the processor repeats the instruction at an address, which then takes a step for
 * each time. `rep` stands before it, perhaps among other prefixes. */
static bool is_repeated(const struct tracee *tracee, uint64_t address) {
    union {
        long word;
        unsigned char bytes[sizeof(long)];
    } code;
    errno = 0;
    code.word = ptrace(PTRACE_PEEKTEXT, tracee->pid, address, NULL);
    for (size_t i = 0; errno == 0 && i < sizeof code && code.bytes[i] != 0; i++) {
        if (code.bytes[i] == 0xf2 || code.bytes[i] == 0xf3)
            return true;
        if (!strchr("\x26\x2e\x36\x3e\x64\x65\x66\x67", code.bytes[i]))
            return false;
    }
    return false;
}

static bool is_harmless(int signal) {
    return signal == SIGURG || signal == SIGWINCH || signal == SIGCHLD || signal == SIGCONT;
}

/* Adds the step that the tracee has just made. The step from `from` does not count if the
 * instruction there is still being repeated. */
static enum status add_step(struct tracee *tracee, uint64_t from, uint64_t to, uint64_t *count,
                            struct error *error) {
    if (tracee->left == 0)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s executes more than %" PRIu64
                         " instructions where it should be counted. Count fewer documents",
                         tracee->program, tracee->limit);
    tracee->left--;
    if (tracee->left % LOOK_EVERY == 0 && interrupt_asked())
        return error_set(error, STATUS_UNSUPPORTED, "counting was interrupted");
    if (to == 0 || from != to || !is_repeated(tracee, to))
        ++*count;
    return STATUS_OK;
}

/* Steps from a mark to the next mark. */
static enum status step_to_mark(struct tracee *tracee, uint64_t *count, struct error *error) {
    uint64_t from = next_address(tracee), to;
    *count = 0;
    for (;;) {
        enum status status = go_on(tracee, PTRACE_SINGLESTEP, 0, error);
        if (status)
            return status;
        if (tracee->has_ended)
            return refuse_end(tracee, error);
        if (is_at_mark(tracee))
            return STATUS_OK;
        int signal = WSTOPSIG(tracee->state);
        if (signal != SIGTRAP && is_harmless(signal))
            continue;
        if (signal != SIGTRAP)
            return error_set(error, STATUS_MACHINE,
                             "%s received signal %d (%s) while it was counted", tracee->program,
                             signal, strsignal(signal));
        to = next_address(tracee);
        status = add_step(tracee, from, to, count, error);
        if (status)
            return status;
        from = to;
    }
}

/* Where the tracee and this thread may run outside of regions. */
struct places {
    struct cpu_affinity tracee, here;
};

/* Two processes that wait for each other after every step take a fourth of the time if they share a
 * processor. */
static void share_processor(const struct tracee *tracee, struct places *before) {
    cpu_set_t shared;
    int core = cpu_pin_here(&before->here);
    CPU_ZERO(&shared);
    if (core >= 0)
        CPU_SET((size_t)core, &shared);
    before->tracee.known = core >= 0 && sched_getaffinity(tracee->pid, sizeof before->tracee.cores,
                                                          &before->tracee.cores) == 0;
    if (before->tracee.known)
        sched_setaffinity(tracee->pid, sizeof shared, &shared);
}

static void part(const struct tracee *tracee, const struct places *before) {
    if (before->tracee.known)
        sched_setaffinity(tracee->pid, sizeof before->tracee.cores, &before->tracee.cores);
    cpu_unpin(&before->here);
}

static enum status step_to_marks(struct tracee *tracee, uint64_t *empty, uint64_t *full,
                                 struct error *error) {
    struct places before;
    share_processor(tracee, &before);
    enum status status = step_to_mark(tracee, empty, error);
    if (!status)
        status = step_to_mark(tracee, full, error);
    part(tracee, &before);
    return status;
}

/* The tracee is at the first of a region's marks. */
static enum status count_region(struct tracee *tracee, struct step_counts *counts,
                                struct error *error) {
    uint64_t empty, full;
    if (counts->n_regions == STEP_REGIONS_MAX)
        return error_set(error, STATUS_UNSUPPORTED, "%s has more than %d regions to count",
                         tracee->program, (int)STEP_REGIONS_MAX);
    enum status status = step_to_marks(tracee, &empty, &full, error);
    if (!status && full < empty)
        return error_set(error, STATUS_MACHINE,
                         "single steps are not reliable here: a region has fewer instructions than "
                         "its marks");
    if (!status)
        counts->instructions[counts->n_regions++] = full - empty;
    return status;
}

static enum status count_regions(struct tracee *tracee, struct step_counts *counts,
                                 struct error *error) {
    enum status status = wait_for_program(tracee, error);
    if (!status)
        status = run_to_mark(tracee, error);
    while (!status && !tracee->has_ended) {
        status = count_region(tracee, counts, error);
        if (!status)
            status = run_to_mark(tracee, error);
    }
    if (status)
        return status;
    if (!WIFEXITED(tracee->state) || WEXITSTATUS(tracee->state) != 0)
        return refuse_end(tracee, error);
    if (counts->n_regions == 0)
        return error_set(error, STATUS_INPUT, "%s has no regions to count", tracee->program);
    read_output(tracee, counts->output);
    return STATUS_OK;
}

enum status step_count(const struct step_request *request, struct step_counts *counts,
                       struct error *error) {
    struct tracee tracee = {
        .program = request->argv[0], .left = request->limit, .limit = request->limit};
    counts->n_regions = 0;
    counts->output[0] = '\0';
    tracee.output = memfd_create("treebench", MFD_CLOEXEC);
    if (tracee.output < 0)
        return error_set(error, STATUS_IO, "cannot create a temporary file: %s", strerror(errno));
    enum status status = start(request, &tracee, error);
    if (!status) {
        status = count_regions(&tracee, counts, error);
        end(&tracee);
    }
    close(tracee.output);
    return status;
}

#else

enum status step_count(const struct step_request *request, struct step_counts *counts,
                       struct error *error) {
    (void)request;
    counts->n_regions = 0;
    counts->output[0] = '\0';
    return error_set(error, STATUS_UNSUPPORTED,
                     "instructions are counted by single steps only on x86-64 and arm64");
}

#endif
