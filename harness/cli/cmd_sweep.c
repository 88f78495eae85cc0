/* treebench sweep: finds the best v for vpred on this machine. */
#include "base/cpu.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/scoring_flags.h"
#include "harness/doctor/doctor.h"
#include "harness/instruments/machine.h"
#include "harness/measure/cells.h"
#include "harness/rows/store.h"
#include "impls/pred/vpred_choice.h"
#include "impls/scorer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned all_v[] = {1, 4, 8, 16, 32, 64};

enum {
    VS = sizeof all_v / sizeof *all_v,
    POINTS_MAX = FLAG_INTEGERS_MAX * FLAG_INTEGERS_MAX,
    ROUNDS = 9
};
#define SWEEP_SEED 2014u

/* The size of all documents of a point: larger than most last-level caches, but made within
 * seconds. */
static const uint64_t documents_bytes = 128u << 20;
static const uint64_t documents_most = 524288;

enum { TRIAL_CHOOSE, TRIAL_CONFIRM };

struct sweep_options {
    struct flag_integers depths, features; /* none: the default */
    const char *directory;
    struct again_options again;
};

static void set_variant(struct cell *cell, unsigned v) {
    snprintf(cell->variants[cell->n_variants++], ROW_NAME_SIZE, "%s,v=%u",
             impl_with_role(IMPL_SWEPT)->name, v);
}

static struct cell make_cell(uint32_t depth, uint32_t features, uint32_t trial) {
    uint64_t documents = documents_bytes / (features * sizeof(float));
    return (struct cell){
        .workload = {.kind = "synthetic",
                     .depth = depth,
                     .features = features,
                     .trees = 1,
                     .documents = documents < documents_most ? documents : documents_most,
                     .trial = trial,
                     .seed = SWEEP_SEED},
        .threads = 1,
        .rounds = ROUNDS,
        .artefacts = "sweep"};
}

static const struct row *find_row(const struct rows *rows, const struct cell *cell, unsigned v) {
    char params[ROW_NAME_SIZE];
    snprintf(params, sizeof params, "v=%u", v);
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->list[i].cell, cell->key) == 0 && rows->list[i].status == ROW_OK &&
            strcmp(rows->list[i].params, params) == 0)
            return &rows->list[i];
    return NULL;
}

/* Returns row's time divided by best's time. The two rows have the same rounds, which are compared
 * in pairs. */
static struct ratio ratio_to(const struct row *row, const struct row *best) {
    return row_paired_ratio(row, best);
}

struct choice {
    /* best: the v with the least median; smallest: the smallest v that is not measurably slower
     * than `best` */
    unsigned best, smallest;
    unsigned confirmed; /* `best` or `smallest`, as decided on fresh documents */
};

static bool choose(const struct rows *rows, const struct cell *cell, struct choice *choice) {
    const struct row *best = NULL;
    for (size_t i = 0; i < VS; i++) {
        const struct row *row = find_row(rows, cell, all_v[i]);
        if (row && (!best || row->median < best->median)) {
            best = row;
            choice->best = all_v[i];
        }
    }
    choice->smallest = choice->best;
    for (size_t i = 0; best && i < VS && all_v[i] < choice->best; i++) {
        const struct row *row = find_row(rows, cell, all_v[i]);
        if (row && ratio_to(row, best).interval.low <= 1) {
            choice->smallest = all_v[i];
            break;
        }
    }
    return best != NULL;
}

static void confirm(const struct rows *rows, const struct cell *cell, struct choice *choice) {
    const struct row *small = find_row(rows, cell, choice->smallest);
    const struct row *best = find_row(rows, cell, choice->best);
    bool slower = small && best && ratio_to(small, best).interval.low > 1;
    choice->confirmed = slower ? choice->best : choice->smallest;
}

struct sweep {
    const char *directory;
    enum again again;
    struct sweep_point {
        uint32_t depth, features;
        struct choice choice;
    } points[POINTS_MAX];
    size_t n_points;
    struct cell choosing[POINTS_MAX], confirming[POINTS_MAX];
    struct cells_tally tally;
};

/* Measures the cells, stores their rows in the sweep's folder, and loads all rows of the folder. */
static enum status measure(struct sweep *sweep, const struct cell *cells, size_t n_cells,
                           struct rows *rows, struct error *error) {
    struct measure_request how = {.clock = "cpu", .counters = COUNTERS_NONE, .note = command_show};
    struct store *store;
    cJSON *manifest = machine_manifest();
    if (manifest == NULL || !cJSON_AddStringToObject(manifest, "clock", how.clock)) {
        cJSON_Delete(manifest);
        return error_memory(error, "a sweep's manifest");
    }
    enum status status = doctor_summarise(manifest, true, error);
    if (status) {
        cJSON_Delete(manifest);
        return status;
    }
    bool resume;
    status = again_open_store(sweep->directory, sweep->again, manifest, command_show, &resume,
                              &store, error);
    cJSON_Delete(manifest);
    if (status)
        return status;
    sweep->again = AGAIN_RESUME; /* the second phase continues in the folder of the first */
    status = cells_run(cells, n_cells, how, sweep->directory, store, &sweep->tally, error);
    store_close(store);
    return status ? status : store_load(sweep->directory, rows, error);
}

static enum status choose_all(struct sweep *sweep, struct error *error) {
    for (size_t i = 0; i < sweep->n_points; i++) {
        sweep->choosing[i] =
            make_cell(sweep->points[i].depth, sweep->points[i].features, TRIAL_CHOOSE);
        for (size_t k = 0; k < VS; k++)
            set_variant(&sweep->choosing[i], all_v[k]);
        cell_set_key(&sweep->choosing[i]);
    }
    struct rows rows;
    enum status status = measure(sweep, sweep->choosing, sweep->n_points, &rows, error);
    if (status)
        return status;
    for (size_t i = 0; i < sweep->n_points && !status; i++)
        if (!choose(&rows, &sweep->choosing[i], &sweep->points[i].choice))
            status = error_set(error, STATUS_MACHINE, "no v could be measured at depth %u",
                               sweep->points[i].depth);
    rows_free(&rows);
    return status;
}

static void print_point(const struct sweep *sweep, const struct rows *rows, size_t point) {
    const struct cell *cell = &sweep->choosing[point];
    printf("%8" PRIu32 " %5" PRIu32, cell->workload.features, cell->workload.depth);
    for (size_t k = 0; k < VS; k++) {
        const struct row *row = find_row(rows, cell, all_v[k]);
        if (row)
            printf("  %6.2f [%6.2f, %6.2f]", row->median, row->median_interval.low,
                   row->median_interval.high);
        else
            printf("  %6s %16s", "-", "");
    }
    printf("  v=%u\n", sweep->points[point].choice.confirmed);
}

/* Measures `best` and `smallest` of each point again, on fresh trees and documents. The first
 * comparison is biased, because `best` was chosen for having the least median. */
static enum status confirm_all(struct sweep *sweep, struct error *error) {
    for (size_t i = 0; i < sweep->n_points; i++) {
        sweep->confirming[i] =
            make_cell(sweep->points[i].depth, sweep->points[i].features, TRIAL_CONFIRM);
        set_variant(&sweep->confirming[i], sweep->points[i].choice.smallest);
        if (sweep->points[i].choice.best != sweep->points[i].choice.smallest)
            set_variant(&sweep->confirming[i], sweep->points[i].choice.best);
        cell_set_key(&sweep->confirming[i]);
    }
    struct rows rows;
    enum status status = measure(sweep, sweep->confirming, sweep->n_points, &rows, error);
    if (status)
        return status;
    printf("%s, ns per document by the CPU clock: median [95 %% interval] for each v; synthetic "
           "trees\n%8s %5s",
           impl_with_role(IMPL_SWEPT)->name, "features", "depth");
    for (size_t k = 0; k < VS; k++)
        printf("  v=%-22u", all_v[k]);
    printf("chosen\n");
    for (size_t i = 0; i < sweep->n_points; i++) {
        confirm(&rows, &sweep->confirming[i], &sweep->points[i].choice);
        print_point(sweep, &rows, i);
    }
    cells_count_rows(&rows, &sweep->tally);
    status = store_write_csv(sweep->directory, &rows, error);
    rows_free(&rows);
    return status;
}

static enum status remember(const struct sweep *sweep, struct error *error) {
    struct vpred_choice choices[POINTS_MAX];
    struct cpu_info cpu;
    cpu_read_info(&cpu);
    for (size_t i = 0; i < sweep->n_points; i++)
        choices[i] = (struct vpred_choice){.depth = sweep->points[i].depth,
                                           .features = sweep->points[i].features,
                                           .v = sweep->points[i].choice.confirmed};
    return vpred_choice_store(cpu.model, choices, sweep->n_points, error);
}

/* The grid of asadi2014. */
static const struct flag_integers paper_depths = {{3, 5, 7, 9, 11}, 5};
static const struct flag_integers paper_features = {{32, 128, 512}, 3};

/* Adds the requested points; by default, the points of asadi2014. */
static void add_points(struct sweep *sweep, const struct sweep_options *options) {
    const struct flag_integers *depths = options->depths.count ? &options->depths : &paper_depths;
    const struct flag_integers *features =
        options->features.count ? &options->features : &paper_features;
    for (size_t f = 0; f < features->count; f++)
        for (size_t d = 0; d < depths->count; d++)
            sweep->points[sweep->n_points++] = (struct sweep_point){
                .depth = (uint32_t)depths->items[d], .features = (uint32_t)features->items[f]};
}

/* Prints which sweeps can be started. Called if no options are given. */
static enum status print_plan(void) {
    printf("Nothing was started. A sweep times vpred with every v on synthetic trees, stores the "
           "best\n"
           "v for this processor, and takes less than a minute. By default it has %zu points: %zu\n"
           "depths and %zu numbers of features.\n\n"
           "Start it:\n"
           "  treebench sweep --out results/sweep           the default grid\n"
           "  treebench sweep --depth 6 --features 136      one point\n",
           paper_depths.count * paper_features.count, paper_depths.count, paper_features.count);
    return STATUS_OK;
}

static const struct flag flags[] = {
    {"depth", "N", "depth of the trees; may be repeated (default: 3, 5, 7, 9, 11)",
     SETS_INTEGERS(sweep_options, depths, 1, 20)},
    {"features", "N", "features of the documents; may be repeated (default: 32, 128, 512)",
     SETS_INTEGERS(sweep_options, features, 1, 100000)},
    {"out", "DIR", "the folder for the rows (default: results/sweep)",
     SETS_TEXT(sweep_options, directory), .file = FLAG_WRITES_FOLDER},
    RESUME_FLAG(sweep_options, again),
    AGAIN_FLAG(sweep_options, again),
    {0}};

static enum status run(struct parsed *parsed, struct error *error) {
    const struct sweep_options *options = parsed->request;
    if (!parsed->given)
        return print_plan();
    struct sweep *sweep = calloc(1, sizeof *sweep);
    if (!sweep)
        return error_memory(error, "the sweep");
    sweep->directory = options->directory;
    add_points(sweep, options);
    sweep->again = again_of(&options->again);
    enum status status = choose_all(sweep, error);
    if (!status)
        status = confirm_all(sweep, error);
    if (!status)
        status = remember(sweep, error);
    parsed->exit_status = tally_conclude(&sweep->tally);
    free(sweep);
    return status;
}

const struct command command_sweep = {
    .name = "sweep",
    .summary = "find the best v for vpred on this machine, and store it",
    .details =
        "Measures vpred for every v on synthetic trees. At each point it takes the smallest v that "
        "is not measurably slower than the best, and measures both again on new trees and "
        "documents. The choice is stored for this processor, in the user's configuration folder. "
        "`vpred` without a v then uses the choice of the nearest point.\n"
        "\n"
        "The default grid is that of asadi2014: depths 3 to 11, and 32, 128 and 512 features. It "
        "takes less than a minute. Without any option, the command only prints what it would do.\n"
        "\n"
        "Example:\n"
        "  treebench sweep --depth 6 --features 136",
    .flags = flags,
    .request = &(struct sweep_options){.directory = "results/sweep"},
    .run = run,
};
