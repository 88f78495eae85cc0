#include "impls/peers/isolated.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

/* A child, and what it shares with this process. */
struct child {
    pid_t id;
    int ended[2]; /* a pipe that only the child can write to: it has an end when the child has */
    volatile char *shared; /* the result, and after it whether the function returned */
};

/* The signals get their defaults back: a handler of this process or of a sanitizer would hide which
 * one ended the child. */
static void prepare_child(void) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL, SIGABRT,
                                  SIGINT,  SIGHUP, SIGTERM, SIGQUIT};
    const struct rlimit no_core = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &no_core);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Returns false if the child still runs after this time. */
static bool wait_until_ended(const struct child *child, unsigned seconds) {
    const int64_t end = now_ms() + (int64_t)seconds * 1000;
    for (int64_t left; (left = end - now_ms()) > 0;) {
        struct pollfd pipe_end = {.fd = child->ended[0], .events = POLLIN};
        int got = poll(&pipe_end, 1, (int)left);
        if (got > 0 || (got < 0 && errno != EINTR))
            return true;
    }
    return false;
}

static enum status explain(int state, struct error *error) {
    if (WIFSIGNALED(state))
        return error_set(error, STATUS_INPUT, "crashed by signal %d (%s)", WTERMSIG(state),
                         strsignal(WTERMSIG(state)));
    return error_set(error, STATUS_INPUT, "ended its process with exit status %d",
                     WEXITSTATUS(state));
}

static enum status finish(const struct child *child, void *result, size_t size, unsigned seconds,
                          struct error *error) {
    int state;
    bool in_time = wait_until_ended(child, seconds);
    if (!in_time)
        kill(child->id, SIGKILL);
    while (waitpid(child->id, &state, 0) < 0 && errno == EINTR)
        continue;
    memcpy(result, (const void *)child->shared, size);
    if (!in_time)
        return error_set(error, STATUS_INPUT, "did not answer within %u s", seconds);
    return child->shared[size] ? STATUS_OK : explain(state, error);
}

/* Frees what start made. */
static void release(const struct child *child, size_t size) {
    close(child->ended[0]);
    munmap((void *)child->shared, size + 1);
}

static enum status refuse(struct error *error) {
    return errno == ENOMEM
               ? error_memory(error, "a process")
               : error_set(error, STATUS_MACHINE, "cannot start a process: %s", strerror(errno));
}

static enum status prepare(struct child *child, size_t size, struct error *error) {
    void *shared = mmap(NULL, size + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return refuse(error);
    child->shared = shared;
    if (pipe2(child->ended, O_CLOEXEC) == 0)
        return STATUS_OK;
    munmap(shared, size + 1);
    return refuse(error);
}

enum status isolated_run(void (*function)(void *context, void *result), void *context, void *result,
                         size_t size, unsigned seconds, struct error *error) {
    struct child child;
    enum status status = prepare(&child, size, error);
    if (status)
        return status;
    memcpy((void *)child.shared, result, size);
    fflush(NULL); /* or a child that calls exit would write what is buffered here */
    child.id = fork();
    if (child.id == 0) {
        prepare_child();
        function(context, (void *)child.shared);
        child.shared[size] = 1;
        _exit(0);
    }
    close(child.ended[1]);
    status = child.id < 0 ? refuse(error) : finish(&child, result, size, seconds, error);
    release(&child, size);
    return status;
}
