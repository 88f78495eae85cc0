/* Shows progress on stderr, with an estimate of the time left. On a terminal, rewrites a single
 * line. Otherwise, prints a line every patience_ns, or no lines if patience_ns is 0. */
#ifndef HARNESS_INSTRUMENTS_PROGRESS_H
#define HARNESS_INSTRUMENTS_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/* A usual time between two lines of progress if stderr is not a terminal. */
#define PROGRESS_PATIENCE_NS (UINT64_C(20) * 1000 * 1000 * 1000)

struct progress {
    /* counts of steps; first: steps whose results were in the store already */
    size_t total, done, first;
    uint64_t begin_ns, printed_ns;
    uint64_t patience_ns; /* time between two lines if stderr is not a terminal; 0: no lines */
    int terminal;
};

void progress_begin(struct progress *progress, size_t total);
void progress_skip(struct progress *progress); /* the step's result is already in the store */
void progress_step(struct progress *progress, const char *what); /* call before a step */
/* Replaces the text of the line during a step. Does nothing if `progress` is NULL. */
void progress_note(struct progress *progress, const char *what);
/* Clears the line on a terminal, so that a message can begin on an empty line. */
void progress_clear(const struct progress *progress);
void progress_done(struct progress *progress); /* call after a step; clears the line */

#endif
