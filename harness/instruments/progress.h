/* Progress on stderr, with an estimate of the time left. On a terminal, one line is rewritten.
 * Otherwise a line is printed every patience_ns, or nothing if patience_ns is 0. */
#ifndef HARNESS_INSTRUMENTS_PROGRESS_H
#define HARNESS_INSTRUMENTS_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

struct progress {
    /* numbers of steps; first: steps whose results were already in the store */
    size_t total, done, first;
    uint64_t begin_ns, printed_ns;
    uint64_t patience_ns; /* without a terminal: time between two lines; 0: print none */
    int terminal;
};

void progress_begin(struct progress *progress, size_t total);
void progress_skip(struct progress *progress); /* the step's result is already in the store */
void progress_step(struct progress *progress, const char *what); /* call before a step */
/* Replaces the printed line during a step. */
void progress_note(struct progress *progress, const char *what);
void progress_done(struct progress *progress); /* call after a step; clears the line */

#endif
