#include "harness/progress.h"

#include "harness/timer.h"

#include <stdio.h>
#include <unistd.h>

void progress_begin(struct progress *progress, size_t total) {
    *progress = (struct progress){
        .total = total, .begin_ns = timer_wall_ns(), .terminal = isatty(STDERR_FILENO)};
}

void progress_skip(struct progress *progress) {
    progress->done++;
    progress->first++;
}

void progress_step(struct progress *progress, const char *what) {
    if (!progress->terminal)
        return;
    fprintf(stderr, "\r\033[K[%zu/%zu] %s", progress->done + 1, progress->total, what);
    size_t worked = progress->done - progress->first;
    if (worked > 0) {
        double elapsed = (double)(timer_wall_ns() - progress->begin_ns) * 1e-9;
        double left = elapsed / (double)worked * (double)(progress->total - progress->done);
        fprintf(stderr, ", about %.0f s left", left);
    }
    fflush(stderr);
}

/* Clears the line, so that nothing else that is told on stderr is glued to it. */
void progress_done(struct progress *progress) {
    progress->done++;
    if (progress->terminal)
        fprintf(stderr, "\r\033[K");
}
