/* treebench map: finds the fastest implementation for many models and batch sizes. */
#include "base/note.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/peers.h"
#include "harness/cli/shared/scoring_flags.h"
#include "harness/papers/paths.h"
#include "harness/tuning/map.h"
#include "impls/peers/plugin.h"

#include <stdio.h>

struct map_options {
    const char *scale, *config, *directory; /* NULL: the default */
    struct again_options again;
    struct flag_texts peers;
};

static enum status read_grid(const struct map_options *options, struct map_grid *grid,
                             struct error *error) {
    char configs[PATHS_SIZE], standard[PATHS_SIZE + 16];
    if (options->config)
        return map_read(options->config, options->scale, grid, error);
    enum status status = paths_find("configs/maps", configs, error);
    if (status)
        return status;
    snprintf(standard, sizeof standard, "%s/map.json", configs);
    return map_read(standard, options->scale, grid, error);
}

/* A map has models of its own. */
static enum status refuse_models(struct error *error) {
    size_t count;
    const struct impl *const *all = impl_all(&count);
    for (size_t i = 0; i < count; i++)
        if ((all[i]->roles & IMPL_PEER) && plugin_has_model(all[i]))
            return error_set(error, STATUS_INPUT,
                             "--peer: a map makes its own models, so %s cannot have a model=FILE",
                             all[i]->source);
    return STATUS_OK;
}

static enum status measure(const struct map_options *options, enum again again,
                           struct cells_tally *tally, struct error *error) {
    struct map_grid grid;
    enum status status = read_grid(options, &grid, error);
    return status ? status
                  : map_measure(&grid, options->directory, again, command_show, tally, error);
}

static enum status report(const char *directory, struct cells_tally *tally, struct peers_told *told,
                          struct error *error) {
    char plots[PATHS_SIZE];
    struct rows rows;
    enum status status = paths_find("plots", plots, error);
    if (!status)
        status = store_load(directory, &rows, error);
    if (status)
        return status;
    for (size_t i = 0; i < rows.count; i++) {
        const struct row *row = &rows.list[i];
        peers_tell(row, told);
        tally->wrong += !peers_has(row) && (row->status == ROW_WRONG || row->status == ROW_FAILED);
    }
    peers_end_output();
    status = map_report(directory, &rows, plots, stdout, command_show, error);
    if (!status) /* last: a map with this file is finished (again.h) */
        status = store_write_csv(directory, &rows, error);
    rows_free(&rows);
    return status;
}

/* Prints which maps can be started. Called if no options are given. The durations were measured on
 * 2 cores. */
static enum status print_plan(struct error *error) {
    static const struct {
        const char *name, *about;
    } scales[] = {{"smoke", "seconds"}, {"quick", "10 minutes"}, {"full", "many hours"}};
    printf(
        "Nothing was started. A map finds the fastest implementation at each point of a grid of\n"
        "models and batch sizes:\n\n"
        "scale    points  time on 2 cores, about\n");
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        struct map_grid grid;
        enum status status =
            read_grid(&(struct map_options){.scale = scales[i].name}, &grid, error);
        if (status)
            return status;
        printf("%-7s %7zu  %s\n", scales[i].name, map_points(&grid), scales[i].about);
    }
    printf("\nStart one:\n"
           "  treebench map --scale quick    the map goes to results/map-quick\n");
    return STATUS_OK;
}

static const struct flag flags[] = {
    {"scale", "NAME", "smoke, quick or full (default: quick)", SETS_TEXT(map_options, scale)},
    {"config", "FILE", "the points to measure (default: configs/maps/map.json)",
     SETS_TEXT(map_options, config)},
    {"out", "DIR", "the folder for the rows and the map (default: results/map-SCALE)",
     SETS_TEXT(map_options, directory), .file = FLAG_WRITES_FOLDER},
    PEER_FLAG(map_options, peers),
    RESUME_FLAG(map_options, again),
    AGAIN_FLAG(map_options, again),
    {0}};

static enum status run(struct parsed *parsed, struct error *error) {
    struct map_options *options = parsed->request;
    if (!parsed->given)
        return print_plan(error);
    char standard[64];
    struct cells_tally tally = {0};
    struct peers_told told = {.exit_status = EXIT_DONE};
    if (!options->directory) {
        snprintf(standard, sizeof standard, "results/map-%.32s", options->scale);
        options->directory = standard;
    }
    enum status status = peers_add(&options->peers, error);
    if (!status)
        status = refuse_models(error);
    if (!status)
        status = measure(options, again_of(&options->again), &tally, error);
    if (!status)
        status = report(options->directory, &tally, &told, error);
    if (status)
        return status;
    putchar('\n');
    print_line(stdout, "measured %zu points; %zu were there before; map: %s/map.md", tally.measured,
               tally.found, options->directory);
    if (tally.wrong)
        command_note("%zu rows are wrong or failed; rows.csv has the reasons", tally.wrong);
    parsed->exit_status = tally.wrong ? EXIT_CHECK : told.exit_status;
    return STATUS_OK;
}

const struct command command_map = {
    .name = "map",
    .summary = "map the fastest implementation over models and batch sizes",
    .details = "Measures points of four axes: documents per call, trees, leaves and features. The "
               "models are random ensembles, grown on synthetic documents. At each point all "
               "implementations and installed libraries are screened. Those near the best, and "
               "auto, are sampled in interleaved rounds.\n"
               "\n"
               "Writes DIR/map.md (the fastest, by how much, and over which library), map.svg, "
               "map.png and map.csv. Reports the points that a library wins, and those at which "
               "auto is not near the fastest. `treebench report --run DIR` draws the map again.\n"
               "\n" PEER_HELP "\n"
               "\n"
               "--again continues an unfinished map, and renames any other in DIR to DIR.1, DIR.2, "
               "... Exit status 1: an implementation was wrong or failed. docs/map.md describes "
               "the rule and the config.\n"
               "\n"
               "Example:\n"
               "  treebench map --scale smoke --out map",
    .flags = flags,
    .request = &(struct map_options){.scale = "quick"},
    .run = run,
};
