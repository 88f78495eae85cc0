/* treebench run: measures the cells of the papers' artefacts and stores their rows. */
#include "base/cpu.h"
#include "base/json.h"
#include "harness/again.h"
#include "harness/artefact.h"
#include "harness/cells.h"
#include "harness/command.h"
#include "harness/grid.h"
#include "harness/machine.h"
#include "harness/origins.h"
#include "harness/paths.h"
#include "harness/quality_run.h"
#include "harness/quality_store.h"
#include "harness/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
    struct artefact *artefacts;
    size_t n_artefacts;
    struct grid_cell *cells;
    size_t n_cells;
    struct measuring how;
    struct cells_tally tally;
    struct quality_tally models;
};

static void limit_threads(struct run *run) {
    struct cpu_info cpu;
    size_t dropped = 0;
    cpu_read_info(&cpu);
    for (size_t i = 0; i < run->n_artefacts; i++)
        dropped += scale_limit_threads(&run->artefacts[i].scale, cpu.cores);
    if (dropped > 0)
        fprintf(stderr, "treebench: %zu points with more threads than the %u cores here left out\n",
                dropped, cpu.cores);
}

static enum status read_artefacts(const char *scale, const char *only, struct run *run,
                                  struct error *error) {
    char directory[PATHS_SIZE];
    char **paths = NULL;
    size_t count = 0;
    enum status status = paths_find("configs", directory, error);
    if (status == STATUS_OK)
        status = artefact_find(directory, only, &paths, &count, error);
    if (status != STATUS_OK)
        return status;
    run->artefacts = calloc(count, sizeof *run->artefacts);
    if (!run->artefacts)
        status = error_memory(error, "artefacts");
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = artefact_read(paths[i], scale, &run->artefacts[i], error);
        run->n_artefacts += status == STATUS_OK;
    }
    if (status == STATUS_OK)
        limit_threads(run);
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
    return status;
}

/* The machine's manifest and what was asked of it: enough to make the reports again. */
static enum status make_manifest(const struct run *run, const char *scale, cJSON **made,
                                 struct error *error) {
    cJSON *origins;
    enum status status = origins_find(run->artefacts, run->n_artefacts, &origins, error);
    if (status != STATUS_OK)
        return status;
    cJSON *manifest = machine_manifest();
    if (manifest == NULL || !cJSON_AddItemToObject(manifest, "data", origins)) {
        cJSON_Delete(origins);
        cJSON_Delete(manifest);
        return error_memory(error, "a run's manifest");
    }
    errno = 0;
    cJSON_AddStringToObject(manifest, "scale", scale);
    cJSON_AddStringToObject(manifest, "clock", run->how.clock);
    cJSON_AddNumberToObject(manifest, "cells", (double)run->n_cells);
    cJSON *configs = cJSON_AddObjectToObject(manifest, "configs");
    for (size_t i = 0; i < run->n_artefacts; i++)
        cJSON_AddStringToObject(configs, run->artefacts[i].name, run->artefacts[i].hash);
    *made = json_if_whole(manifest);
    return *made ? STATUS_OK : error_memory(error, "a run's manifest");
}

/* Refuses, before anything is written, what another run has left in the folder. */
static enum status open_store(const struct run *run, const char *scale, const char *directory,
                              enum again again, bool *resume, struct store **store,
                              struct error *error) {
    cJSON *manifest = NULL;
    enum status status = again == AGAIN_REFUSE ? quality_store_vacant(directory, error) : STATUS_OK;
    if (status == STATUS_OK)
        status = make_manifest(run, scale, &manifest, error);
    if (status == STATUS_OK)
        status = again_prepare(directory, again, manifest, resume, error);
    if (status == STATUS_OK)
        status = store_open(directory, *resume, manifest, store, error);
    cJSON_Delete(manifest);
    return status;
}

static enum status conclude(const char *directory, struct cells_tally *tally, struct error *error) {
    struct rows rows;
    enum status status = store_load(directory, &rows, error);
    if (status != STATUS_OK)
        return status;
    cells_count_rows(&rows, tally);
    status = store_write_csv(directory, &rows, error);
    rows_free(&rows);
    return status;
}

static enum status run_all(struct run *run, const char *scale, const char *only,
                           const char *directory, enum again again, struct error *error) {
    enum status status = read_artefacts(scale, only, run, error);
    if (status == STATUS_OK)
        status = grid_build(run->artefacts, run->n_artefacts, &run->cells, &run->n_cells, error);
    struct store *store = NULL;
    bool resume;
    if (status == STATUS_OK)
        status = open_store(run, scale, directory, again, &resume, &store, error);
    if (status != STATUS_OK)
        return status;
    status = quality_run(directory, resume, run->artefacts, run->n_artefacts, &run->models, error);
    if (status == STATUS_OK)
        status =
            cells_run(run->cells, run->n_cells, run->how, directory, store, &run->tally, error);
    store_close(store);
    if (status == STATUS_OK)
        status = conclude(directory, &run->tally, error);
    return status;
}

static int run_command(int argc, char **argv);

const struct command command_run = {
    .name = "run",
    .summary = "measure the papers' experiments and store the rows",
    .details =
        "Takes the union of the grids of the chosen artefacts (configs/*.json), measures cell by\n"
        "cell, and appends the rows to DIR/rows.jsonl; DIR/rows.csv is derived. A run that was\n"
        "killed goes on with --resume and loses at most the cell it was in. --again (make\n"
        "reproduce) continues it too if it was of the same artefacts on the same build; any other\n"
        "run in DIR is renamed to DIR.1, DIR.2, ... and measured anew. What is wrong or\n"
        "refused has a row with its reason. Exit status 1: a variant was wrong or failed;\n"
        "4: one could not run on this machine.\n"
        "\n"
        "Example:\n"
        "  treebench run --scale smoke --only asadi2014 --out results/smoke\n"
        "  treebench report --run results/smoke",
    .run = run_command};

static int run_command(int argc, char **argv) {
    const char *scale = "quick", *only = "", *directory = NULL, *resume = NULL, *again = NULL;
    const char *clock = "cpu", *counters = "auto";
    struct flag flags[] = {
        {"scale", "NAME", "smoke, quick (the default) or full", &scale, NULL},
        {"only", "PREFIX", "just the artefacts whose names begin so: asadi2014-fig2", &only, NULL},
        {"out", "DIR", "where the rows go (default: results/SCALE)", &directory, NULL},
        {"clock", "NAME", "the clock to report: cpu (the default) or wall", &clock, NULL},
        {"counters", "NAME", COUNTERS_HELP " (default: auto)", &counters, NULL},
        RESUME_FLAG("run", resume),
        AGAIN_FLAG(again),
        {0}};
    bool done;
    int exit_status = command_parse(&command_run, flags, argc, argv, NULL, &done);
    if (exit_status != EXIT_DONE || done)
        return exit_status;
    struct error error;
    if (strcmp(clock, "cpu") != 0 && strcmp(clock, "wall") != 0)
        return command_fail(error_set(&error, STATUS_INPUT,
                                      "--clock %s: there is no such clock, only cpu and wall",
                                      clock),
                            &error);
    char standard[64];
    if (!directory) {
        snprintf(standard, sizeof standard, "results/%.32s", scale);
        directory = standard;
    }
    struct run run = {.how = {.clock = clock}};
    enum again existing;
    enum status status = again_parse(resume, again, &existing, &error);
    if (!status)
        status = command_check_folder("out", directory, &error);
    if (status == STATUS_OK)
        status = counters_parse(counters, &run.how.counters, &error);
    if (status == STATUS_OK)
        status = run_all(&run, scale, only, directory, existing, &error);
    for (size_t i = 0; i < run.n_artefacts; i++)
        artefact_free(&run.artefacts[i]);
    free(run.artefacts);
    free(run.cells);
    if (status != STATUS_OK)
        return command_fail(status, &error);
    if (run.models.measured + run.models.found > 0)
        printf("trained and judged %zu models; %zu were there before\n", run.models.measured,
               run.models.found);
    if (run.n_cells > 0)
        printf(
            "timed %zu cells, each a model and documents by every implementation; %zu were there "
            "before\n",
            run.tally.measured, run.tally.found);
    return cells_exit_status(&run.tally);
}
