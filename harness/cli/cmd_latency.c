/* treebench latency: times single calls, one by one. */
#include "base/files/file.h"
#include "base/number.h"
#include "harness/cli/output/latencies.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/measured.h"
#include "harness/cli/shared/peers.h"
#include "harness/cli/shared/scoring_flags.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_MOST = 16, DOCUMENTS_MOST = 1 << 20 };

struct latency_options {
    struct input_files files;
    struct flag_texts impls, peers;
    const char *block;  /* NULL: not given */
    const char *device; /* NULL: not given */
    int state;          /* 0: not given; otherwise the index of the choice plus 1 */
    int64_t calls;      /* 0: not given */
    int64_t rounds, placements, seed;
    double seconds, rate, bound; /* 0: not given */
    const char *out;             /* NULL: not given */
    bool json, csv;
};

struct latency_state {
    const struct latency_options *options;
    struct measured_output output;
    struct inputs in;
    struct specs specs;
    struct call_size sizes[SIZES_MOST];
    size_t n_sizes;
    const char **variants;
    struct file_writer log; /* of --out */
    bool is_logging;
    struct latencies latencies;
};

/* --- documents per call ----------------------------------------------------------------------- */

/* Reads a number from 1 on. Returns its end; NULL: there is none. */
static const char *read_documents(const char *at, uint32_t *documents) {
    int64_t number;
    const char *end = number_parse_i64(at, at + strcspn(at, ",-"), &number);
    if (!end || number < 1 || number > DOCUMENTS_MOST)
        return NULL;
    *documents = (uint32_t)number;
    return end;
}

/* Reads "8" or "35-100". Returns its end; NULL: there is none. */
static const char *read_size(const char *at, struct call_size *size) {
    const char *end = read_documents(at, &size->least);
    size->most = size->least;
    if (end && *end == '-')
        end = read_documents(end + 1, &size->most);
    return end && (!*end || *end == ',') && size->least <= size->most ? end : NULL;
}

static bool has_size(const struct latency_state *state, struct call_size size) {
    for (size_t i = 0; i < state->n_sizes; i++)
        if (state->sizes[i].least == size.least && state->sizes[i].most == size.most)
            return true;
    return false;
}

/* Reads --block: "1,8,64" or "1,35-100". */
static void read_block(struct parsed *parsed, struct latency_state *state) {
    const char *typed = state->options->block ? state->options->block : "1";
    struct call_size size;
    for (const char *at = typed, *end; at && !parsed->ends; at = end && *end ? end + 1 : NULL) {
        end = read_size(at, &size);
        if (!end)
            command_refuse(parsed,
                           "--block: '%s' is neither numbers of documents, such as 1,8,64, nor a "
                           "range, such as 35-100",
                           typed);
        else if (has_size(state, size))
            command_refuse(parsed, "--block: '%s' has the same size twice", typed);
        else if (state->n_sizes == SIZES_MOST)
            command_refuse(parsed, "--block: '%s' has more than %d sizes", typed, SIZES_MOST);
        else
            state->sizes[state->n_sizes++] = size;
    }
}

static enum status check_block(const struct latency_state *state, struct error *error) {
    for (size_t i = 0; i < state->n_sizes; i++)
        if (state->sizes[i].most > state->in.documents->n_rows)
            return error_set(error, STATUS_INPUT, "--block %u: there are only %zu documents",
                             state->sizes[i].most, state->in.documents->n_rows);
    return STATUS_OK;
}

/* --- measuring -------------------------------------------------------------------------------- */

static struct timing_request request_of(const struct latency_state *state) {
    const struct latency_options *options = state->options;
    uint64_t seed = (uint64_t)options->seed;
    bool is_peak = options->bound > 0;
    enum call_state call_state = options->state ? (enum call_state)(options->state - 1) : CALL_WARM;
    return (struct timing_request){
        .variants = state->variants,
        .n_variants = state->specs.count,
        .sizes = state->sizes,
        .n_sizes = state->n_sizes,
        .mode = options->rate > 0 ? TIMING_SERVER
                : is_peak         ? TIMING_PEAK
                                  : TIMING_STREAM,
        .state = call_state,
        .rate = options->rate,
        .bound_ns = options->bound,
        .calls =
            options->calls ? (uint64_t)options->calls : call_state_facts[call_state].usual_calls,
        .seconds = options->seconds,
        .rounds = (uint32_t)(is_peak ? options->placements : options->rounds),
        .placements = (uint32_t)options->placements,
        .document_seed = seed,
        .size_seed = seed + 1,
        .arrival_seed = seed + 2,
        .progress = &measured_progress,
        .note = measured_note};
}

static enum status measure(struct latency_state *state, struct error *error) {
    struct timing_request request = request_of(state);
    struct latencies *l = &state->latencies;
    l->inputs = measured_inputs_of(&state->options->files, &state->in);
    timer_measure(&l->clocks);
    progress_begin(&measured_progress, 1);
    enum status status =
        timing_measure(state->in.ensemble, state->in.documents, &request, &l->timing, error);
    progress_done(&measured_progress);
    return status;
}

/* --- the command ------------------------------------------------------------------------------ */

/* A placement has whole rounds, and all placements but the last have as many. */
static void tell_placements(const struct parsed *parsed, const struct latency_options *options) {
    int64_t per = (options->rounds + options->placements - 1) / options->placements;
    int64_t made = (options->rounds + per - 1) / per;
    if (command_given(parsed, "placements") && !(options->bound > 0) && made != options->placements)
        command_note("--placements %" PRId64 ": --rounds %" PRId64 " gives only %" PRId64,
                     options->placements, options->rounds, made);
}

static enum status choose_variants(struct latency_state *state, struct error *error) {
    enum status status =
        peers_expand(&state->options->peers, &state->options->impls, &state->specs, error);
    if (!status)
        status = specs_check_values(&state->specs, error);
    if (status)
        return status;
    state->variants = calloc(state->specs.count, sizeof *state->variants);
    if (!state->variants)
        return error_memory(error, "implementations");
    for (size_t i = 0; i < state->specs.count; i++)
        state->variants[i] = state->specs.list[i].text;
    return STATUS_OK;
}

static enum status prepare(struct latency_state *state, struct error *error) {
    const struct latency_options *options = state->options;
    enum status status = device_choose(options->device, error);
    if (!status)
        status = choose_variants(state, error);
    if (!status)
        status = inputs_read(&options->files, &state->in, error);
    if (!status)
        status = check_block(state, error);
    if (!status)
        status = measured_describe_machine(&state->output, error);
    if (!status && options->out) {
        status = file_write_begin(&state->log, options->out, error);
        state->is_logging = !status;
    }
    return status;
}

static enum status write_log(struct latency_state *state, struct error *error) {
    if (!state->is_logging)
        return STATUS_OK;
    enum status status = latencies_write_log(&state->latencies, state->log.stream, error);
    if (status)
        return status;
    state->is_logging = false;
    return file_write_commit(&state->log, error);
}

static enum status print(const struct latency_state *state, struct error *error) {
    if (state->output.form != MEASURED_TABLE)
        return latencies_print_records(&state->latencies, &state->output, error);
    latencies_print_table(&state->latencies, stdout);
    return STATUS_OK;
}

static int conclude(const struct latency_state *state) {
    const struct timing *timing = &state->latencies.timing;
    int worst = EXIT_DONE;
    for (size_t i = 0; i < state->specs.count; i++) {
        const struct row *row = &timing->targets[i].row;
        int caused = row_exit_status(row, state->specs.list[i].is_named);
        if (caused != EXIT_DONE)
            row_tell(row);
        worst = worse_exit_status(worst, caused);
    }
    return timing->is_interrupted ? tell_interrupted(timing->rounds, timing->request.rounds)
                                  : worst;
}

static void state_free(struct latency_state *state) {
    if (state->is_logging)
        file_write_abandon(&state->log);
    timing_free(&state->latencies.timing);
    free(state->variants);
    cJSON_Delete(state->output.machine);
    specs_free(&state->specs);
    inputs_free(&state->in);
}

static const struct flag flags[] = {
    MODEL_FLAG(latency_options, files, true),
    DATA_FLAG(latency_options, files, true),
    READING_FLAGS(latency_options, files),
    MISSING_FLAG(latency_options, files),
    TREES_FLAG(latency_options, files),
    {"impl", "SPEC", SPECS_HELP " (default: all)", SETS_TEXTS(latency_options, impls)},
    PEER_FLAG(latency_options, peers),
    {"block", "N,N", "documents per call, such as 1,8,64, or drawn, such as 35-100 (default: 1)",
     SETS_TEXT(latency_options, block)},
    {"rate", "N", "a server: calls per second that arrive at random",
     SETS_REAL(latency_options, rate, 1, 1000000000), .excludes = "bound",
     .useless = (const char *const[]){"state", NULL}},
    {"bound", "TIME", "a server: find the largest rate whose p99 is at most TIME, such as 100us",
     SETS_TIME(latency_options, bound, 1, 1000000000),
     .useless = (const char *const[]){"state", "rounds", "seconds", NULL}},
    {"state", NULL, "what precedes each call of a stream: see below (default: warm)",
     SETS_CHOICE(latency_options, state, call_state_words)},
    {"calls", "N",
     "least number of calls of each (default: 67200; idle, l3: 6720; cold, first: 672)",
     SETS_INTEGER(latency_options, calls, 1, 1LL << 40)},
    {"seconds", "N", "least duration of each stream (default: 0); a claim needs 600",
     SETS_REAL(latency_options, seconds, 0, 1000000)},
    {"rounds", "N", "share the calls out over N rounds (default: 24)",
     SETS_INTEGER(latency_options, rounds, 1, 100000)},
    {"placements", "N", "spread the rounds over N placements (default: 8)",
     SETS_INTEGER(latency_options, placements, 1, 100000)},
    {"seed", "N", "for the order of documents, N + 1 for sizes, N + 2 for arrivals (default: 1)",
     SETS_INTEGER(latency_options, seed, 0, 1LL << 48)},
    DEVICE_FLAG(latency_options, device),
    {"out", "FILE", "also write the histograms as a log of HdrHistogram",
     SETS_TEXT(latency_options, out), .file = FLAG_WRITES},
    {"json", NULL, "print JSON with the machine and all values", SETS_SWITCH(latency_options, json),
     .excludes = "csv"},
    {"csv", NULL, "print CSV with the same values", SETS_SWITCH(latency_options, csv)},
    {0}};

static enum status run(struct parsed *parsed, struct error *error) {
    const struct latency_options *options = parsed->request;
    struct latency_state state = {
        .options = options,
        .output = {.form = measured_form_of(options->json, options->csv, false), .stream = stdout}};
    read_block(parsed, &state);
    if (parsed->ends)
        return STATUS_OK;
    tell_placements(parsed, options);
    enum status status = prepare(&state, error);
    if (!status)
        status = measure(&state, error);
    peers_end_output();
    if (!status)
        status = write_log(&state, error);
    if (!status)
        status = print(&state, error);
    if (!status)
        parsed->exit_status = conclude(&state);
    state_free(&state);
    return status;
}

const struct command command_latency = {
    .name = "latency",
    .summary = "time single calls: percentiles with a proof, servers, peak rates",
    .details =
        "Times each call of libtreebench on its own, by the wall clock. First checks the scores of "
        "each implementation, and then a sample of the timed replies. All implementations get the "
        "same calls in rotated, interleaved rounds.\n"
        "\n"
        "By default, calls form a single stream: each begins when the one before has ended. "
        "'different' calls score another document each time, and 'same' calls always the first "
        "one, so the difference is what caches and branch predictors learn. The empty call is a "
        "call that scores nothing.\n"
        "\n"
        "With --state idle, 1 ms of sleep precedes each call. With l2, l3 and cold, caches are "
        "filled with other data, so that the model is in L2, L3 or memory. With first, the scorer "
        "is built again, so that each call is the first one after loading.\n"
        "\n"
        "With --rate, calls arrive at random times that are drawn beforehand, and a latency "
        "counts from the scheduled time. With --bound, the rate is doubled and bisected once in "
        "each placement, by trials of 50 times the bound.\n"
        "\n"
        "A percentile is printed only if it is proven by the rule of MLPerf's early stopping, "
        "with a confidence of 0.99. p90 needs 64 calls, p99 662, p99.9 6,636 and p99.99 66,381. "
        "Ratios compare the percentiles of rounds with those of the first implementation. "
        "Verdicts are as those of compare, which measures the throughput of large calls.\n"
        "\n"
        "Ctrl-C ends the sampling, and the results so far are printed. docs/latency.md explains "
        "all numbers.\n"
        "\n" PEER_HELP "\n\n" DEVICE_HELP "\n"
        "\n"
        "Exit status 1: one gave wrong scores. 2: one failed, for example because memory ran out. "
        "4: one that was named cannot run here. 130: interrupted by Ctrl-C.\n"
        "\n"
        "Example:\n"
        "  treebench latency --model m.json --data d.txt --impl struct-plus --impl auto",
    .flags = flags,
    .request = &(struct latency_options){.rounds = 24, .placements = 8, .seed = 1},
    .run = run,
};
