/* treebench compare: times implementations on the user's model and documents. */
#include "base/number.h"
#include "harness/cli/output/comparison.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/measured.h"
#include "harness/cli/shared/peers.h"
#include "harness/cli/shared/scoring_flags.h"
#include "harness/instruments/interrupt.h"
#include "harness/measure/measure.h"
#include "impls/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const orders[] = {"given", "time", NULL};
enum { ORDER_BY_TIME = 1 };
/* The most documents per call if --block is not given. */
enum { CALL_DOCUMENTS = 1000 };

struct compare_options {
    struct input_files files;
    struct flag_texts impls, peers;
    int64_t rounds, placements;
    const char *block;         /* NULL: not given */
    const char *device;        /* NULL: not given */
    int clock, counters, sort; /* 0: not given; otherwise the index of the choice plus 1 */
    struct threads_options threads;
    struct order_options order;
    bool all_rounds, json, csv, markdown;
};

struct compare_state {
    const struct compare_options *options;
    struct measured_output output;
    struct inputs in;
    struct specs specs;
    struct measure_request how;
    int64_t block; /* of --block; 0: not given, or step */
    /* The specs and, if there are several, the first one again: the noise floor. */
    const char **variants;
    struct row *rows;
    size_t n_variants;
};

/* --- what is compared ------------------------------------------------------------------------- */

static enum status choose_variants(struct compare_state *state, struct error *error) {
    struct order_choice order;
    enum status status = order_choose(&state->options->order, &order, error);
    if (!status)
        status = peers_expand(&state->options->peers, &state->options->impls, &state->specs, error);
    if (!status)
        status = specs_add_order(&state->specs, &order, error);
    if (status)
        return status;
    size_t count = state->specs.count;
    state->n_variants = count + (count > 1);
    state->variants = calloc(state->n_variants, sizeof *state->variants);
    state->rows = calloc(state->n_variants, sizeof *state->rows);
    if (!state->variants || !state->rows)
        return error_memory(error, "rows");
    for (size_t i = 0; i < state->n_variants; i++) {
        state->variants[i] = state->specs.list[i % count].text;
        row_init(&state->rows[i]);
        row_set_variant(&state->rows[i], state->variants[i]);
    }
    return STATUS_OK;
}

static enum status check_form(const struct compare_options *options, struct error *error) {
    if (options->json + options->csv + options->markdown > 1)
        return error_set(error, STATUS_INPUT,
                         "--json, --csv and --markdown cannot be used together");
    return STATUS_OK;
}

/* --- documents per call ----------------------------------------------------------------------- */

/* Reads --block. Leaves 0 if the size is to be chosen. */
static enum status read_block(const char *typed, struct compare_state *state, struct error *error) {
    state->how.single_documents = typed && strcmp(typed, "step") == 0;
    if (!typed || state->how.single_documents)
        return STATUS_OK;
    const char *end = number_parse_i64(typed, typed + strlen(typed), &state->block);
    if (end && !*end && state->block > 0)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "--block: '%s' is neither a number of documents nor 'step'", typed);
}

static bool has_order(const struct specs *specs) {
    struct variant variant;
    for (size_t i = 0; i < specs->count; i++)
        if (!variant_parse(specs->list[i].text, &variant, NULL) && variant.order.is_given)
            return true;
    return false;
}

/* Sets the documents per call. Orders get all documents, because the blocks of an order have no
 * effect in calls that are smaller. */
static void choose_block(struct compare_state *state) {
    size_t n_rows = state->in.documents->n_rows;
    size_t block = has_order(&state->specs) ? n_rows : CALL_DOCUMENTS;
    if (state->block)
        block = (size_t)state->block;
    if (state->block && block > n_rows)
        command_note("--block %zu: there are only %zu documents, so each call has all of them",
                     block, n_rows);
    if (!state->how.single_documents)
        state->how.plan.doc_block = block < n_rows ? block : n_rows;
}

/* --- measuring -------------------------------------------------------------------------------- */

static enum status plan_comparison(const struct compare_options *options,
                                   struct measure_request *how, struct error *error) {
    struct plan plan = {.order = ORDER_DS};
    enum status status = threads_plan(&options->threads, &plan, error);
    bool waits = plan.threads > 1 || device_is_named();
    int clock = options->clock ? options->clock - 1 : waits;
    *how = (struct measure_request){
        .note = measured_note,
        .progress = &measured_progress,
        .rounds = (uint32_t)options->rounds,
        .placements = (uint32_t)options->placements,
        .is_settled = options->all_rounds ? NULL : comparison_is_settled,
        .ends_on_interrupt = true,
        .reads_resident = true,
        .clock = clock_words[clock],
        .counters =
            options->counters ? (enum counters_source)(options->counters - 1) : COUNTERS_NONE,
        .plan = plan};
    return status;
}

static enum status measure(struct compare_state *state, struct error *error) {
    struct workload workload = {.kind = "files"}; /* measure_cell sets the sizes */
    snprintf(workload.model, sizeof workload.model, "%s", state->options->files.model);
    snprintf(workload.data, sizeof workload.data, "%s", state->options->files.data);
    for (size_t i = 0; i < state->n_variants; i++)
        state->rows[i].workload = workload;
    progress_begin(&measured_progress, 1);
    enum status status = measure_cell(state->in.ensemble, state->in.documents, state->variants,
                                      state->n_variants, &state->how, state->rows, error);
    progress_done(&measured_progress);
    return status;
}

/* --- results ---------------------------------------------------------------------------------- */

static enum status make_comparison(const struct compare_state *state, struct comparison *comparison,
                                   struct error *error) {
    const struct measure_request *how = &state->how;
    size_t count = state->specs.count;
    *comparison = (struct comparison){
        .inputs = measured_inputs_of(&state->options->files, &state->in),
        .clock = how->clock,
        .threads = measure_threads(how),
        .parallel = measure_threads(how) > 1 ? parallel_names[how->plan.parallel] : "",
        .block = how->plan.doc_block,
        .counters = counters_source_names[how->counters],
        .is_interrupted = interrupt_asked()};
    enum status status =
        comparison_make(state->rows, count, state->n_variants > count ? &state->rows[count] : NULL,
                        comparison, error);
    if (!status && state->options->sort == ORDER_BY_TIME + 1)
        comparison_sort(comparison);
    return status;
}

static enum status print_comparison(const struct compare_state *state,
                                    const struct comparison *comparison, struct error *error) {
    if (state->output.form == MEASURED_JSON || state->output.form == MEASURED_CSV)
        return comparison_print_records(comparison, &state->output, error);
    if (state->output.form == MEASURED_MARKDOWN)
        comparison_print_markdown(comparison, state->output.machine, stdout);
    else
        comparison_print_table(comparison, stdout);
    return STATUS_OK;
}

/* Prints a row's reason on stderr too, because stdout may go to a file. Adds the implementation's
 * name unless the reason begins with it. */
static void tell_failure(const struct row *row) {
    if (strncmp(row->reason, row->impl, strlen(row->impl)) == 0)
        command_note("%s", row->reason);
    else
        row_tell(row);
}

static int conclude(const struct compare_state *state, const struct comparison *comparison) {
    int worst = EXIT_DONE;
    for (size_t i = 0; i < state->specs.count; i++) {
        int caused = row_exit_status(&state->rows[i], state->specs.list[i].is_named);
        if (caused != EXIT_DONE)
            tell_failure(&state->rows[i]);
        worst = worse_exit_status(worst, caused);
    }
    return comparison->is_interrupted ? tell_interrupted(comparison->rounds, state->how.rounds)
                                      : worst;
}

/* --- the command ------------------------------------------------------------------------------ */

static enum status prepare(struct compare_state *state, struct error *error) {
    const struct compare_options *options = state->options;
    enum status status = check_form(options, error);
    if (!status)
        status = device_choose(options->device, error);
    if (!status)
        status = plan_comparison(options, &state->how, error);
    if (!status)
        status = read_block(options->block, state, error);
    if (!status)
        status = choose_variants(state, error);
    if (!status)
        status = specs_check_values(&state->specs, error);
    if (!status)
        status = inputs_read(&options->files, &state->in, error);
    if (!status)
        choose_block(state);
    return status ? status : measured_describe_machine(&state->output, error);
}

static void state_free(struct compare_state *state) {
    for (size_t i = 0; state->rows && i < state->n_variants; i++)
        row_free(&state->rows[i]);
    free(state->rows);
    free(state->variants);
    cJSON_Delete(state->output.machine);
    specs_free(&state->specs);
    inputs_free(&state->in);
}

static const struct flag flags[] = {
    MODEL_FLAG(compare_options, files, true),
    DATA_FLAG(compare_options, files, true),
    READING_FLAGS(compare_options, files),
    MISSING_FLAG(compare_options, files),
    TREES_FLAG(compare_options, files),
    PROFILE_FLAG(compare_options, files),
    {"impl", "SPEC", SPECS_HELP " (default: all)", SETS_TEXTS(compare_options, impls)},
    PEER_FLAG(compare_options, peers),
    {"rounds", "N", "samples of each (default: 24)",
     SETS_INTEGER(compare_options, rounds, 2, 100000)},
    {"placements", "N", "spread the rounds over N placements (default: 8)",
     SETS_INTEGER(compare_options, placements, 1, 100000)},
    {"all-rounds", NULL, "take all rounds, even if each verdict is clear before",
     SETS_SWITCH(compare_options, all_rounds)},
    {"block", "N",
     "documents per call, or step: one step of the implementation (default: 1000, or all if there "
     "are fewer)",
     SETS_TEXT(compare_options, block)},
    ORDER_FLAG(compare_options, order),
    ORDER_D_FLAG(compare_options, order),
    ORDER_S_FLAG(compare_options, order),
    CLOCK_FLAG(compare_options, clock, "wall for threads or a device, else cpu"),
    COUNTERS_FLAG(compare_options, counters, "none"),
    THREADS_FLAG(compare_options, threads),
    PARALLEL_FLAG(compare_options, threads),
    DEVICE_FLAG(compare_options, device),
    {"sort", NULL, "the order of the lines (default: given)",
     SETS_CHOICE(compare_options, sort, orders)},
    {"json", NULL, "print JSON with the machine and all values",
     SETS_SWITCH(compare_options, json)},
    {"csv", NULL, "print CSV with the same values", SETS_SWITCH(compare_options, csv)},
    {"markdown", NULL, "print a Markdown table, with size and build time",
     SETS_SWITCH(compare_options, markdown)},
    {0}};

static enum status run(struct parsed *parsed, struct error *error) {
    const struct compare_options *options = parsed->request;
    struct compare_state state = {
        .options = options,
        .output = {.form = measured_form_of(options->json, options->csv, options->markdown),
                   .stream = stdout}};
    struct comparison comparison = {.count = 0};
    enum status status = prepare(&state, error);
    if (!status)
        status = measure(&state, error);
    peers_end_output();
    if (!status)
        status = make_comparison(&state, &comparison, error);
    if (!status)
        status = print_comparison(&state, &comparison, error);
    if (!status)
        parsed->exit_status = conclude(&state, &comparison);
    comparison_free(&comparison);
    state_free(&state);
    return status;
}

const struct command command_compare = {
    .name = "compare",
    .summary = "time implementations against each other on a model and documents",
    .details =
        "First checks the scores of each implementation against the reference. Then samples all of "
        "them in rotated, interleaved rounds, so that drift of the machine affects all alike. "
        "Ratios are to the first implementation: under 1 is faster. Speed is the inverse.\n"
        "\n"
        "All implementations get calls of the same size, because some are fast only in large "
        "calls. With --block step, as in the papers, each call has as many documents as the "
        "implementation scores at once, so ratios also depend on these numbers. With an order, the "
        "default is all documents.\n"
        "\n"
        "The first implementation is also compared with itself. The largest difference in the "
        "interval of that ratio is the noise floor. A verdict is faster or slower if the whole 95 "
        "% interval differs from 1 by more than the noise floor. It is same within N % if the "
        "whole interval does not differ by more, for N up to 5. Otherwise it is unresolved: try "
        "more --placements and --rounds.\n"
        "\n"
        "Ctrl-C ends the sampling, and the results so far are printed. docs/output.md describes "
        "the JSON and the CSV.\n"
        "\n" ORDER_HELP "\n"
        "\n"
        "--profile counts which branches its documents take. native-opt, ifelse-swap and "
        "ifelse-opt put likely branches first. Its counts replace the model's.\n"
        "\n"
        "Threads over trees meet after each call, or with --block step at the end of a pass. "
        "--counters adds the events of a pass per document and tree. auto is perf if "
        "available, else PAPI. callgrind simulates a processor, for machines without "
        "counters, and takes seconds per implementation. step counts instructions exactly, by "
        "single steps, for every implementation.\n"
        "\n" PEER_HELP "\n\n" DEVICE_HELP "\n"
        "\n"
        "Exit status 1: one gave wrong scores. 2: one failed, for example because memory ran out. "
        "4: one that was named cannot run here. 130: interrupted by Ctrl-C.\n"
        "\n"
        "Example:\n"
        "  treebench compare --model m.json --data d.txt --impl struct-plus --impl qs",
    .flags = flags,
    .request = &(struct compare_options){.rounds = 24, .placements = 8},
    .run = run,
};
