/* A finding of `treebench doctor`: one thing that measuring needs or that disturbs it. */
#ifndef HARNESS_DOCTOR_FINDING_H
#define HARNESS_DOCTOR_FINDING_H

#include "base/files/record.h"

#include <stddef.h>

enum finding_level {
    FINDING_OK,
    FINDING_UNKNOWN, /* the system does not tell; the text says why */
    FINDING_WARNING, /* it disturbs times, or something optional is missing */
    FINDING_MISSING  /* an implementation or measuring needs it */
};
extern const char *const finding_level_names[4]; /* "ok", "unknown", "warning", "missing" */

enum { FINDING_NAME_SIZE = 24, FINDING_TEXT_SIZE = 512, FINDINGS_MOST = 64 };

struct finding {
    char name[FINDING_NAME_SIZE]; /* what was looked at: "governor" */
    enum finding_level level;
    char text[FINDING_TEXT_SIZE];   /* what was found: "powersave" */
    char effect[FINDING_TEXT_SIZE]; /* what that does to results; "" if it does nothing */
    /* the command that fixes it, or what else to do; "" if there is nothing to do */
    char fix[FINDING_TEXT_SIZE];
};

struct findings {
    struct finding items[FINDINGS_MOST];
    size_t count;
};

/* Adds a finding. `effect` and `fix` may be NULL. With FINDING_OK, `fix` is dropped. If there are
 * FINDINGS_MOST already, replaces the last one. */
void findings_add(struct findings *findings, const char *name, enum finding_level level,
                  const char *effect, const char *fix, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* For reasons such as "perf_event_open: refused. Run `sysctl ...`": the first sentence becomes the
 * text and the rest the fix. */
void findings_add_reason(struct findings *findings, const char *name, enum finding_level level,
                         const char *effect, const char *reason);

enum finding_level
findings_worst(const struct findings *findings); /* FINDING_OK if there is none */

/* The fields name, level, text, effect and fix, in this order. Empty texts are null. */
extern const struct record finding_record;

#endif
