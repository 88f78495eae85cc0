#include "base/cleanup.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Slots are atomic because signal handlers must not take locks. The thread or handler that empties
 * a slot owns what the slot held. */
enum { PATHS_MAX = 1024, CHILDREN_MAX = 1024 };
enum { PATIENCE_MS = 3000 }; /* for what a child does after SIGTERM */
static _Atomic(char *) paths[PATHS_MAX];
static _Atomic pid_t children[CHILDREN_MAX];

static atomic_bool is_on;

static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};
enum { SIGNALS = sizeof signals / sizeof *signals };

void cleanup_add_path(char *path) {
    for (size_t i = 0; i < PATHS_MAX; i++) {
        char *empty = NULL;
        if (atomic_compare_exchange_strong(&paths[i], &empty, path))
            return;
    }
}

void cleanup_drop_path(char *path) {
    for (size_t i = 0; path && i < PATHS_MAX; i++) {
        char *expected = path;
        if (atomic_compare_exchange_strong(&paths[i], &expected, NULL)) {
            free(path); /* a path taken by a handler is not freed: the handler may still read it */
            return;
        }
    }
}

void cleanup_add_child(pid_t child) {
    for (size_t i = 0; i < CHILDREN_MAX; i++) {
        pid_t empty = 0;
        if (atomic_compare_exchange_strong(&children[i], &empty, child))
            return;
    }
}

void cleanup_drop_child(pid_t child) {
    for (size_t i = 0; i < CHILDREN_MAX; i++) {
        pid_t expected = child;
        if (atomic_compare_exchange_strong(&children[i], &expected, 0))
            return;
    }
}

/* Waits until a child has ended, and kills it if SIGTERM does not end it. If this program traces it
 * (harness/counting/step.c), the child may be stopped, whether its stop was reported before or not.
 * It then handles SIGTERM only if it is no longer traced. */
static void end_child(pid_t child) {
    const struct timespec pause = {0, 1000000};
    int state = 0, left = PATIENCE_MS;
    pid_t got;
    ptrace(PTRACE_DETACH, child, NULL, SIGTERM);
    while ((got = waitpid(child, &state, WNOHANG)) == 0 || (got == child && WIFSTOPPED(state))) {
        if (got == child && ptrace(PTRACE_DETACH, child, NULL, SIGTERM) != 0)
            kill(child, SIGKILL); /* another thread traces it */
        if (left-- == 0)
            kill(-child, SIGKILL);
        nanosleep(&pause, NULL);
    }
}

/* Waits until the children have ended, because a running compiler could create a removed file
 * again. */
static void end_children(void) {
    pid_t ended[CHILDREN_MAX];
    size_t count = 0;
    for (size_t i = 0; i < CHILDREN_MAX; i++) {
        pid_t child = atomic_exchange(&children[i], 0);
        if (child > 0 && kill(-child, SIGTERM) == 0)
            ended[count++] = child;
    }
    for (size_t i = 0; i < count; i++)
        end_child(ended[i]);
}

/* Removes files first, so that the folders are empty. */
static void remove_paths(void) {
    char *folders[PATHS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < PATHS_MAX; i++) {
        char *path = atomic_exchange(&paths[i], NULL);
        if (path && unlink(path) != 0)
            folders[count++] = path;
    }
    for (size_t i = 0; i < count; i++)
        rmdir(folders[i]);
}

void cleanup_run(void) {
    static atomic_flag begun = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&begun))
        pause(); /* another thread cleans up and then ends the program */
    end_children();
    remove_paths();
}

static void fill_set(sigset_t *set) {
    sigemptyset(set);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaddset(set, signals[i]);
}

static void end(int number) {
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t set;
    cleanup_run();
    sigaction(number, &standard, NULL);
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
}

void cleanup_on_signals(void) {
    struct sigaction before, action = {.sa_handler = end};
    fill_set(&action.sa_mask);
    for (size_t i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
    if (sigaction(SIGXFSZ, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    is_on = true;
}

bool cleanup_is_on_signals(void) {
    return is_on;
}

void cleanup_hold_signals(sigset_t *before) {
    sigset_t set;
    fill_set(&set);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

void cleanup_release_signals(const sigset_t *before) {
    pthread_sigmask(SIG_SETMASK, before, NULL);
}
