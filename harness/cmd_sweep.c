/* treebench sweep: which v is best for vpred on this machine. */
#include "base/cpu.h"
#include "harness/again.h"
#include "harness/cells.h"
#include "harness/command.h"
#include "harness/machine.h"
#include "harness/store.h"
#include "impls/vpred_choice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned all_v[] = {1, 4, 8, 16, 32, 64};

enum {
    VS = sizeof all_v / sizeof *all_v,
    AXIS_MAX = 16,
    POINTS_MAX = AXIS_MAX * AXIS_MAX,
    ROUNDS = 9
};
#define SWEEP_SEED 2014u

/* Documents that outgrow common last-level caches, but not the patience of who waits. */
static const uint64_t documents_bytes = 128u << 20;
static const uint64_t documents_most = 524288;

enum { TRIAL_CHOOSE, TRIAL_CONFIRM };

static void set_variant(struct grid_cell *cell, unsigned v) {
    snprintf(cell->variants[cell->n_variants++], ROW_NAME_SIZE, "vpred,v=%u", v);
}

static struct grid_cell make_cell(uint32_t depth, uint32_t features, uint32_t trial) {
    uint64_t documents = documents_bytes / (features * sizeof(float));
    return (struct grid_cell){
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

static const struct row *find_row(const struct rows *rows, const struct grid_cell *cell,
                                  unsigned v) {
    char params[ROW_NAME_SIZE];
    snprintf(params, sizeof params, "v=%u", v);
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->list[i].cell, cell->key) == 0 && rows->list[i].status == ROW_OK &&
            strcmp(rows->list[i].params, params) == 0)
            return &rows->list[i];
    return NULL;
}

/* Is v slower than the best beyond the noise of their common rounds? */
static struct ratio ratio_to(const struct row *row, const struct row *best) {
    return stats_paired_ratio(row->samples.cpu, best->samples.cpu, row->samples.count, SWEEP_SEED);
}

struct choice {
    unsigned best, smallest; /* v: with the least median, and the smallest not resolved from it */
    unsigned confirmed;      /* the one to use, after fresh documents */
};

static bool choose(const struct rows *rows, const struct grid_cell *cell, struct choice *choice) {
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

static void confirm(const struct rows *rows, const struct grid_cell *cell, struct choice *choice) {
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
    struct grid_cell choosing[POINTS_MAX], confirming[POINTS_MAX];
    struct cells_tally tally;
};

/* Measures cells into the sweep's folder and loads all that is there. */
static enum status measure(struct sweep *sweep, const struct grid_cell *cells, size_t n_cells,
                           struct rows *rows, struct error *error) {
    struct measuring how = {.clock = "cpu", .counters = COUNTERS_NONE};
    struct store *store;
    cJSON *manifest = machine_manifest();
    if (manifest == NULL || !cJSON_AddStringToObject(manifest, "clock", how.clock)) {
        cJSON_Delete(manifest);
        return error_memory(error, "a sweep's manifest");
    }
    bool resume;
    enum status status = again_prepare(sweep->directory, sweep->again, manifest, &resume, error);
    if (status == STATUS_OK)
        status = store_open(sweep->directory, resume, manifest, &store, error);
    cJSON_Delete(manifest);
    if (status != STATUS_OK)
        return status;
    sweep->again = AGAIN_RESUME; /* the second phase goes on in the folder of the first */
    status = cells_run(cells, n_cells, how, sweep->directory, store, &sweep->tally, error);
    store_close(store);
    return status == STATUS_OK ? store_load(sweep->directory, rows, error) : status;
}

static enum status choose_all(struct sweep *sweep, struct error *error) {
    for (size_t i = 0; i < sweep->n_points; i++) {
        sweep->choosing[i] =
            make_cell(sweep->points[i].depth, sweep->points[i].features, TRIAL_CHOOSE);
        for (size_t k = 0; k < VS; k++)
            set_variant(&sweep->choosing[i], all_v[k]);
        grid_set_key(&sweep->choosing[i]);
    }
    struct rows rows;
    enum status status = measure(sweep, sweep->choosing, sweep->n_points, &rows, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < sweep->n_points && status == STATUS_OK; i++)
        if (!choose(&rows, &sweep->choosing[i], &sweep->points[i].choice))
            status = error_set(error, STATUS_MACHINE, "sweep: no v could be measured at depth %u",
                               sweep->points[i].depth);
    rows_free(&rows);
    return status;
}

static void print_point(const struct sweep *sweep, const struct rows *rows, size_t point) {
    const struct grid_cell *cell = &sweep->choosing[point];
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

/* The smallest v that is not resolved from the best, and the best, once more on fresh trees and
 * documents: the least of several medians flatters itself. */
static enum status confirm_all(struct sweep *sweep, struct error *error) {
    for (size_t i = 0; i < sweep->n_points; i++) {
        sweep->confirming[i] =
            make_cell(sweep->points[i].depth, sweep->points[i].features, TRIAL_CONFIRM);
        set_variant(&sweep->confirming[i], sweep->points[i].choice.smallest);
        if (sweep->points[i].choice.best != sweep->points[i].choice.smallest)
            set_variant(&sweep->confirming[i], sweep->points[i].choice.best);
        grid_set_key(&sweep->confirming[i]);
    }
    struct rows rows;
    enum status status = measure(sweep, sweep->confirming, sweep->n_points, &rows, error);
    if (status != STATUS_OK)
        return status;
    printf("vpred, ns per document by the CPU clock: median [95 %% interval] for each v; synthetic "
           "trees\n%8s %5s",
           "features", "depth");
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

static int sweep_command(int argc, char **argv);

const struct command command_sweep = {
    .name = "sweep",
    .summary = "find this machine's best v for vpred, and remember it",
    .details =
        "Measures vpred for every v on synthetic trees of the given depths and numbers of "
        "features\n"
        "(by default those of asadi2014: depths 3 to 11; 32, 128 and 512 features), takes the\n"
        "smallest v that is not resolved from the best, measures the two again on fresh trees and\n"
        "documents, and stores the choice for this CPU model in the user's configuration folder.\n"
        "`vpred` without a v uses the nearest one from then on. The default grid takes less than\n"
        "a minute.\n"
        "\n"
        "Example:\n"
        "  treebench sweep --depth 6 --features 136",
    .run = sweep_command};

/* The values of a repeatable option, or the standard ones. */
static enum status read_axis(const char *flag, const struct flag_list *given, long long high,
                             const uint32_t *standard, size_t n_standard, uint32_t *axis,
                             size_t *count, struct error *error) {
    if (given->count > AXIS_MAX)
        return error_set(error, STATUS_INPUT, "--%s: given %zu times; at most %d", flag,
                         given->count, AXIS_MAX);
    *count = given->count ? given->count : n_standard;
    for (size_t i = 0; i < *count; i++) {
        long long value;
        if (!given->count)
            axis[i] = standard[i];
        else if (command_integer(flag, given->items[i], 1, high, &value, error) == STATUS_OK)
            axis[i] = (uint32_t)value;
        else
            return STATUS_INPUT;
    }
    return STATUS_OK;
}

static enum status read_points(struct sweep *sweep, const struct flag_list *depths,
                               const struct flag_list *features, struct error *error) {
    static const uint32_t paper_depths[] = {3, 5, 7, 9, 11}, paper_features[] = {32, 128, 512};
    uint32_t depth[AXIS_MAX], width[AXIS_MAX];
    size_t n_depths, n_widths;
    enum status status = read_axis("depth", depths, 20, paper_depths, 5, depth, &n_depths, error);
    if (status == STATUS_OK)
        status =
            read_axis("features", features, 100000, paper_features, 3, width, &n_widths, error);
    for (size_t f = 0; status == STATUS_OK && f < n_widths; f++)
        for (size_t d = 0; d < n_depths; d++)
            sweep->points[sweep->n_points++] =
                (struct sweep_point){.depth = depth[d], .features = width[f]};
    return status;
}

static int sweep_command(int argc, char **argv) {
    const char *directory = "results/sweep", *resume = NULL, *again = NULL;
    struct flag_list depths = {0}, features = {0};
    struct flag flags[] = {
        {"depth", "N", "depth of the trees; may be repeated", NULL, &depths},
        {"features", "N", "features of the documents; may be repeated", NULL, &features},
        {"out", "DIR", "where the rows go (default: results/sweep)", &directory, NULL},
        RESUME_FLAG("sweep", resume),
        AGAIN_FLAG(again),
        {0}};
    bool done;
    int exit_status = command_parse(&command_sweep, flags, argc, argv, NULL, &done);
    if (exit_status != EXIT_DONE || done)
        return exit_status;
    struct error error;
    struct sweep *sweep = calloc(1, sizeof *sweep);
    if (!sweep)
        return command_fail(error_memory(&error, "the sweep"), &error);
    sweep->directory = directory;
    enum status status = again_parse(resume, again, &sweep->again, &error);
    if (!status)
        status = command_check_folder("out", directory, &error);
    if (status == STATUS_OK)
        status = read_points(sweep, &depths, &features, &error);
    if (status == STATUS_OK)
        status = choose_all(sweep, &error);
    if (status == STATUS_OK)
        status = confirm_all(sweep, &error);
    if (status == STATUS_OK)
        status = remember(sweep, &error);
    exit_status = cells_exit_status(&sweep->tally);
    free(sweep);
    return status == STATUS_OK ? exit_status : command_fail(status, &error);
}
