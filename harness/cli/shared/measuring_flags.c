#include "harness/cli/shared/measuring_flags.h"

#include "base/cpu.h"

#include <inttypes.h>

const char *const clock_words[] = {"cpu", "wall", NULL};

/* Rejects more threads than cores. Two threads on one core would wait for each other. */
static enum status check_cores(int64_t threads, struct error *error) {
    struct cpu_info cpu;
    cpu_read_info(&cpu);
    if (threads <= (int64_t)cpu.cores)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "--threads %" PRId64
                     ": each thread needs a core of its own, and %u %s available",
                     threads, cpu.cores, cpu.cores == 1 ? "is" : "are");
}

enum status threads_plan(const struct threads_options *options, struct plan *plan,
                         struct error *error) {
    if (options->parallel && !options->threads)
        return error_set(error, STATUS_INPUT, "--parallel has no effect without --threads N");
    plan->threads = options->threads ? (unsigned)options->threads : 1;
    plan->parallel =
        options->parallel ? (enum parallel)(options->parallel - 1) : PARALLEL_DOCUMENTS;
    return plan->threads > 1 ? check_cores(options->threads, error) : STATUS_OK;
}

enum status again_choose(const struct again_options *options, enum again *again,
                         struct error *error) {
    if (options->resume && options->again)
        return error_set(error, STATUS_INPUT, "--resume and --again cannot be used together");
    *again = options->resume ? AGAIN_RESUME : options->again ? AGAIN_EITHER : AGAIN_REFUSE;
    return STATUS_OK;
}
