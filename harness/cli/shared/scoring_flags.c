#include "harness/cli/shared/scoring_flags.h"

#include "base/cpu.h"
#include "devices/device.h"
#include "impls/gpu/gpu_scorer.h"

#include <inttypes.h>
#include <stdlib.h>

enum status order_choose(const struct order_options *options, struct order_choice *choice,
                         struct error *error) {
    enum status status = STATUS_OK;
    *choice = (struct order_choice){.is_given = false};
    if (options->order)
        status = order_choice_parse(options->order, "--order ", choice, error);
    choice->d = (size_t)options->d;
    choice->s = (size_t)options->s;
    return status ? status : order_choice_check(choice, "--d N", "--s N", error);
}

enum status device_choose(const char *name, struct error *error) {
    struct error reason;
    if (!name)
        return STATUS_OK;
    if (device_check_name(name, &reason) != STATUS_OK)
        return error_set(error, STATUS_INPUT, "--device: %s", reason.text);
    if (setenv(GPU_DEVICE_VARIABLE, name, 1) != 0)
        return error_memory(error, "the name of the device");
    return STATUS_OK;
}

bool device_is_named(void) {
    const char *name = getenv(GPU_DEVICE_VARIABLE);
    return name && *name;
}

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
    plan->threads = options->threads ? (unsigned)options->threads : 1;
    plan->parallel =
        options->parallel ? (enum parallel)(options->parallel - 1) : PARALLEL_DOCUMENTS;
    return plan->threads > 1 ? check_cores(options->threads, error) : STATUS_OK;
}

enum again again_of(const struct again_options *options) {
    return options->resume ? AGAIN_RESUME : options->again ? AGAIN_EITHER : AGAIN_REFUSE;
}

int tally_conclude(const struct cells_tally *tally) {
    if (tally->wrong + tally->unsupported > 0)
        command_note("of %zu rows, %zu are wrong or failed and %zu are unsupported; see rows.csv "
                     "for the reasons",
                     tally->rows, tally->wrong, tally->unsupported);
    return tally->wrong ? EXIT_CHECK : tally->unsupported ? EXIT_MACHINE : EXIT_DONE;
}
