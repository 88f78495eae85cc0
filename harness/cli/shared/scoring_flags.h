/* The options that several commands which score or measure share. */
#ifndef HARNESS_CLI_SHARED_SCORING_FLAGS_H
#define HARNESS_CLI_SHARED_SCORING_FLAGS_H

#include "harness/cli/shared/command.h"
#include "harness/instruments/counters.h"
#include "harness/measure/cells.h"
#include "harness/rows/store.h"
#include "impls/order.h"
#include "impls/runner.h"
#include "impls/variant.h"

/* The options --order, --d and --s of commands that score. */

struct order_options {
    const char *order; /* NULL: not given */
    int64_t d, s;      /* 0: not given */
};

#define ORDER_FLAG(request, member)                                                                \
    {                                                                                              \
        "order", "NAME", "loop order: DS, SD, DSD, SDS, DSDS, SDSD, or a case: DSD2",              \
            SETS_TEXT(request, member.order)                                                       \
    }
#define ORDER_D_FLAG(request, member)                                                              \
    {                                                                                              \
        "d", "N", "documents per block (default: chosen)",                                         \
            SETS_INTEGER(request, member.d, 1, 1LL << 40)                                          \
    }
#define ORDER_S_FLAG(request, member)                                                              \
    {                                                                                              \
        "s", "N", "units (trees) per block (default: chosen)",                                     \
            SETS_INTEGER(request, member.s, 1, 1LL << 40)                                          \
    }

/* A paragraph for --help. */
#define ORDER_HELP                                                                                 \
    "--order nests the loops over documents and trees as jin2016 does, within each call. --d and " \
    "--s are the sizes of its blocks; by default, they are chosen by the sizes of the caches. A "  \
    "variant may have an order of its own, such as "                                               \
    "struct-plus,order=DSD,d=373. See docs/blocking.md."

/* Reads the options. STATUS_INPUT if the order has no use for a size that was given. */
enum status order_choose(const struct order_options *options, struct order_choice *choice,
                         struct error *error);

/* The option --device of commands that score. */

#define DEVICE_FLAG(request, member)                                                               \
    {                                                                                              \
        "device", "NAME", "the GPU: cuda, opencl, or one with a number, such as cuda:1",           \
            SETS_TEXT(request, member)                                                             \
    }

/* A paragraph for --help. */
#define DEVICE_HELP                                                                                \
    "Implementations for GPUs run only if --device or the environment variable TREEBENCH_DEVICE "  \
    "names a device. See docs/gpu.md."

/* Names the device for all implementations; NULL changes nothing. STATUS_INPUT if this is no name
 * of a device. Whether the device is here shows when it is opened. */
enum status device_choose(const char *name, struct error *error);

/* Is a device named, by the option or by the environment? */
bool device_is_named(void);

/* Options shared by the commands that measure. */

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
            SETS_CHOICE(request, member.parallel, parallel_names), .needs = "threads"              \
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
            SETS_SWITCH(request, member.resume), .excludes = "again"                               \
    }
#define AGAIN_FLAG(request, member)                                                                \
    {                                                                                              \
        "again", NULL, "continue an unfinished run, or rename it and start anew",                  \
            SETS_SWITCH(request, member.again)                                                     \
    }

enum again again_of(const struct again_options *options);

/* The conclusion of a command that measured cells. */

/* Prints the number of rows that are not ok, if there are any. Returns the exit status. */
int tally_conclude(const struct cells_tally *tally);

#endif
