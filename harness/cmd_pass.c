/* treebench pass: one pass over documents, marked for callgrind. counters_callgrind.c runs it. */
#include "base/memory.h"
#include "harness/command.h"
#include "harness/inputs.h"
#include "impls/runner.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

static void score(struct runner *runner, const struct matrix *documents, struct span docs,
                  double *scores) {
    runner_run(runner, documents->values + docs.begin * documents->stride, documents->stride,
               docs.end - docs.begin, scores);
}

/* One way of the simulated last level: addresses that differ by a multiple share a set everywhere.
 */
enum { STACK_STEP = 1 << 20 };

/* The counted documents are the last ones, the others warm up; where there are no others they warm
 * up themselves. */
__attribute__((noinline)) static void pass(struct runner *runner, const struct matrix *documents,
                                           size_t counted, double *scores) {
    struct span docs = {documents->n_rows - counted, documents->n_rows};
    struct span others = docs.begin > 0 ? (struct span){0, docs.begin} : docs;
    CALLGRIND_START_INSTRUMENTATION;
    score(runner, documents, others, scores);
    CALLGRIND_TOGGLE_COLLECT;
    score(runner, documents, docs, scores);
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_STOP_INSTRUMENTATION;
}

/* The stack begins below the environment, so that the size of that would decide which lines
 * displace each other. Here it goes on at the next multiple of a step. */
static void pass_aligned(struct runner *runner, const struct matrix *documents, size_t counted,
                         double *scores) {
    char here;
    volatile char skipped[(uintptr_t)&here % STACK_STEP + 1];
    skipped[0] = 0;
    pass(runner, documents, counted, scores);
    (void)skipped[0]; /* still there: no tail call */
}

static enum status pass_with(const struct scorer *scorer, const struct matrix *documents,
                             const struct plan *plan, size_t counted, struct error *error) {
    struct runner *runner = NULL;
    double *scores = memory_aligned_calloc(documents->n_rows * scorer->n_outputs, sizeof *scores);
    enum status status = scores ? runner_create(scorer, plan, documents->n_rows, &runner, error)
                                : error_memory(error, "scores");
    if (status == STATUS_OK) {
        pass_aligned(runner, documents, counted, scores);
        printf("%zu documents, %u lanes, %zu bytes\n", counted, scorer->lanes, scorer->bytes);
    }
    runner_destroy(runner);
    free(scores);
    return status;
}

static int run(int argc, char **argv) {
    struct input_files files = {0};
    const char *spec = "vpred", *documents = NULL, *block = NULL;
    struct flag flags[] = {
        {"model", "FILE", "the ensemble", &files.model, NULL},
        {"data", "FILE", "the documents", &files.data, NULL},
        {"impl", "SPEC", "name[,parameter=value] (default: vpred)", &spec, NULL},
        {"documents", "N", "the pass is over the last N (default: all)", &documents, NULL},
        {"block", "N", "score N documents before going on (default: all)", &block, NULL},
        {0}};
    bool done;
    int exit_status = command_parse(&command_pass, flags, argc, argv, NULL, &done);
    if (exit_status != EXIT_DONE || done)
        return exit_status;
    if ((exit_status = command_require(&command_pass, flags, "model")) != EXIT_DONE ||
        (exit_status = command_require(&command_pass, flags, "data")) != EXIT_DONE)
        return exit_status;
    struct error error;
    struct inputs inputs = {0};
    struct scorer *scorer = NULL;
    long long n_block = 0, counted = 0;
    enum status status = STATUS_OK;
    if (block)
        status = command_integer("block", block, 1, 1LL << 40, &n_block, &error);
    if (status == STATUS_OK)
        status = inputs_read(&files, &inputs, &error);
    if (status == STATUS_OK) {
        counted = (long long)inputs.documents->n_rows;
        if (documents)
            status = command_integer("documents", documents, 1, counted, &counted, &error);
    }
    if (status == STATUS_OK)
        status = scorer_build(spec, inputs.ensemble, &scorer, &error);
    if (status == STATUS_OK)
        status = pass_with(scorer, inputs.documents,
                           &(struct plan){.order = ORDER_DS, .doc_block = (size_t)n_block},
                           (size_t)counted, &error);
    scorer_destroy(scorer);
    inputs_free(&inputs);
    return status == STATUS_OK ? EXIT_DONE : command_fail(status, &error);
}

const struct command command_pass = {
    .name = "pass",
    .summary = "score documents once, for valgrind to watch",
    .details =
        "A pass over all documents but the last N warms up, then comes the one over the last N,\n"
        "between callgrind's client requests: it can be looked at function by function and line\n"
        "by line. compare and run --counters callgrind run it so, and count it.\n"
        "\n"
        "Examples:\n"
        "  treebench pass --model m.json --data d.txt --impl vpred,v=8 --documents 1024\n"
        "  valgrind --tool=callgrind --cache-sim=yes --branch-sim=yes --instr-atstart=no \\\n"
        "      --collect-atstart=no treebench pass --model m.json --data d.txt --impl vpred,v=8\n"
        "  callgrind_annotate callgrind.out.*",
    .run = run,
};
