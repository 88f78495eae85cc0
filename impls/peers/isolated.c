#include "impls/peers/isolated.h"

#include "base/cleanup.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct timespec look_every = {0, 1000000};

/* If memory runs out, the system ends this process and not its parent. */
static void volunteer_for_memory(void) {
    FILE *file = fopen("/proc/self/oom_score_adj", "w");
    if (!file)
        return;
    fputs("1000", file);
    fclose(file);
}

/* Signals get their defaults back: a handler of the parent would remove the parent's files, and one
 * of a sanitizer would hide which signal ended the child. The child ends if its parent has ended,
 * even before prctl. */
static void prepare_child(pid_t parent, const sigset_t *mask) {
    const struct rlimit no_core = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    setpgid(0, 0);
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    cleanup_release_signals(mask);
    setrlimit(RLIMIT_CORE, &no_core);
    volunteer_for_memory();
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Returns false if the child still runs after this time. The child is not reaped. */
static bool ends_in_time(pid_t child, unsigned seconds) {
    const int64_t end = now_ms() + (int64_t)seconds * 1000;
    while (now_ms() < end) {
        siginfo_t info = {.si_pid = 0};
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid)
            return true;
        nanosleep(&look_every, NULL);
    }
    return false;
}

/* Ends whatever is left of the child's group, which has the child's number until it is reaped. */
static int end_group(pid_t child) {
    int state = 0;
    kill(-child, SIGKILL);
    cleanup_drop_child(child);
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    return state;
}

static enum status explain(int state, struct error *error) {
    if (WIFSIGNALED(state))
        return error_set(error, STATUS_INPUT, "crashed by signal %d (%s)", WTERMSIG(state),
                         strsignal(WTERMSIG(state)));
    return error_set(error, STATUS_INPUT, "ended its process with exit status %d",
                     WEXITSTATUS(state));
}

static enum status finish(pid_t child, unsigned seconds, const char *has_returned,
                          struct error *error) {
    bool in_time = ends_in_time(child, seconds);
    int state = end_group(child);
    if (!in_time)
        return error_set(error, STATUS_INPUT, "did not answer within %u s", seconds);
    return *has_returned ? STATUS_OK : explain(state, error);
}

static enum status refuse(struct error *error) {
    return errno == ENOMEM
               ? error_memory(error, "a process")
               : error_set(error, STATUS_MACHINE, "cannot start a process: %s", strerror(errno));
}

/* The child runs the function, and sets shared[size] when it returns. */
static pid_t start(void (*function)(void *context, void *result), void *context, char *shared,
                   size_t size) {
    sigset_t mask;
    const pid_t parent = getpid();
    fflush(NULL); /* or a child that calls exit would write what is buffered here */
    cleanup_hold_signals(&mask);
    pid_t child = fork();
    if (child == 0) {
        prepare_child(parent, &mask);
        function(context, shared);
        shared[size] = 1;
        _exit(0);
    }
    int reason = errno;
    if (child > 0) {
        setpgid(child, child); /* cleanup ends groups, perhaps before the child runs */
        cleanup_add_child(child);
    }
    cleanup_release_signals(&mask);
    errno = reason;
    return child;
}

enum status isolated_run(void (*function)(void *context, void *result), void *context, void *result,
                         size_t size, unsigned seconds, struct error *error) {
    char *shared = mmap(NULL, size + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return refuse(error);
    memcpy(shared, result, size);
    pid_t child = start(function, context, shared, size);
    enum status status = child < 0 ? refuse(error) : finish(child, seconds, shared + size, error);
    memcpy(result, shared, size);
    munmap(shared, size + 1);
    return status;
}
