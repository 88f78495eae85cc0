/* treebench compare: implementations on the user's own model and documents, in one run. */
#include "harness/command.h"
#include "harness/counts_table.h"
#include "harness/grid.h"
#include "harness/inputs.h"
#include "harness/measure.h"
#include "harness/specs.h"
#include "harness/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STANDARD_ROUNDS = 21, MEMORISED_DOCUMENTS = 65536 };

struct comparison {
    struct inputs in;
    struct flag_list variants;
    struct specs specs;   /* the variants' texts */
    const char *counters; /* as asked for */
    struct measuring how;
    struct row *rows;
};

/* Every traversal with its standard parameters, the libraries that are here, the two floors. */
static enum status choose_variants(const struct flag_list *typed, struct comparison *c,
                                   struct error *error) {
    enum status status = specs_expand(typed, impl_is_here, &c->specs, error);
    if (!status && c->specs.count > FLAG_LIST_MAX)
        status = error_set(error, STATUS_INPUT, "--impl: %zu implementations, at most %d",
                           c->specs.count, (int)FLAG_LIST_MAX);
    for (size_t i = 0; !status && i < c->specs.count; i++)
        c->variants.items[c->variants.count++] = c->specs.list[i].text;
    return status;
}

static enum status measure(const char *model, const char *data, struct comparison *c,
                           struct error *error) {
    c->rows = calloc(c->variants.count, sizeof *c->rows);
    if (!c->rows)
        return error_memory(error, "rows");
    struct workload workload = {.kind = "files"}; /* measuring fills in its shape */
    snprintf(workload.model, sizeof workload.model, "%s", model);
    snprintf(workload.data, sizeof workload.data, "%s", data);
    for (size_t i = 0; i < c->variants.count; i++) {
        row_init(&c->rows[i]);
        c->rows[i].workload = workload;
        grid_set_variant(&c->rows[i], c->variants.items[i]);
    }
    return measure_cell(c->in.ensemble, c->in.documents, c->variants.items, c->variants.count,
                        &c->how, c->rows, error);
}

static void print_row(const struct row *row, const struct row *base, int width) {
    char variant[2 * ROW_NAME_SIZE];
    row_variant(row, variant, sizeof variant);
    if (row->status != ROW_OK) {
        printf("%-*s %s: %s\n", width, variant, row_status_names[row->status], row->reason);
        return;
    }
    printf("%-*s %11.2f  [%.2f, %.2f]", width, variant, row->median, row->median_interval.low,
           row->median_interval.high);
    if (base && base != row) {
        struct ratio ratio = stats_paired_ratio(row_reported_samples(row),
                                                row_reported_samples(base), row->samples.count, 1);
        printf("  %8.3f  [%.3f, %.3f]", ratio.value, ratio.interval.low, ratio.interval.high);
    } else if (base) {
        printf("  %8.3f", 1.0);
    }
    printf("\n");
}

/* Of the column of names. */
static int variants_width(const struct flag_list *variants) {
    size_t width = 18;
    for (size_t i = 0; i < variants->count; i++)
        width = strlen(variants->items[i]) > width ? strlen(variants->items[i]) : width;
    return (int)width;
}

static int print_rows(const struct comparison *c) {
    const struct row *base = c->rows[0].status == ROW_OK ? &c->rows[0] : NULL;
    size_t wrong = 0, refused = 0;
    int width = variants_width(&c->variants);
    printf("%zu documents, %u trees; ns per document by the %s clock, median of %u interleaved "
           "rounds, 95 %% intervals\n",
           c->in.documents->n_rows, c->in.ensemble->n_trees, c->how.clock, c->how.rounds);
    if (c->how.plan.threads > 1)
        printf("%u threads over %s\n", c->how.plan.threads,
               threads_parallel_name(c->how.plan.parallel));
    if (c->in.documents->n_rows < MEMORISED_DOCUMENTS)
        printf("note: branch predictors learn so few documents by heart, which flatters "
               "implementations that branch; give at least %d (docs/floors.md)\n",
               MEMORISED_DOCUMENTS);
    printf("%-*s %11s  interval%s\n", width, "implementation", "ns/document",
           base ? "  ratio to the first" : "; no ratios: the first has no time");
    for (size_t i = 0; i < c->variants.count; i++) {
        print_row(&c->rows[i], base, width);
        wrong += c->rows[i].status == ROW_WRONG || c->rows[i].status == ROW_FAILED;
        refused += c->rows[i].status == ROW_UNSUPPORTED && c->specs.list[i].is_named;
    }
    if (c->how.counters != COUNTERS_NONE)
        counts_table_print(c->rows, c->variants.count, c->counters, stdout);
    return wrong ? EXIT_CHECK : refused ? EXIT_MACHINE : EXIT_DONE;
}

static int compare_command(int argc, char **argv);

const struct command command_compare = {
    .name = "compare",
    .summary = "time implementations against each other on a model and documents",
    .details =
        "Checks each implementation's scores against the reference, by one thread and, with\n"
        "--threads, by as many; then samples all of them in\n"
        "rotated, interleaved rounds, so that drift of the machine meets all alike. The ratio is\n"
        "to the first one named: under 1 is faster. Exit status 1: one was wrong; 4: one that\n"
        "was named could not run here. Threads over trees meet after every --block, or\n"
        "else at the end of a pass.\n"
        "--counters adds what a pass executes per document and tree: auto is perf, else PAPI;\n"
        "callgrind simulates it, for machines without counters, in seconds for each.\n"
        "\n"
        "Example:\n"
        "  treebench compare --model m.json --data d.txt --impl struct-plus --impl "
        "vpred,v=16",
    .run = compare_command};

/* A tree of one leaf. */
static enum status make_smallest(struct ensemble **ensemble, struct error *error) {
    struct ensemble_builder *builder = ensemble_builder_create();
    if (!builder)
        return error_memory(error, "an ensemble");
    ensemble_builder_add_tree(builder, 0);
    ensemble_builder_add_leaf(builder, 0, ENSEMBLE_NO_COUNT);
    return ensemble_builder_finish(builder, &(struct ensemble_shape){.n_features = 1}, ensemble,
                                   error);
}

/* Values of options are checked where a scorer is built. */
static enum status check_values(const char *variant, const struct ensemble *smallest,
                                struct error *error) {
    struct options options;
    struct scorer *scorer;
    if (!impl_parse(variant, &options, error))
        return STATUS_INPUT;
    if (options.count == 0)
        return STATUS_OK;
    enum status status = scorer_build(variant, smallest, &scorer, error);
    if (!status)
        scorer_destroy(scorer);
    return status == STATUS_INPUT ? status : STATUS_OK;
}

/* What is misspelled is a mistake, found before anything is measured; a refusal is a result. */
static enum status check_variants(const struct flag_list *variants, struct error *error) {
    struct ensemble *smallest;
    enum status status = make_smallest(&smallest, error);
    if (status)
        return status;
    for (size_t i = 0; i < variants->count && !status; i++)
        status = check_values(variants->items[i], smallest, error);
    ensemble_free(smallest);
    return status;
}

static enum status parse(const char *clock, const char *rounds, const char *block,
                         const char *threads, const char *parallel, struct measuring *how,
                         struct error *error) {
    long long n_rounds = STANDARD_ROUNDS, n_block = 0;
    struct plan plan = {.order = ORDER_DS};
    if (threads_parse(threads, parallel, &plan, error) != STATUS_OK)
        return STATUS_INPUT;
    if (!clock)
        clock = plan.threads > 1 ? "wall" : "cpu";
    if (strcmp(clock, "cpu") != 0 && strcmp(clock, "wall") != 0)
        return error_set(error, STATUS_INPUT,
                         "--clock %s: there is no such clock, only cpu and wall", clock);
    if (rounds && command_integer("rounds", rounds, 2, 100000, &n_rounds, error) != STATUS_OK)
        return STATUS_INPUT;
    if (block && command_integer("block", block, 1, 1LL << 40, &n_block, error) != STATUS_OK)
        return STATUS_INPUT;
    plan.doc_block = (size_t)n_block;
    *how = (struct measuring){
        .rounds = (uint32_t)n_rounds, .clock = clock, .plan = plan, .single_documents = !block};
    return STATUS_OK;
}

static int compare_command(int argc, char **argv) {
    struct input_files files = {0};
    const char *clock = NULL, *rounds = NULL, *block = NULL, *threads = NULL, *parallel = NULL;
    struct flag_list typed = {.count = 0};
    struct comparison c = {.counters = "none"};
    struct flag flags[] = {
        {"model", "FILE", "the ensemble", &files.model, NULL},
        {"data", "FILE", "the documents", &files.data, NULL},
        LABEL_FLAG(files.label),
        MISSING_FLAG(files.missing),
        FIRST_FEATURE_FLAG(files.first_feature),
        TREES_FLAG(files.trees),
        {"impl", "SPEC", SPECS_HELP " (default: all)", NULL, &typed},
        {"rounds", "N", "samples of each (default: 21)", &rounds, NULL},
        {"block", "N", "score N documents before going on (default: one step's worth)", &block,
         NULL},
        {"clock", "NAME", "the clock to report: cpu (the default for one thread) or wall", &clock,
         NULL},
        {"counters", "NAME", COUNTERS_HELP " (default: none)", &c.counters, NULL},
        {"threads", "N", THREADS_HELP, &threads, NULL},
        {"parallel", "documents|trees|both", PARALLEL_HELP, &parallel, NULL},
        {0}};
    bool done;
    int exit_status = command_parse(&command_compare, flags, argc, argv, NULL, &done);
    if (exit_status != EXIT_DONE || done)
        return exit_status;
    if ((exit_status = command_require(&command_compare, flags, "model")) != EXIT_DONE ||
        (exit_status = command_require(&command_compare, flags, "data")) != EXIT_DONE)
        return exit_status;
    struct error error;
    enum status status = parse(clock, rounds, block, threads, parallel, &c.how, &error);
    if (status == STATUS_OK)
        status = counters_parse(c.counters, &c.how.counters, &error);
    if (status == STATUS_OK)
        status = choose_variants(&typed, &c, &error);
    if (status == STATUS_OK)
        status = check_variants(&c.variants, &error);
    if (status == STATUS_OK)
        status = inputs_read(&files, &c.in, &error);
    if (status == STATUS_OK)
        status = measure(files.model, files.data, &c, &error);
    exit_status = status == STATUS_OK ? print_rows(&c) : command_fail(status, &error);
    for (size_t i = 0; c.rows && i < c.variants.count; i++)
        row_free(&c.rows[i]);
    free(c.rows);
    specs_free(&c.specs);
    inputs_free(&c.in);
    return exit_status;
}
