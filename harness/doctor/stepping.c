#include "harness/doctor/stepping.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
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
