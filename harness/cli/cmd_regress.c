/* treebench regress: whether one build, or one program, is slower than another. */
#include "base/files/json.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/specs.h"
#include "harness/cli/shared/terminal.h"
#include "harness/instruments/interrupt.h"
#include "harness/instruments/machine.h"
#include "harness/instruments/stats.h"
#include "harness/instruments/timer.h"
#include "harness/regress/fingerprints.h"
#include "harness/regress/gate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 1024 };
#define ALARMS 0.01 /* the allowed rate of false alarms of a run */
static const char library_name[] = "libtreebench.so.0";

static const char *const metric_words[] = {"printed", "wall", NULL}; /* as enum pair_metric */

struct regress_options {
    const char *base, *head, *command_base, *command_head, *workloads, *relink;
    struct flag_texts impls;
    double margin, tolerance, minutes;
    int metric;
    int64_t seed;
    bool count, json;
};

struct regression_check {
    const struct regress_options *options;
    struct gate_request request;
    char libraries[PAIR_SIDES][PATH_SIZE];
    struct fingerprints fingerprints[PAIR_SIDES];
    struct regress_workloads workloads;
    struct specs specs;
    struct gate_cell *cells;
    size_t n_cells;
    struct progress progress;
};

/* --- cells ------------------------------------------------------------------------------------ */

static struct gate_cell *add_cell(struct regression_check *check, const char *impl,
                                  enum gate_verdict verdict) {
    struct gate_cell *cell = &check->cells[check->n_cells++];
    *cell = (struct gate_cell){.verdict = verdict};
    cell->ratio.value = cell->layout_ratio.value = NAN;
    snprintf(cell->impl, sizeof cell->impl, "%s", impl);
    return cell;
}

static void add_open(struct regression_check *check, const char *impl,
                     const struct regress_workload *workload) {
    struct gate_cell *cell = add_cell(check, impl, GATE_UNCLEAR);
    cell->workload = workload;
    cell->is_open = true;
}

/* How the code of the implementation differs between the builds. */
static enum code_change change_of(const struct regression_check *check, const char *spec) {
    char impl[SPEC_SIZE];
    snprintf(impl, sizeof impl, "%.*s", (int)strcspn(spec, ","), spec);
    return fingerprints_compare(&check->fingerprints[PAIR_BASE], &check->fingerprints[PAIR_HEAD],
                                impl);
}

static bool is_timed(enum code_change change) {
    return change == CODE_CHANGED || change == CODE_UNKNOWN;
}

static void add_cells(struct regression_check *check, const char *spec) {
    enum code_change change = change_of(check, spec);
    if (is_timed(change))
        for (size_t i = 0; i < check->workloads.count; i++)
            add_open(check, spec, &check->workloads.list[i]);
    else if (change == CODE_SAME)
        add_cell(check, spec, GATE_SAME_CODE);
    else
        snprintf(add_cell(check, spec, GATE_ONE_SIDED)->reason, sizeof check->cells->reason,
                 "only %s has it", change == CODE_NEW ? "head" : "base");
}

static enum status make_cells(struct regression_check *check, struct error *error) {
    size_t most = check->specs.count * (check->workloads.count + 1) + 1;
    check->cells = calloc(most, sizeof *check->cells);
    if (!check->cells)
        return error_memory(error, "results");
    if (check->options->command_base)
        add_open(check, "", NULL);
    for (size_t i = 0; i < check->specs.count; i++)
        add_cells(check, check->specs.list[i].text);
    return STATUS_OK;
}

/* --- what is compared ------------------------------------------------------------------------- */

static bool any_changed(const struct regression_check *check) {
    for (size_t i = 0; i < check->specs.count; i++)
        if (is_timed(change_of(check, check->specs.list[i].text)))
            return true;
    return false;
}

static enum status read_sides(struct regression_check *check, struct error *error) {
    const char *const folders[PAIR_SIDES] = {check->options->base, check->options->head};
    enum status status = STATUS_OK;
    for (size_t side = 0; side < PAIR_SIDES && !status; side++) {
        int length =
            snprintf(check->libraries[side], PATH_SIZE, "%s/%s", folders[side], library_name);
        if (length >= PATH_SIZE)
            return error_set(error, STATUS_INPUT, "%s: the path is too long", folders[side]);
        check->request.folders[side] = folders[side];
        check->request.libraries[side] = check->libraries[side];
        FILE *library = fopen(check->libraries[side], "r");
        if (!library)
            return error_set(error, STATUS_INPUT,
                             "%s: no such file. Build it with 'make', and name the build folder",
                             check->libraries[side]);
        fclose(library);
        status = fingerprints_read(folders[side], &check->fingerprints[side], error);
    }
    return status;
}

static enum status prepare_builds(struct regression_check *check, struct error *error) {
    const struct regress_options *options = check->options;
    check->request.relink = options->relink;
    enum status status = read_sides(check, error);
    if (!status)
        status = specs_expand(&options->impls, impl_competes, &check->specs, error);
    if (status || !any_changed(check))
        return status;
    return options->workloads ? workloads_read(options->workloads, &check->workloads, error)
                              : workloads_make(&check->workloads, error);
}

/* Counts the instructions of the cells that were timed. Ends if ptrace is not possible. */
static void count_cells(struct regression_check *check) {
    for (size_t i = 0; i < check->n_cells; i++) {
        struct gate_cell *cell = &check->cells[i];
        struct error error;
        if (!cell->workload || cell->pairs == 0)
            continue;
        progress_note(&check->progress, "counting instructions");
        enum status status = pair_count_libraries(check->request.libraries, cell->workload,
                                                  cell->impl, cell->instructions, &error);
        if (!status)
            continue;
        progress_clear(&check->progress);
        command_note("--count: %s on %s: %s", cell->impl, cell->workload->name, error.text);
        if (status != STATUS_UNSUPPORTED)
            return;
    }
}

static enum status check_options(const struct regress_options *options, struct error *error) {
    bool builds = options->base || options->head;
    bool commands = options->command_base || options->command_head;
    if (builds == commands || (builds && !(options->base && options->head)) ||
        (commands && !(options->command_base && options->command_head)))
        return error_set(error, STATUS_INPUT,
                         "give --base and --head to compare two builds of treebench, or "
                         "--command-base and --command-head to compare two programs");
    if (commands &&
        (options->workloads || options->relink || options->impls.count || options->count))
        return error_set(
            error, STATUS_INPUT,
            "--workloads, --relink, --impl and --count are for builds, not for commands");
    if (options->tolerance <= options->margin)
        return error_set(error, STATUS_INPUT, "--tolerance must be larger than --margin");
    return STATUS_OK;
}

static enum status run_gate(struct regression_check *check, struct error *error) {
    const struct regress_options *options = check->options;
    enum status status = check_options(options, error);
    if (status)
        return status;
    check->request = (struct gate_request){
        .commands = {options->command_base, options->command_head},
        .metric = options->metric ? (enum pair_metric)(options->metric - 1) : PAIR_PRINTED,
        .margin = options->margin / 100,
        .tolerance = options->tolerance / 100,
        .alarms = ALARMS,
        .seconds = options->minutes * 60,
        .seed = (uint64_t)options->seed,
        .progress = &check->progress};
    if (options->base)
        status = prepare_builds(check, error);
    if (!status)
        status = make_cells(check, error);
    if (status)
        return status;
    progress_begin(&check->progress, 1);
    interrupt_defer();
    status = gate_run(&check->request, check->cells, check->n_cells, error);
    if (!status && options->count)
        count_cells(check);
    interrupt_end_deferral();
    progress_done(&check->progress);
    return status;
}

/* --- results ---------------------------------------------------------------------------------- */

enum { REGRESS_SCHEMA = 1, NAME_WIDTH = 18, WORKLOAD_WIDTH = 20 };

static enum paint colour_of(enum gate_verdict verdict) {
    switch (verdict) {
    case GATE_REGRESSION:
    case GATE_FAILED:
        return PAINT_BAD;
    case GATE_UNCLEAR:
    case GATE_LAYOUT:
        return PAINT_DOUBT;
    default:
        return PAINT_GOOD;
    }
}

static int width_of(const struct gate_cell *cells, size_t n_cells, bool of_workloads, int least) {
    int width = least;
    for (size_t i = 0; i < n_cells; i++) {
        const char *text = !of_workloads       ? cells[i].impl
                           : cells[i].workload ? cells[i].workload->name
                                               : "";
        if ((int)strlen(text) > width)
            width = (int)strlen(text);
    }
    return width;
}

static void print_ratio(struct ratio ratio) {
    char text[64] = "";
    if (!isnan(ratio.value))
        snprintf(text, sizeof text, "%.3f [%.3f, %.3f]", ratio.value, ratio.interval.low,
                 ratio.interval.high);
    printf("%-22s", text);
}

static void print_cell(const struct gate_cell *cell, int impl_width, int workload_width) {
    printf("%-*s  %-*s  ", impl_width, cell->impl[0] ? cell->impl : "command", workload_width,
           cell->workload ? cell->workload->name : "");
    print_ratio(cell->ratio);
    printf("  %s%s%s", paint(stdout, colour_of(cell->verdict)), gate_verdict_names[cell->verdict],
           paint(stdout, PAINT_OFF));
    if (cell->pairs)
        printf("; %zu pairs, %.1f s", cell->pairs, cell->seconds);
    if (cell->instructions[PAIR_BASE])
        printf("; %+.2f %% instructions", 100 * ((double)cell->instructions[PAIR_HEAD] /
                                                     (double)cell->instructions[PAIR_BASE] -
                                                 1));
    if (cell->layouts)
        printf("; %.3f [%.3f, %.3f] over %zu layouts", cell->layout_ratio.value,
               cell->layout_ratio.interval.low, cell->layout_ratio.interval.high, cell->layouts);
    printf("%s%s\n", cell->reason[0] ? ": " : "", cell->reason);
}

static void print_summary(const struct gate_cell *cells, size_t n_cells, double seconds) {
    const char *separator = "regress: ";
    for (int verdict = GATE_FAILED; verdict >= 0; verdict--) {
        size_t count = 0;
        for (size_t i = 0; i < n_cells; i++)
            count += cells[i].verdict == (enum gate_verdict)verdict;
        if (count == 0)
            continue;
        printf("%s%zu %s", separator, count, gate_verdict_names[verdict]);
        separator = ", ";
    }
    printf("; %.0f s\n", seconds);
}

static void print_table(const struct gate_cell *cells, size_t n_cells, double seconds) {
    int impl_width = width_of(cells, n_cells, false, NAME_WIDTH);
    int workload_width = width_of(cells, n_cells, true, 0);
    printf("%-*s  %-*s  %-22s  verdict\n", impl_width, "implementation", workload_width,
           workload_width ? "workload" : "", "time of head / base");
    for (size_t i = 0; i < n_cells; i++)
        print_cell(&cells[i], impl_width, workload_width > 8 ? workload_width : 8);
    print_summary(cells, n_cells, seconds);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void add_real(cJSON *object, const char *key, double value) {
    if (isfinite(value))
        cJSON_AddNumberToObject(object, key, value);
    else
        cJSON_AddNullToObject(object, key);
}

static void add_ratio(cJSON *object, const char *key, struct ratio ratio) {
    cJSON *json = cJSON_AddObjectToObject(object, key);
    add_real(json, "value", ratio.value);
    add_real(json, "low", ratio.interval.low);
    add_real(json, "high", ratio.interval.high);
}

static void add_instructions(cJSON *object, const struct gate_cell *cell) {
    if (!cell->instructions[PAIR_BASE])
        return;
    cJSON *json = cJSON_AddObjectToObject(object, "instructions");
    cJSON_AddNumberToObject(json, "base", (double)cell->instructions[PAIR_BASE]);
    cJSON_AddNumberToObject(json, "head", (double)cell->instructions[PAIR_HEAD]);
}

static void add_result(cJSON *array, const struct gate_cell *cell) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddItemToArray(array, json);
    cJSON_AddStringToObject(json, "implementation", cell->impl);
    cJSON_AddStringToObject(json, "workload", cell->workload ? cell->workload->name : "");
    cJSON_AddStringToObject(json, "verdict", gate_verdict_names[cell->verdict]);
    cJSON_AddStringToObject(json, "reason", cell->reason);
    add_ratio(json, "ratio", cell->ratio);
    cJSON_AddNumberToObject(json, "pairs", (double)cell->pairs);
    add_real(json, "base", stats_median(cell->values[PAIR_BASE], cell->pairs));
    add_real(json, "head", stats_median(cell->values[PAIR_HEAD], cell->pairs));
    cJSON_AddNumberToObject(json, "layouts", (double)cell->layouts);
    add_ratio(json, "layout_ratio", cell->layout_ratio);
    cJSON_AddNumberToObject(json, "seconds", cell->seconds);
    add_instructions(json, cell);
}

static cJSON *to_json(const struct gate_request *request, const struct gate_cell *cells,
                      size_t n_cells, double seconds) {
    errno = 0;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "schema", REGRESS_SCHEMA);
    cJSON_AddStringToObject(json, "verdict", gate_verdict_names[gate_overall(cells, n_cells)]);
    cJSON_AddNumberToObject(json, "margin", request->margin);
    cJSON_AddNumberToObject(json, "tolerance", request->tolerance);
    cJSON_AddNumberToObject(json, "alarms", request->alarms);
    cJSON_AddNumberToObject(json, "seconds", seconds);
    cJSON_AddItemToObject(json, "machine", machine_manifest());
    cJSON *array = cJSON_AddArrayToObject(json, "cells");
    for (size_t i = 0; i < n_cells; i++)
        add_result(array, &cells[i]);
    return json_if_whole(json);
}

/* --- the command ------------------------------------------------------------------------------ */

static int exit_status_of(enum gate_verdict overall) {
    return overall == GATE_REGRESSION ? EXIT_CHECK
           : overall == GATE_FAILED   ? EXIT_USAGE
           : overall == GATE_UNCLEAR  ? EXIT_INCONCLUSIVE
                                      : EXIT_DONE;
}

static void tell_failures(const struct regression_check *check) {
    for (size_t i = 0; i < check->n_cells; i++)
        if (check->cells[i].verdict == GATE_FAILED)
            command_note("%s", check->cells[i].reason);
}

static enum status print_results(const struct regression_check *check, double seconds,
                                 struct error *error) {
    if (check->options->json)
        return json_print(to_json(&check->request, check->cells, check->n_cells, seconds), stdout,
                          error);
    print_table(check->cells, check->n_cells, seconds);
    return STATUS_OK;
}

static const struct flag flags[] = {
    {"base", "FOLDER", "build folder to compare with", SETS_TEXT(regress_options, base)},
    {"head", "FOLDER", "build folder to check", SETS_TEXT(regress_options, head)},
    {"command-base", "COMMAND", "program to compare with, run by sh; {} becomes a number",
     SETS_TEXT(regress_options, command_base)},
    {"command-head", "COMMAND", "program to check", SETS_TEXT(regress_options, command_head)},
    {"metric", NULL, "what counts: printed numbers or wall time (default: printed)",
     SETS_CHOICE(regress_options, metric, metric_words)},
    {"workloads", "FILE", "models and documents (default: six small ones)",
     SETS_TEXT(regress_options, workloads)},
    {"impl", "SPEC", SPECS_HELP " (default: all)", SETS_TEXTS(regress_options, impls)},
    {"relink", "COMMAND", "links a build again: COMMAND FOLDER NUMBER FILE",
     SETS_TEXT(regress_options, relink)},
    {"margin", "PERCENT", "slowdowns up to this are no regression (default: 1)",
     SETS_REAL(regress_options, margin, 0, 100)},
    {"tolerance", "PERCENT", "ends once a larger slowdown is excluded (default: 3)",
     SETS_REAL(regress_options, tolerance, 0, 1000)},
    {"minutes", "M", "no pair begins later (default: 4)",
     SETS_REAL(regress_options, minutes, 0, 10000)},
    {"seed", "N", "the first placement's number (default: 1)",
     SETS_INTEGER(regress_options, seed, 0, 1LL << 62)},
    {"count", NULL, "also count the instructions of timed cells, exactly",
     SETS_SWITCH(regress_options, count)},
    {"json", NULL, "print JSON", SETS_SWITCH(regress_options, json)},
    {0}};

static enum status run(struct parsed *parsed, struct error *error) {
    const struct regress_options *options = parsed->request;
    struct regression_check *check = calloc(1, sizeof *check);
    if (!check)
        return error_memory(error, "regress");
    check->options = options;
    uint64_t begin = timer_wall_ns();
    enum status status = run_gate(check, error);
    if (!status)
        status = print_results(check, (double)(timer_wall_ns() - begin) / 1e9, error);
    if (!status) {
        parsed->exit_status = exit_status_of(gate_overall(check->cells, check->n_cells));
        tell_failures(check);
    }
    workloads_free(&check->workloads);
    specs_free(&check->specs);
    free(check->cells);
    free(check);
    return status;
}

const struct command command_regress = {
    .name = "regress",
    .summary = "check whether one build or program is slower than another",
    .details =
        "Takes pairs of measurements, each in fresh processes, until the verdict of each cell is "
        "clear or the time is over. A cell is an implementation on a workload. Implementations "
        "whose machine code is equal in both builds are not timed. With --relink, an alarm must "
        "remain in other layouts of the code. docs/regression-checks.md explains the method, and "
        "has jobs for CI.\n"
        "\n"
        "Commands print one time or count per line, and less is better. 'make regress "
        "BASE=REVISION' builds two revisions of treebench and runs this command.\n"
        "\n"
        "Exit status 0: no regression. 1: a regression. 3: no verdict on some cells. 2: an error.\n"
        "\n"
        "Examples:\n"
        "  treebench regress --base old/build --head build \\\n"
        "                    --relink 'sh scripts/relink.sh'\n"
        "  treebench regress --command-base './old/bench {}' \\\n"
        "                    --command-head './new/bench {}' --tolerance 5",
    .flags = flags,
    .request = &(struct regress_options){.margin = 1, .tolerance = 3, .minutes = 4, .seed = 1},
    .run = run,
};
