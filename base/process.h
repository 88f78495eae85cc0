/* Runs a program without a shell: arguments are passed unchanged. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include "base/status.h"

#include <stddef.h>
#include <sys/types.h>

/* Creates an anonymous file with the given content, which disappears when nobody has it open.
 * Returns its descriptor, at the beginning of the file, or -1 and sets errno. */
int process_file(const char *content, size_t size);

struct process {
    pid_t pid;
    int output; /* an anonymous file with everything written to standard output and error */
};

/* Starts argv[0], looked up in PATH, with the NULL-terminated argv. A copy of `input` becomes the
 * standard input of the process. Standard output and standard error are collected, with no size
 * limit. STATUS_MACHINE if the program cannot be started, STATUS_MEMORY if out of memory. After
 * STATUS_OK, call process_finish. */
enum status process_start(const char *const *argv, const char *input, size_t input_size,
                          struct process *process, struct error *error);

/* Waits for the process to end and releases everything. `text`, at least one byte large, receives
 * the beginning of the output as a string. *exit_status is the exit status of the process, or 128 +
 * the signal that killed it. */
void process_finish(struct process *process, char *text, size_t text_size, int *exit_status);

/* Runs a program without input to its end. */
enum status process_run(const char *const *argv, char *text, size_t text_size, int *exit_status,
                        struct error *error);

#endif
