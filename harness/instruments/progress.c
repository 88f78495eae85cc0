#include "harness/instruments/progress.h"

#include "harness/instruments/timer.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

void progress_begin(struct progress *progress, size_t total) {
    uint64_t now = timer_wall_ns();
    *progress = (struct progress){
        .total = total, .begin_ns = now, .printed_ns = now, .terminal = isatty(STDERR_FILENO)};
}

void progress_skip(struct progress *progress) {
    progress->done++;
    progress->first++;
}

/* Returns true if a line must be printed now. If so, records the time. */
static bool is_due(struct progress *progress) {
    uint64_t now = timer_wall_ns();
    bool due = progress->terminal ||
               (progress->patience_ns && now - progress->printed_ns > progress->patience_ns);
    if (due)
        progress->printed_ns = now;
    return due;
}

/* A single step needs no number. */
static void begin_line(const struct progress *progress, const char *what) {
    fprintf(stderr, "%s", progress->terminal ? "\r\033[K" : "treebench: ");
    if (progress->total > 1)
        fprintf(stderr, "[%zu/%zu] ", progress->done + 1, progress->total);
    fprintf(stderr, "%s", what);
}

static void end_line(const struct progress *progress) {
    if (!progress->terminal)
        fputc('\n', stderr);
    fflush(stderr);
}

void progress_note(struct progress *progress, const char *what) {
    if (!progress || !is_due(progress))
        return;
    begin_line(progress, what);
    end_line(progress);
}

void progress_step(struct progress *progress, const char *what) {
    if (!is_due(progress))
        return;
    begin_line(progress, what);
    size_t worked = progress->done - progress->first;
    if (worked > 0) {
        double elapsed = (double)(timer_wall_ns() - progress->begin_ns) * 1e-9;
        double left = elapsed / (double)worked * (double)(progress->total - progress->done);
        fprintf(stderr, ", about %.0f s left", left);
    }
    end_line(progress);
}

void progress_clear(const struct progress *progress) {
    if (progress->terminal)
        fprintf(stderr, "\r\033[K");
}

void progress_done(struct progress *progress) {
    progress->done++;
    progress_clear(progress);
}
