/* Progress with an estimate of the time that is left, on stderr: one line that is rewritten on a
 * terminal, nothing when stderr is no terminal. */
#ifndef HARNESS_PROGRESS_H
#define HARNESS_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

struct progress {
    size_t total, done, first; /* first: what was done before this process began */
    uint64_t begin_ns;
    int terminal;
};

void progress_begin(struct progress *progress, size_t total);
void progress_skip(struct progress *progress); /* a step that needs no work: found in the store */
void progress_step(struct progress *progress, const char *what); /* printed before a step */
void progress_done(struct progress *progress); /* after the step; leaves an empty line */

#endif
