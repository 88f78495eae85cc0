/* Running a program without a shell: the arguments reach it as they are. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include "base/status.h"

#include <stddef.h>
#include <sys/types.h>

struct process {
    pid_t pid;
    int output; /* an anonymous file with everything that it writes */
};

/* Starts argv[0] (looked up in PATH) with the NULL-ended argv. It reads `input` as its standard
 * input, which is copied; it may write as much as it likes to standard output and standard error.
 * STATUS_MACHINE when there is no such program, STATUS_MEMORY when memory runs out. After
 * STATUS_OK, process_finish must follow. */
enum status process_start(const char *const *argv, const char *input, size_t input_size,
                          struct process *process, struct error *error);

/* Waits for the end and releases everything. `text` (of at least one byte) gets the first bytes of
 * what the process wrote, as a string. *exit_status is that of the process, or 128 + the signal
 * that killed it. */
void process_finish(struct process *process, char *text, size_t text_size, int *exit_status);

#endif
