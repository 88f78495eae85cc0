/* Progress with an estimate of the time that is left, on stderr: one line that is rewritten on a
 * terminal; when stderr is no terminal nothing, or a line now and then where there is patience. */
#ifndef HARNESS_PROGRESS_H
#define HARNESS_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

struct progress {
    size_t total, done, first; /* first: what was done before this process began */
    uint64_t begin_ns, told_ns;
    uint64_t patience_ns; /* without a terminal: silent for so long at a time; 0: for ever */
    int terminal;
};

void progress_begin(struct progress *progress, size_t total);
void progress_skip(struct progress *progress); /* a step that needs no work: found in the store */
void progress_step(struct progress *progress, const char *what); /* printed before a step */
void progress_note(struct progress *progress, const char *what); /* within a step, instead of it */
void progress_done(struct progress *progress); /* after the step; leaves an empty line */

#endif
