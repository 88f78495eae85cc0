/* treebench map: who is the fastest where. */
#include "harness/command.h"
#include "harness/map.h"
#include "harness/map_report.h"
#include "harness/paths.h"

#include <stdio.h>

static enum status measure(const char *config, const char *scale, const char *directory,
                           enum again again, struct cells_tally *tally, struct error *error) {
    char configs[PATHS_SIZE], standard[PATHS_SIZE + 16];
    struct map_grid grid;
    enum status status = STATUS_OK;
    if (!config) {
        status = paths_find("configs/maps", configs, error);
        snprintf(standard, sizeof standard, "%s/map.json", configs);
        config = standard;
    }
    if (!status)
        status = map_read(config, scale, &grid, error);
    return status ? status : map_measure(&grid, directory, again, tally, error);
}

static enum status report(const char *directory, struct cells_tally *tally, struct error *error) {
    char plots[PATHS_SIZE];
    struct rows rows;
    enum status status = paths_find("plots", plots, error);
    if (!status)
        status = store_load(directory, &rows, error);
    if (status)
        return status;
    for (size_t i = 0; i < rows.count; i++)
        tally->wrong += rows.list[i].status == ROW_WRONG || rows.list[i].status == ROW_FAILED;
    status = store_write_csv(directory, &rows, error);
    if (!status)
        status = map_report(directory, &rows, plots, error);
    rows_free(&rows);
    return status;
}

static int run(int argc, char **argv) {
    const char *scale = "quick", *directory = NULL, *config = NULL, *resume = NULL, *again = NULL;
    struct flag flags[] = {
        {"scale", "NAME", "smoke, quick (the default) or full", &scale, NULL},
        {"config", "FILE", "the points (default: configs/maps/map.json)", &config, NULL},
        {"out", "DIR", "where the rows and the map go (default: results/map-SCALE)", &directory,
         NULL},
        RESUME_FLAG("map", resume),
        AGAIN_FLAG(again),
        {0}};
    bool done;
    int exit_status = command_parse(&command_map, flags, argc, argv, NULL, &done);
    if (exit_status != EXIT_DONE || done)
        return exit_status;
    char standard[64];
    struct error error;
    struct cells_tally tally = {0};
    if (!directory) {
        snprintf(standard, sizeof standard, "results/map-%.32s", scale);
        directory = standard;
    }
    enum again existing;
    enum status status = again_parse(resume, again, &existing, &error);
    if (!status)
        status = command_check_folder("out", directory, &error);
    if (!status)
        status = measure(config, scale, directory, existing, &tally, &error);
    if (!status)
        status = report(directory, &tally, &error);
    if (status)
        return command_fail(status, &error);
    printf("\nmeasured %zu points; %zu were there before; map: %s/map.md\n", tally.measured,
           tally.found, directory);
    if (tally.wrong)
        command_note("%zu rows are wrong or failed: rows.csv says which and why", tally.wrong);
    return tally.wrong ? EXIT_CHECK : EXIT_DONE;
}

const struct command command_map = {
    .name = "map",
    .summary = "measure and draw which implementation is the fastest where",
    .details =
        "Measures points of documents a call, trees, leaves and features: random ensembles, grown\n"
        "on synthetic documents. At each point all implementations and the libraries that are\n"
        "here are screened; those near the best, and auto, are sampled in interleaved rounds.\n"
        "Writes DIR/map.md (tables: the fastest, by how much, and over which library), map.svg,\n"
        "map.png and map.csv; tells the points that a library wins, and those where auto is not\n"
        "near the fastest. `treebench report --run DIR` draws it again. --again (make map)\n"
        "continues an unfinished map of the same, and renames any other in DIR to DIR.1, DIR.2, "
        "...\n"
        "Exit status 1: an implementation was wrong or failed. docs/map.md has the rule and the "
        "config.\n\n"
        "Example:\n"
        "  treebench map --scale smoke --out map",
    .run = run,
};
