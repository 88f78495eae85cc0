/* Cleanup after a fatal signal: unfinished files are removed and child processes are ended. */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* After this call, SIGHUP, SIGINT, SIGQUIT, SIGPIPE and SIGTERM clean up before they end the
 * program. Signals that were ignored stay ignored. SIGXFSZ is ignored: a file that becomes too
 * large is an error of the write. For programs only: the library never installs signal handlers. */
void cleanup_on_signals(void);
bool cleanup_is_on_signals(void);

/* Cleans up now. Safe in a signal handler. The program must end afterwards. */
void cleanup_run(void);

/* Registers a file, or a folder that will be empty, for removal. Takes ownership of `path`, which
 * must come from malloc. At most 1024 paths are kept; more are not removed. cleanup_drop_path
 * unregisters and frees the path. */
void cleanup_add_path(char *path);
void cleanup_drop_path(char *path);

/* Registers a process that leads its own process group. The whole group is ended. */
void cleanup_add_child(pid_t child);
void cleanup_drop_child(pid_t child);

/* Blocks these signals in the calling thread. Without this, a signal could arrive after a file or
 * process is created and before it is registered. */
void cleanup_hold_signals(sigset_t *before);
void cleanup_release_signals(const sigset_t *before);

#endif
