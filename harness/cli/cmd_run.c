/* treebench run: measures the cells of the papers' artefacts and stores their rows. */
#include "base/cpu.h"
#include "base/files/json.h"
#include "harness/artefacts/artefact_run.h"
#include "harness/artefacts/grid.h"
#include "harness/artefacts/origins.h"
#include "harness/artefacts/shard.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/scoring_flags.h"
#include "harness/doctor/doctor.h"
#include "harness/instruments/machine.h"
#include "harness/measure/cells.h"
#include "harness/measure/workload.h"
#include "harness/papers/paths.h"
#include "harness/papers/report.h"
#include "harness/rows/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run_options {
    /* directory: NULL is results/SCALE; device: NULL is none */
    const char *scale, *only, *directory, *device;
    const char *shard; /* NULL: the whole run */
    /* 0: not given; otherwise the index of the choice plus 1 */
    int clock, counters;
    struct again_options again;
};

struct run_state {
    struct artefact *artefacts;
    size_t n_artefacts;
    struct cell *cells;
    size_t n_cells;
    struct shard shard; /* the cells are those of this shard */
    size_t n_all;       /* number of cells of the whole run */
    size_t n_dropped;   /* number of points that need more threads than there are cores */
    size_t n_foldless;  /* number of trials dropped because this machine's data lacks their folds */
    char missing[256];  /* names of data sets that are not here and that nothing replaces */
    struct measure_request how;
    struct cells_tally tally;
    struct artefact_run uncelled[ARTEFACT_KINDS_MAX]; /* of kinds that have no cells */
};

/* Drops points that need more threads than there are cores. Returns how many were dropped. */
static size_t limit_threads(struct run_state *run, unsigned cores) {
    size_t dropped = 0;
    for (size_t i = 0; i < run->n_artefacts; i++)
        dropped += scale_limit_threads(&run->artefacts[i].scale, cores);
    return dropped;
}

static enum status read_artefacts(const char *scale, const char *only, struct run_state *run,
                                  struct error *error) {
    char directory[PATHS_SIZE];
    char **paths = NULL;
    size_t count = 0;
    enum status status = paths_find("configs", directory, error);
    if (!status)
        status = artefact_find(directory, only, &paths, &count, error);
    if (status)
        return status;
    run->artefacts = calloc(count, sizeof *run->artefacts);
    if (!run->artefacts)
        status = error_memory(error, "artefacts");
    for (size_t i = 0; i < count && !status; i++) {
        status = artefact_open(paths[i], scale, &run->artefacts[i], error);
        run->n_artefacts += !status;
    }
    artefact_free_paths(paths, count);
    return status;
}

/* Finds the cells that the chosen artefacts need. Leaves out cells with more threads than this
 * machine has cores. */
static enum status ask(const char *scale, const char *only, struct run_state *run,
                       struct error *error) {
    struct cpu_info cpu;
    enum status status = read_artefacts(scale, only, run, error);
    if (status)
        return status;
    cpu_read_info(&cpu);
    run->n_dropped = limit_threads(run, cpu.cores);
    for (size_t i = 0; i < run->n_artefacts && !status; i++)
        status = origins_limit_folds(&run->artefacts[i].scale, &run->n_foldless, error);
    for (size_t i = 0; i < run->n_artefacts && !status; i++)
        status = origins_drop_missing(&run->artefacts[i].scale, run->missing, sizeof run->missing,
                                      error);
    if (!status)
        status = grid_build(run->artefacts, run->n_artefacts, &run->cells, &run->n_cells, error);
    run->n_all = run->n_cells;
    return status;
}

/* Keeps the cells of the shard only. Cells of the same workload, which are adjacent, stay together:
 * they differ in their threads, whose times are divided by each other. */
static void take_shard(struct run_state *run) {
    size_t kept = 0, group = 0;
    struct workload last = {.trees = 0};
    for (size_t i = 0; i < run->n_all; i++) {
        group += i > 0 && !workload_same(&last, &run->cells[i].workload);
        last = run->cells[i].workload;
        if (shard_has(&run->shard, group))
            run->cells[kept++] = run->cells[i];
    }
    run->n_cells = kept;
}

static void run_free(struct run_state *run) {
    for (size_t i = 0; i < run->n_artefacts; i++)
        artefact_free(&run->artefacts[i]);
    free(run->artefacts);
    free(run->cells);
}

/* Makes the manifest: the machine, the build, the data's origins and the request. */
static enum status make_manifest(const struct run_state *run, const char *scale, cJSON **made,
                                 struct error *error) {
    cJSON *origins;
    enum status status = origins_find(run->artefacts, run->n_artefacts, &origins, error);
    if (status)
        return status;
    cJSON *manifest = machine_manifest();
    if (manifest == NULL || !cJSON_AddItemToObject(manifest, "data", origins)) {
        cJSON_Delete(origins);
        cJSON_Delete(manifest);
        return error_memory(error, "a run's manifest");
    }
    status = doctor_summarise(manifest, strcmp(scale, "smoke") != 0, error);
    if (status) {
        cJSON_Delete(manifest);
        return status;
    }
    errno = 0;
    cJSON_AddStringToObject(manifest, "scale", scale);
    cJSON_AddStringToObject(manifest, "clock", run->how.clock);
    cJSON_AddNumberToObject(manifest, "cells", (double)run->n_all);
    if (run->shard.count) {
        char shard[SHARD_TEXT_SIZE];
        shard_print(&run->shard, shard);
        cJSON_AddStringToObject(manifest, "shard", shard);
    }
    cJSON *configs = cJSON_AddObjectToObject(manifest, "configs");
    for (size_t i = 0; i < run->n_artefacts; i++)
        cJSON_AddStringToObject(configs, run->artefacts[i].name, run->artefacts[i].hash);
    for (size_t i = 0; i < run->n_artefacts; i++)
        for (size_t k = 0; k < run->artefacts[i].n_variants; k++)
            libraries_add(manifest, run->artefacts[i].variants[k]);
    *made = json_if_whole(manifest);
    return *made ? STATUS_OK : error_memory(error, "a run's manifest");
}

/* Opens the store. If the folder holds another run, fails without changing the folder. */
static enum status open_store(const struct run_state *run, const char *scale, const char *directory,
                              enum again again, bool *resume, struct store **store,
                              struct error *error) {
    cJSON *manifest = NULL;
    enum status status = STATUS_OK;
    for (size_t i = 0; artefact_kinds[i] && again == AGAIN_REFUSE && !status; i++)
        if (artefact_kinds[i]->lines)
            status = json_lines_vacant(artefact_kinds[i]->lines, directory, error);
    if (!status)
        status = make_manifest(run, scale, &manifest, error);
    if (!status)
        status = again_open_store(directory, again, manifest, command_show, resume, store, error);
    cJSON_Delete(manifest);
    return status;
}

static enum status conclude(const char *directory, struct cells_tally *tally, struct error *error) {
    struct rows rows;
    enum status status = store_load(directory, &rows, error);
    if (status)
        return status;
    cells_count_rows(&rows, tally);
    status = store_write_csv(directory, &rows, error);
    rows_free(&rows);
    return status;
}

/* Measures what has no cells, such as the quality of models. */
static enum status run_uncelled(struct run_state *run, const char *directory, bool resume,
                                struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; artefact_kinds[i] && !status; i++) {
        run->uncelled[i] = (struct artefact_run){.kind = artefact_kinds[i],
                                                 .directory = directory,
                                                 .resume = resume,
                                                 .artefacts = run->artefacts,
                                                 .n_artefacts = run->n_artefacts,
                                                 .shard = &run->shard};
        status = artefact_run(&run->uncelled[i], error);
        if (run->uncelled[i].missing[0])
            command_note("compilers that are not installed: %s. No code of them is measured",
                         run->uncelled[i].missing);
    }
    return status;
}

static enum status run_all(struct run_state *run, const struct run_options *options,
                           enum again again, struct error *error) {
    const char *directory = options->directory;
    enum status status = ask(options->scale, options->only, run, error);
    take_shard(run);
    struct store *store = NULL;
    bool resume;
    if (!status)
        status = open_store(run, options->scale, directory, again, &resume, &store, error);
    if (status)
        return status;
    if (run->n_dropped)
        command_note("%zu points need more threads than this machine has cores. They are left out",
                     run->n_dropped);
    if (run->n_foldless)
        command_note("%zu trials need folds that the samples of data sets here lack. They are left "
                     "out",
                     run->n_foldless);
    if (run->missing[0])
        command_note(
            "data sets that this machine does not have: %s. Their points are left out, because "
            "nothing replaces these data sets",
            run->missing);
    status = run_uncelled(run, directory, resume, error);
    if (!status)
        status =
            cells_run(run->cells, run->n_cells, run->how, directory, store, &run->tally, error);
    store_close(store);
    if (!status)
        status = conclude(directory, &run->tally, error);
    return status;
}

static const struct flag flags[] = {
    {"scale", "NAME", "smoke, quick or full (default: quick)", SETS_TEXT(run_options, scale)},
    {"only", "PREFIX", "only the artefacts whose names begin with this, such as asadi2014-fig2",
     SETS_TEXT(run_options, only)},
    {"out", "DIR",
     "the folder for the rows (default: results/SCALE, or results/SCALE-shard-I-of-N)",
     SETS_TEXT(run_options, directory), .file = FLAG_WRITES_FOLDER},
    {"shard", "I/N", "measure only part I of N; treebench merge joins the parts",
     SETS_TEXT(run_options, shard)},
    CLOCK_FLAG(run_options, clock, "cpu"),
    COUNTERS_FLAG(run_options, counters, "auto"),
    DEVICE_FLAG(run_options, device),
    RESUME_FLAG(run_options, again),
    AGAIN_FLAG(run_options, again),
    {0}};

/* --- the plan --------------------------------------------------------------------------------- */

/* The durations were measured on 2 cores. */
static const struct {
    const char *name, *about;
} scales[] = {{"smoke", "three minutes"}, {"quick", "half an hour"}, {"full", "many days"}};

/* Counts the items of the kinds that have no cells. */
static enum status count_items(const struct run_state *run, size_t *count, struct error *error) {
    enum status status = STATUS_OK;
    *count = 0;
    for (size_t i = 0; artefact_kinds[i] && !status; i++) {
        const struct artefact_run part = {.kind = artefact_kinds[i],
                                          .artefacts = run->artefacts,
                                          .n_artefacts = run->n_artefacts};
        status = artefact_run_count(&part, count, error);
    }
    return status;
}

static enum status print_scale(const char *scale, const char *about, struct error *error) {
    struct run_state state = {.n_cells = 0};
    size_t items = 0;
    enum status status = ask(scale, "", &state, error);
    if (!status)
        status = count_items(&state, &items, error);
    if (!status)
        printf("%-7s %9zu %7zu %7zu  %s\n", scale, state.n_artefacts, items, state.n_cells, about);
    run_free(&state);
    return status;
}

static enum status print_plan(struct error *error) {
    enum status status = STATUS_OK;
    printf("Nothing was started. A run measures the papers' experiments at one of these scales:\n\n"
           "scale   artefacts  models   cells  time on 2 cores, about\n");
    for (size_t i = 0; i < sizeof scales / sizeof *scales && !status; i++)
        status = print_scale(scales[i].name, scales[i].about, error);
    if (status)
        return status;
    printf("\nModels are trained or searched first, and their quality, size or blocks are "
           "measured. A\n"
           "cell is one model and its documents, scored by several implementations. Start a run:\n"
           "  treebench run --scale quick                            rows go to results/quick\n"
           "  treebench run --scale smoke --only asadi2014-table2    one artefact\n");
    return STATUS_OK;
}

static void print_tally(const struct run_state *run) {
    for (size_t i = 0; artefact_kinds[i]; i++) {
        const struct artefact_run *part = &run->uncelled[i];
        if (part->measured + part->found > 0)
            printf("%s %zu %s; %zu were there before\n", part->kind->done, part->measured,
                   part->kind->things, part->found);
    }
    if (run->n_cells > 0)
        printf("timed %zu cells, each a model and documents by every implementation; %zu were "
               "there before\n",
               run->tally.measured, run->tally.found);
}

static const char *standard_folder(const struct run_options *options, const struct shard *shard,
                                   char *folder, size_t size) {
    int used = snprintf(folder, size, "results/%.32s", options->scale);
    if (shard->count)
        snprintf(folder + used, size - (size_t)used, "-shard-%" PRIu32 "-of-%" PRIu32,
                 shard->number, shard->count);
    return folder;
}

static enum status run(struct parsed *parsed, struct error *error) {
    struct run_options *options = parsed->request;
    if (!parsed->given)
        return print_plan(error);
    char standard[96];
    struct run_state state = {
        .how = {.note = command_show,
                .clock = clock_words[options->clock ? options->clock - 1 : 0],
                .counters = options->counters ? (enum counters_source)(options->counters - 1)
                                              : COUNTERS_AUTO}};
    enum status status = STATUS_OK;
    if (options->shard)
        status = shard_parse(options->shard, &state.shard, error);
    if (!options->directory)
        options->directory = standard_folder(options, &state.shard, standard, sizeof standard);
    if (!status)
        status = device_choose(options->device, error);
    if (!status)
        status = run_all(&state, options, again_of(&options->again), error);
    run_free(&state);
    if (status)
        return status;
    print_tally(&state);
    parsed->exit_status = tally_conclude(&state.tally);
    return STATUS_OK;
}

const struct command command_run = {
    .name = "run",
    .summary = "measure the papers' experiments and store the rows",
    .details =
        "Measures the cells that the chosen artefacts (configs/*.json) ask for, and appends the "
        "rows to DIR/rows.jsonl. DIR/rows.csv is made from it. Implementations that are wrong or "
        "do not support a model have a row with the reason. Without any option, the command only "
        "prints what it would do.\n"
        "\n"
        "--resume continues a run that was killed; at most one cell is lost. --again continues it "
        "too if it had the same artefacts and the same build. Any other run in DIR is renamed to "
        "DIR.1, DIR.2, ...\n"
        "\n"
        "--shard 2/3 measures the second of three parts, for example one per node of a cluster. "
        "Each part has a folder of its own, and a part that was killed continues like a run.\n"
        "\n"
        "Exit status 1: an implementation was wrong or failed. 4: one cannot run on this machine.\n"
        "\n"
        "Example:\n"
        "  treebench run --scale smoke --only asadi2014 --out results/smoke\n"
        "  treebench report --run results/smoke",
    .flags = flags,
    .request = &(struct run_options){.scale = "quick", .only = ""},
    .run = run,
};
