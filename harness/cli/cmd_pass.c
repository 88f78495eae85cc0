/* treebench pass: scores documents once, with the pass marked for what counts. Run by
 * harness/counting. */
#include "base/memory.h"
#include "harness/caches/predict.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/inputs.h"
#include "harness/counting/step.h"
#include "impls/runner.h"
#include "impls/variant.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

struct pass_options {
    struct input_files files;
    const char *spec;
    int64_t documents, block; /* 0: all */
    bool team, step;
};

static void score(struct runner *runner, const struct matrix *documents, struct span docs,
                  double *scores) {
    runner_run(runner, documents->values + docs.begin * documents->stride, documents->stride,
               docs.end - docs.begin, scores);
}

/* The size of one way of the simulated last-level cache. Two addresses that differ by a multiple of
 * this size share a set in every simulated cache. */
enum { STACK_STEP = 1 << 20 };

/* A pass over the last `counted` documents. The documents before them serve as the warm-up. If
 * there are none before them, the counted documents are also the warm-up. */
struct counted_work {
    struct runner *runner;
    const struct matrix *documents;
    size_t counted;
    double *scores;
};

static struct span counted_span(const struct counted_work *work) {
    return (struct span){work->documents->n_rows - work->counted, work->documents->n_rows};
}

static struct span warming_span(const struct counted_work *work) {
    struct span docs = counted_span(work);
    return docs.begin > 0 ? (struct span){0, docs.begin} : docs;
}

static void score_counted(void *argument) {
    const struct counted_work *work = argument;
    score(work->runner, work->documents, counted_span(work), work->scores);
}

/* For callgrind, which watches the warm-up too, because it simulates caches. */
__attribute__((noinline)) static void pass_simulated(const struct counted_work *work) {
    struct span docs = counted_span(work), others = warming_span(work);
    CALLGRIND_START_INSTRUMENTATION;
    score(work->runner, work->documents, others, work->scores);
    CALLGRIND_TOGGLE_COLLECT;
    score(work->runner, work->documents, docs, work->scores);
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_STOP_INSTRUMENTATION;
}

/* Moves the stack down to a multiple of STACK_STEP before the pass. Otherwise the stack's address
 * would depend on the size of the environment, and so would the cache lines that displace each
 * other. */
static void pass_aligned(const struct counted_work *work) {
    char here;
    volatile char skipped[(uintptr_t)&here % STACK_STEP + 1];
    skipped[0] = 0;
    pass_simulated(work);
    (void)skipped[0]; /* this read prevents the call above from being a tail call */
}

static void pass_stepped(struct counted_work *work) {
    score(work->runner, work->documents, warming_span(work), work->scores);
    step_region(score_counted, work);
}

static enum status pass_with(const struct scorer *scorer, const struct matrix *documents,
                             const struct plan *plan, const struct pass_options *options,
                             struct error *error) {
    size_t counted = options->documents ? (size_t)options->documents : documents->n_rows;
    struct runner *runner = NULL;
    double *scores = memory_aligned_calloc(documents->n_rows * scorer->n_outputs, sizeof *scores);
    enum status status = scores ? runner_create(scorer, plan, documents->n_rows, &runner, error)
                                : error_memory(error, "scores");
    if (!status)
        status =
            runner_prepare(runner, documents->values, documents->stride, documents->n_rows, error);
    if (!status) {
        struct counted_work work = {runner, documents, counted, scores};
        if (options->step)
            pass_stepped(&work);
        else
            pass_aligned(&work);
        printf("%zu documents, %u lanes, %zu bytes\n", counted, scorer->lanes, scorer->bytes);
    }
    runner_destroy(runner);
    free(scores);
    return status;
}

/* Builds the scorer, and plans its order: each call scores --block documents. */
static enum status build(const struct pass_options *options, const struct inputs *inputs,
                         struct scorer **scorer, struct plan *plan, struct error *error) {
    struct variant variant;
    enum status status = variant_parse(options->spec, &variant, error);
    if (!status)
        status = scorer_build(variant.spec, inputs->ensemble, scorer, error);
    *plan = (struct plan){.order = ORDER_DS, .team = options->team};
    if (status || !variant.order.is_given) {
        plan->doc_block = (size_t)options->block;
        return status;
    }
    plan->call = (size_t)options->block;
    return order_choice_plan(&variant.order, *scorer, inputs->documents, plan, error);
}

static enum status pass_over(const struct pass_options *options, struct inputs *inputs,
                             struct scorer **scorer, struct error *error) {
    enum status status = inputs_read(&options->files, inputs, error);
    if (status)
        return status;
    int64_t n_rows = (int64_t)inputs->documents->n_rows;
    if (options->documents > n_rows)
        return error_set(error, STATUS_INPUT,
                         "--documents %" PRId64 ": %s has only %" PRId64 " documents",
                         options->documents, options->files.data, n_rows);
    struct plan plan;
    status = build(options, inputs, scorer, &plan, error);
    return status ? status : pass_with(*scorer, inputs->documents, &plan, options, error);
}

static const struct flag flags[] = {
    MODEL_FLAG(pass_options, files, true),
    DATA_FLAG(pass_options, files, true),
    {"impl", "SPEC", "name[,parameter=value] (default: vpred)", SETS_TEXT(pass_options, spec)},
    {"documents", "N", "count a pass over the last N documents (default: all)",
     SETS_INTEGER(pass_options, documents, 1, 1LL << 40)},
    {"block", "N", "score N documents per call (default: all)",
     SETS_INTEGER(pass_options, block, 1, 1LL << 40)},
    {"team", NULL, "run the code of several threads over documents, in one thread",
     SETS_SWITCH(pass_options, team)},
    {"step", NULL, "mark the pass for single steps, not for callgrind",
     SETS_SWITCH(pass_options, step)},
    {0}};

static enum status run(struct parsed *parsed, struct error *error) {
    struct pass_options *options = parsed->request;
    if (!options->spec)
        options->spec = impl_with_role(IMPL_USUAL)->name;
    struct inputs inputs = {0};
    struct scorer *scorer = NULL;
    enum status status = pass_over(options, &inputs, &scorer, error);
    scorer_destroy(scorer);
    inputs_free(&inputs);
    return status;
}

const struct command command_pass = {
    .name = "pass",
    .summary = "score documents once, for callgrind or single steps to count",
    .details =
        "A pass over all but the last N documents warms up the caches. The pass over the last N is "
        "counted, between callgrind's client requests. callgrind_annotate then shows the counts of "
        "each function and line. compare and run --counters callgrind or step run this command.\n"
        "\n"
        "Examples:\n"
        "  treebench pass --model m.json --data d.txt --impl vpred --documents 1024\n"
        "  treebench pass --model m.json --data d.txt --impl qs --block 100 --team\n"
        "  valgrind --tool=callgrind --cache-sim=yes --branch-sim=yes \\\n"
        "      --instr-atstart=no --collect-atstart=no \\\n"
        "      treebench pass --model m.json --data d.txt --impl vpred,v=8\n"
        "  callgrind_annotate callgrind.out.*",
    .flags = flags,
    .request = &(struct pass_options){.spec = NULL},
    .run = run,
};
