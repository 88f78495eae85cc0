#include "base/process.h"

#include "base/cleanup.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Anonymous files are used instead of pipes because nobody has to read while the process writes,
 * and no file remains if either side is killed. */
int process_file(const char *content, size_t size) {
    int file = memfd_create("treebench", MFD_CLOEXEC);
    while (file >= 0 && size > 0) {
        ssize_t written = write(file, content, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            int reason = errno;
            close(file);
            errno = reason;
            return -1;
        }
        content += written;
        size -= (size_t)written;
    }
    if (file >= 0)
        lseek(file, 0, SEEK_SET);
    return file;
}

static int set_streams(posix_spawn_file_actions_t *actions, int input, int output) {
    int failure = posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);
    if (failure == 0)
        failure = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    if (failure == 0)
        failure = posix_spawn_file_actions_adddup2(actions, output, STDERR_FILENO);
    return failure;
}

/* If cleanup.h handles signals, the process gets its own process group, so that cleanup also ends
 * its child processes. */
static int set_group(posix_spawnattr_t *attributes, const sigset_t *mask) {
    int group = cleanup_is_on_signals() ? POSIX_SPAWN_SETPGROUP : 0;
    int failure = posix_spawnattr_setflags(attributes, (short)(group | POSIX_SPAWN_SETSIGMASK));
    if (failure == 0)
        failure = posix_spawnattr_setsigmask(attributes, mask);
    return failure; /* by default, POSIX_SPAWN_SETPGROUP creates a new group */
}

/* Returns 0 or an errno. */
static int spawn(const char *const *argv, int input, int output, pid_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t mask;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure != 0)
        return failure;
    failure = posix_spawnattr_init(&attributes);
    if (failure != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return failure;
    }
    cleanup_hold_signals(&mask);
    failure = set_streams(&actions, input, output);
    if (failure == 0)
        failure = set_group(&attributes, &mask);
    /* The cast is safe: POSIX's prototype lacks const, but the strings are not changed. */
    if (failure == 0)
        failure = posix_spawnp(pid, argv[0], &actions, &attributes, (char *const *)argv, environ);
    if (failure == 0)
        cleanup_add_child(*pid);
    cleanup_release_signals(&mask);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static enum status refuse_streams(const char *program, int reason, struct error *error) {
    if (reason == ENOMEM)
        return error_memory(error, "the input and output of a process");
    return error_set(error, STATUS_IO,
                     "cannot create temporary files for the input and output of %s: %s", program,
                     strerror(reason));
}

enum status process_start(const char *const *argv, const char *input, size_t input_size,
                          struct process *process, struct error *error) {
    int in = process_file(input, input_size), reason = errno;
    int out = process_file(NULL, 0);
    if (in < 0 || out < 0) {
        reason = in < 0 ? reason : errno;
        if (in >= 0)
            close(in);
        if (out >= 0)
            close(out);
        return refuse_streams(argv[0], reason, error);
    }
    int failure = spawn(argv, in, out, &process->pid);
    close(in);
    if (failure != 0) {
        close(out);
        if (failure == ENOMEM)
            return error_memory(error, argv[0]);
        return error_set(error, STATUS_MACHINE, "cannot run %s: %s", argv[0], strerror(failure));
    }
    process->output = out;
    return STATUS_OK;
}

void process_finish(struct process *process, char *text, size_t text_size, int *exit_status) {
    int state = 0;
    pid_t ended;
    siginfo_t info;
    while (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        continue;
    cleanup_drop_child(process->pid); /* before waitpid, after which the id may be reused */
    do
        ended = waitpid(process->pid, &state, 0);
    while (ended < 0 && errno == EINTR);
    if (ended < 0)
        *exit_status = 127; /* unknown, which happens only if the caller ignores SIGCHLD */
    else
        *exit_status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);

    ssize_t size = pread(process->output, text, text_size - 1, 0);
    text[size > 0 ? size : 0] = '\0';
    close(process->output);
}

enum status process_run(const char *const *argv, char *text, size_t text_size, int *exit_status,
                        struct error *error) {
    struct process process;
    enum status status = process_start(argv, NULL, 0, &process, error);
    if (!status)
        process_finish(&process, text, text_size, exit_status);
    return status;
}
