/* Options shared by the commands that measure. */
#ifndef HARNESS_CLI_SHARED_MEASURING_FLAGS_H
#define HARNESS_CLI_SHARED_MEASURING_FLAGS_H

#include "harness/cli/shared/command.h"
#include "harness/instruments/counters.h"
#include "harness/rows/again.h"
#include "impls/order.h"
#include "impls/runner.h"

/* --- --threads and --parallel ----------------------------------------------------------------- */

struct threads_options {
    int64_t threads; /* 0: not given */
    int parallel;    /* 0: not given; otherwise the index in parallel_names plus 1 */
};

#define THREADS_FLAG(request, member)                                                              \
    {                                                                                              \
        "threads", "N", "threads, each on a core of its own (default: 1)",                         \
            SETS_INTEGER(request, member.threads, 1, RUNNER_MAX_THREADS)                           \
    }
#define PARALLEL_FLAG(request, member)                                                             \
    {                                                                                              \
        "parallel", NULL, "what the threads share out (default: documents)",                       \
            SETS_CHOICE(request, member.parallel, parallel_names)                                  \
    }

/* Sets the number of threads (default: 1) and what the threads share (default: documents). */
enum status threads_plan(const struct threads_options *options, struct plan *plan,
                         struct error *error);

/* --- --clock and --counters ------------------------------------------------------------------- */

extern const char *const clock_words[]; /* cpu, wall */

#define CLOCK_FLAG(request, member, standard)                                                      \
    {                                                                                              \
        "clock", NULL, "the clock to report (default: " standard ")",                              \
            SETS_CHOICE(request, member, clock_words)                                              \
    }
#define COUNTERS_FLAG(request, member, standard)                                                   \
    {                                                                                              \
        "counters", "NAME",                                                                        \
            "what counts: auto, perf, papi, callgrind, step or none (default: " standard ")",      \
            SETS_CHOICE(request, member, counters_source_names)                                    \
    }

/* --- --resume and --again --------------------------------------------------------------------- */

struct again_options {
    bool resume, again;
};
#define RESUME_FLAG(request, member)                                                               \
    {                                                                                              \
        "resume", NULL, "continue an unfinished run in the same folder",                           \
            SETS_SWITCH(request, member.resume)                                                    \
    }
#define AGAIN_FLAG(request, member)                                                                \
    {                                                                                              \
        "again", NULL, "continue an unfinished run, or rename it and start anew",                  \
            SETS_SWITCH(request, member.again)                                                     \
    }

/* Sets *again according to the options. Fails if both are given. */
enum status again_choose(const struct again_options *options, enum again *again,
                         struct error *error);

#endif
