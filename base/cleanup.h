/* What a fatal signal undoes: unfinished files are removed, and processes that were started are
 * ended. */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* From now on SIGHUP, SIGINT, SIGQUIT, SIGPIPE and SIGTERM clean up before they end the program. A
 * signal that is ignored stays ignored. For programs: the library leaves signals alone. */
void cleanup_on_signals(void);
bool cleanup_is_on_signals(void);

/* Cleans up now. Safe in a signal handler. The program must end afterwards. */
void cleanup_run(void);

/* Takes `path`, which malloc returned, of a file or of a folder that will be empty. Beyond 1024
 * paths at a time, the rest are left behind. cleanup_drop_path forgets and frees it. */
void cleanup_add_path(char *path);
void cleanup_drop_path(char *path);

/* A process that leads a group of its own. The whole group is ended. */
void cleanup_add_child(pid_t child);
void cleanup_drop_child(pid_t child);

/* Keeps the signals above from this thread, so that something can be made and added at once. */
void cleanup_hold_signals(sigset_t *before);
void cleanup_release_signals(const sigset_t *before);

#endif
