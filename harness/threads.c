#include "harness/threads.h"

#include "base/cpu.h"
#include "harness/command.h"
#include "impls/runner.h"

#include <string.h>

static const char *const names[] = {"documents", "trees", "both"};

const char *threads_parallel_name(enum parallel parallel) {
    return names[parallel];
}

enum status threads_parse_parallel(const char *text, enum parallel *parallel, struct error *error) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            *parallel = (enum parallel)i;
            return STATUS_OK;
        }
    return error_set(error, STATUS_INPUT, "--parallel: '%s' is none of documents, trees and both",
                     text);
}

/* Two threads on one core would wait for each other in every measurement. */
static enum status check_cores(long long threads, struct error *error) {
    struct cpu_info cpu;
    cpu_read_info(&cpu);
    if (threads <= (long long)cpu.cores)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "--threads: %lld threads, each on a core of its own, and there are %u cores",
                     threads, cpu.cores);
}

enum status threads_parse(const char *threads, const char *parallel, struct plan *plan,
                          struct error *error) {
    long long number = 1;
    enum status status = STATUS_OK;
    if (threads)
        status = command_integer("threads", threads, 1, RUNNER_MAX_THREADS, &number, error);
    if (parallel && !threads)
        status = error_set(error, STATUS_INPUT, "--parallel means nothing without --threads N");
    if (!status && number > 1)
        status = check_cores(number, error);
    plan->threads = (unsigned)number;
    plan->parallel = PARALLEL_DOCUMENTS;
    if (!status && parallel)
        status = threads_parse_parallel(parallel, &plan->parallel, error);
    return status;
}
