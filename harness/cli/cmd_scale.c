/* treebench scale: what more cores give. */
#include "base/cpu.h"
#include "harness/cli/output/scales.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/measured.h"
#include "harness/cli/shared/specs.h"
#include "library/pool.h"

#include <stdio.h>

/* A sample of throughput is long compared with the start of threads. */
#define SAMPLE_NS 2e7

struct scale_options {
    struct input_files files;
    const char *spec;
    int64_t threads; /* 0: not given */
    int64_t block, calls, rounds, placements, seed;
    bool json, csv;
};

struct scale_state {
    const struct scale_options *options;
    struct measured_output output;
    struct inputs in;
    struct scales scales;
};

/* The number of processors that this process may use. */
static unsigned count_processors(void) {
    struct cpu_info info;
    cpu_read_info(&info);
    return info.cores ? info.cores : 1;
}

static struct scaling_request request_of(const struct scale_state *state) {
    const struct scale_options *options = state->options;
    size_t n_rows = state->in.documents->n_rows;
    struct scaling_request request = {
        .variant = options->spec,
        .block = (uint32_t)((size_t)options->block < n_rows ? (size_t)options->block : n_rows),
        .calls = (uint64_t)options->calls,
        .sample_ns = SAMPLE_NS,
        .rounds = (uint32_t)options->rounds,
        .placements = (uint32_t)options->placements,
        .seed = (uint64_t)options->seed,
        .progress = &measured_progress,
        .note = measured_note};
    request.n_counts = scaling_count(
        options->threads ? (unsigned)options->threads : count_processors(), request.threads);
    return request;
}

static enum status measure(struct scale_state *state, struct error *error) {
    struct scales *scales = &state->scales;
    struct scaling_request request = request_of(state);
    scales->inputs = measured_inputs_of(&state->options->files, &state->in);
    progress_begin(&measured_progress, 1);
    enum status status =
        scaling_measure(state->in.ensemble, state->in.documents, &request, &scales->scaling, error);
    progress_done(&measured_progress);
    return status;
}

static enum status prepare(struct scale_state *state, struct error *error) {
    const struct scale_options *options = state->options;
    struct options unused;
    if (!impl_parse(options->spec, &unused, error))
        return STATUS_INPUT;
    enum status status = inputs_read(&options->files, &state->in, error);
    return status ? status : measured_describe_machine(&state->output, error);
}

static enum status print(const struct scale_state *state, struct error *error) {
    if (state->output.form != MEASURED_TABLE)
        return scales_print_records(&state->scales, &state->output, error);
    if (target_is_ok(&state->scales.scaling.target))
        scales_print_table(&state->scales, stdout);
    return STATUS_OK;
}

static int conclude(const struct scaling *scaling) {
    const struct row *row = &scaling->target.row;
    if (row->status != ROW_OK) {
        row_tell(row);
        return row_exit_status(row, true);
    }
    return scaling->is_interrupted ? tell_interrupted(scaling->rounds, scaling->request.rounds)
                                   : EXIT_DONE;
}

static const struct flag flags[] = {
    MODEL_FLAG(scale_options, files, true),
    DATA_FLAG(scale_options, files, true),
    READING_FLAGS(scale_options, files),
    MISSING_FLAG(scale_options, files),
    TREES_FLAG(scale_options, files),
    {"impl", "SPEC", "the implementation, such as rank-bytes or vpred,v=8 (default: auto)",
     SETS_TEXT(scale_options, spec)},
    {"threads", "N", "the most threads (default: the processors that may be used)",
     SETS_INTEGER(scale_options, threads, 1, POOL_MAX_THREADS)},
    {"block", "N", "documents per call of blocks (default: 256)",
     SETS_INTEGER(scale_options, block, 1, SCALING_BLOCK_MAX)},
    {"calls", "N", "latencies of each number of threads (default: 24000)",
     SETS_INTEGER(scale_options, calls, 1, 1LL << 40)},
    {"rounds", "N", "share the samples out over N rounds (default: 24)",
     SETS_INTEGER(scale_options, rounds, 1, 100000)},
    {"placements", "N", "spread the rounds over N placements (default: 8)",
     SETS_INTEGER(scale_options, placements, 1, 100000)},
    {"seed", "N", "for the order of documents (default: 1)",
     SETS_INTEGER(scale_options, seed, 0, 1LL << 48)},
    {"json", NULL, "print JSON with the machine and all values", SETS_SWITCH(scale_options, json),
     .excludes = "csv"},
    {"csv", NULL, "print CSV with the same values", SETS_SWITCH(scale_options, csv)},
    {0}};

static enum status run(struct parsed *parsed, struct error *error) {
    const struct scale_options *options = parsed->request;
    struct scale_state state = {
        .options = options,
        .output = {.form = measured_form_of(options->json, options->csv, false), .stream = stdout}};
    enum status status = prepare(&state, error);
    if (!status)
        status = measure(&state, error);
    if (!status)
        status = print(&state, error);
    if (!status)
        parsed->exit_status = conclude(&state.scales.scaling);
    scaling_free(&state.scales.scaling);
    cJSON_Delete(state.output.machine);
    inputs_free(&state.in);
    return status;
}

const struct command command_scale = {
    .name = "scale",
    .summary = "measure what more cores give: throughput, and latency of one document",
    .details =
        "Measures an implementation with 1, 2, 3, 4, 8, ... threads, each pinned to a core of its "
        "own. First checks its scores, and then a sample of the replies. All numbers of threads "
        "take turns in rotated, interleaved rounds.\n"
        "\n"
        "'blocks' and 'calls' are throughputs: all threads share one model, and each scores "
        "documents of its own, in calls of --block documents or of one. 'p50' and 'p99' are "
        "percentiles of the latency of one call of one document, whose trees are shared out over "
        "the threads of a pool of libtreebench. auto shares a call out only if it predicts that "
        "this pays; 'used' is the number of threads.\n"
        "\n"
        "Ratios are to 1 thread. Verdicts are as those of compare. docs/latency.md explains all "
        "numbers. Ctrl-C ends the sampling, and the results so far are printed.\n"
        "\n"
        "Exit status 1: wrong scores. 2: it failed, for example because memory ran out. 4: it "
        "cannot run here, or there are fewer processors than --threads. 130: interrupted by "
        "Ctrl-C.\n"
        "\n"
        "Example:\n"
        "  treebench scale --model m.json --data d.txt",
    .flags = flags,
    .request =
        &(struct scale_options){
            .spec = "auto", .block = 256, .calls = 24000, .rounds = 24, .placements = 8, .seed = 1},
    .run = run,
};
