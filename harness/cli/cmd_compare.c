/* treebench compare: times implementations on the user's model and documents. */
#include "harness/cli/commands.h"
#include "harness/cli/shared/counts_table.h"
#include "harness/cli/shared/inputs.h"
#include "harness/cli/shared/measuring_flags.h"
#include "harness/cli/shared/paint.h"
#include "harness/cli/shared/specs.h"
#include "harness/measure/measure.h"
#include "harness/measure/parallel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORISED_DOCUMENTS = 65536 };

struct compare_options {
    struct input_files files;
    struct flag_texts impls;
    /* block: documents per call; 0: the number that the implementation scores in one step */
    int64_t rounds, placements, block;
    int clock, counters; /* 0: not given; otherwise the index of the choice plus 1 */
    struct threads_options threads;
};

struct comparison {
    const struct input_files *files;
    struct inputs in;
    struct flag_texts variants;
    struct specs specs; /* the variants' texts */
    struct measure_request how;
    struct row *rows;
};

/* Without --impl, selects all installed implementations with their default parameters. */
static enum status choose_variants(const struct flag_texts *typed, struct comparison *c,
                                   struct error *error) {
    enum status status = specs_expand(typed, impl_is_here, &c->specs, error);
    if (!status && c->specs.count > FLAG_LIST_MAX)
        status = error_set(error, STATUS_INPUT,
                           "--impl: %zu implementations are more than the limit of %d",
                           c->specs.count, (int)FLAG_LIST_MAX);
    for (size_t i = 0; !status && i < c->specs.count; i++)
        c->variants.items[c->variants.count++] = c->specs.list[i].text;
    return status;
}

static enum status measure(struct comparison *c, struct error *error) {
    c->rows = calloc(c->variants.count, sizeof *c->rows);
    if (!c->rows)
        return error_memory(error, "rows");
    struct workload workload = {.kind = "files"}; /* measure_cell sets the sizes */
    snprintf(workload.model, sizeof workload.model, "%s", c->files->model);
    snprintf(workload.data, sizeof workload.data, "%s", c->files->data);
    for (size_t i = 0; i < c->variants.count; i++) {
        row_init(&c->rows[i]);
        c->rows[i].workload = workload;
        row_set_variant(&c->rows[i], c->variants.items[i]);
    }
    return measure_cell(c->in.ensemble, c->in.documents, c->variants.items, c->variants.count,
                        &c->how, c->rows, error);
}

static void print_times(const struct row *row, const struct row *base, const char *variant,
                        int width) {
    printf("%-*s %11.2f  [%.2f, %.2f]", width, variant, row->median, row->median_interval.low,
           row->median_interval.high);
    if (base && base != row) {
        struct ratio ratio = row_paired_ratio(row, base);
        printf("  %8.3f  [%.3f, %.3f]", ratio.value, ratio.interval.low, ratio.interval.high);
    } else if (base) {
        printf("  %8.3f", 1.0);
    }
}

static void print_row(const struct row *row, const struct row *base, bool is_fastest, int width) {
    char variant[2 * ROW_NAME_SIZE];
    row_variant(row, variant, sizeof variant);
    if (row->status != ROW_OK) {
        printf("%-*s %s: %s\n", width, variant, row_status_names[row->status], row->reason);
        return;
    }
    printf("%s", is_fastest ? paint(stdout, PAINT_GOOD) : "");
    print_times(row, base, variant, width);
    printf("%s\n", is_fastest ? paint(stdout, PAINT_OFF) : "");
}

/* Returns the row with the least time, or NULL if no row has a time. Ignores baselines, because
 * they compute no scores. */
static const struct row *find_fastest(const struct comparison *c) {
    const struct row *fastest = NULL;
    for (size_t i = 0; i < c->variants.count; i++) {
        const struct row *row = &c->rows[i];
        const struct impl *impl = impl_find(row->impl, NULL);
        if (row->status == ROW_OK && impl && impl->kind != IMPL_BASELINE &&
            (!fastest || row->median < fastest->median))
            fastest = row;
    }
    return fastest;
}

static int variants_width(const struct flag_texts *variants) {
    size_t width = 18;
    for (size_t i = 0; i < variants->count; i++)
        width = strlen(variants->items[i]) > width ? strlen(variants->items[i]) : width;
    return (int)width;
}

/* Returns the exit status that this row alone would cause. */
static int exit_status_of(const struct row *row, bool is_named) {
    if (row->status == ROW_WRONG || row->status == ROW_FAILED)
        return EXIT_CHECK;
    return row->status == ROW_UNSUPPORTED && is_named ? EXIT_MACHINE : EXIT_DONE;
}

/* Prints a row's reason on stderr too, because stdout may go to a file. Adds the implementation's
 * name unless the reason begins with it. */
static void tell_failure(const struct row *row) {
    char variant[2 * ROW_NAME_SIZE];
    row_variant(row, variant, sizeof variant);
    if (strncmp(row->reason, row->impl, strlen(row->impl)) == 0)
        command_note("%s", row->reason);
    else
        command_note("%s: %s: %s", variant, row_status_names[row->status], row->reason);
}

/* Prints the versions of the libraries that are compared. */
static void print_versions(const struct comparison *c) {
    for (size_t i = 0; i < c->variants.count; i++) {
        char version[64] = "";
        const struct impl *impl = impl_find(c->rows[i].impl, NULL);
        if (impl && c->rows[i].status == ROW_OK)
            impl_version(impl, version, sizeof version);
        if (*version)
            printf("%s: %s\n", c->rows[i].impl, version);
    }
}

/* Sampling may have ended early. */
static size_t rounds_taken(const struct comparison *c) {
    size_t most = 0;
    for (size_t i = 0; i < c->variants.count; i++)
        most = c->rows[i].samples.count > most ? c->rows[i].samples.count : most;
    return most;
}

static int print_rows(const struct comparison *c) {
    const struct row *base = c->rows[0].status == ROW_OK ? &c->rows[0] : NULL;
    const struct row *fastest = find_fastest(c);
    bool wrong = false, refused = false;
    int width = variants_width(&c->variants);
    printf("%zu documents, %u trees; ns per document by the %s clock, median of %zu interleaved "
           "rounds, 95 %% intervals\n",
           c->in.documents->n_rows, c->in.ensemble->n_trees, c->how.clock, rounds_taken(c));
    if (c->how.plan.threads > 1)
        printf("%u threads over %s\n", c->how.plan.threads, parallel_names[c->how.plan.parallel]);
    print_versions(c);
    if (c->in.documents->n_rows < MEMORISED_DOCUMENTS)
        printf("note: branch predictors memorise so few documents, which flatters implementations "
               "that branch; use at least %d (docs/floors.md)\n",
               MEMORISED_DOCUMENTS);
    printf("%-*s %11s  interval%s\n", width, "implementation", "ns/document",
           base ? "  ratio to the first" : "; no ratios: the first has no time");
    for (size_t i = 0; i < c->variants.count; i++) {
        print_row(&c->rows[i], base, &c->rows[i] == fastest, width);
        int caused = exit_status_of(&c->rows[i], c->specs.list[i].is_named);
        if (caused != EXIT_DONE)
            tell_failure(&c->rows[i]);
        wrong |= caused == EXIT_CHECK;
        refused |= caused == EXIT_MACHINE;
    }
    if (c->how.counters != COUNTERS_NONE)
        counts_table_print(c->rows, c->variants.count, counters_source_names[c->how.counters],
                           stdout);
    return wrong ? EXIT_CHECK : refused ? EXIT_MACHINE : EXIT_DONE;
}

/* Makes a model with one tree of one leaf. */
static enum status make_smallest(struct ensemble **ensemble, struct error *error) {
    struct ensemble_builder *builder = ensemble_builder_create();
    if (!builder)
        return error_memory(error, "an ensemble");
    ensemble_builder_add_tree(builder, 0);
    ensemble_builder_add_leaf(builder, 0, ENSEMBLE_NO_COUNT);
    return ensemble_builder_finish(builder, &(struct ensemble_shape){.n_features = 1}, ensemble,
                                   error);
}

/* Checks the values of a variant's parameters. Only building a scorer checks them, so this function
 * builds one for the smallest model. */
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

/* Finds mistakes in --impl before anything is measured. A model that an implementation does not
 * support is not a mistake, because the implementation's row reports it. */
static enum status check_variants(const struct flag_texts *variants, struct error *error) {
    struct ensemble *smallest;
    enum status status = make_smallest(&smallest, error);
    if (status)
        return status;
    for (size_t i = 0; i < variants->count && !status; i++)
        status = check_values(variants->items[i], smallest, error);
    ensemble_free(smallest);
    return status;
}

/* Sampling ends early if every ratio is clearly different from 1. Ratios are looked at after four
 * and more placements. Each look errs in at most 1 of 1,000 cases, so all looks together hardly add
 * to the 5 % of the intervals. */
static bool is_settled(const struct row *rows, size_t n_rows) {
    const double margin = 0.1, confidence = 0.999;
    struct placed_samples first = row_placed_samples(&rows[0]);
    if (rows[0].status != ROW_OK || first.count < 4 * first.rounds || n_rows < 2)
        return false;
    for (size_t i = 1; i < n_rows; i++)
        if (rows[i].status == ROW_OK &&
            !placements_ratio_is_beyond(row_placed_samples(&rows[i]), first, margin, confidence))
            return false;
    return true;
}

static enum status plan_comparison(const struct compare_options *options,
                                   struct measure_request *how, struct error *error) {
    struct plan plan = {.order = ORDER_DS, .doc_block = (size_t)options->block};
    enum status status = threads_plan(&options->threads, &plan, error);
    int clock = options->clock ? options->clock - 1 : plan.threads > 1;
    *how = (struct measure_request){.note = command_show,
                                    .rounds = (uint32_t)options->rounds,
                                    .placements = (uint32_t)options->placements,
                                    .is_settled = is_settled,
                                    .clock = clock_words[clock],
                                    .counters = options->counters
                                                    ? (enum counters_source)(options->counters - 1)
                                                    : COUNTERS_NONE,
                                    .plan = plan,
                                    .single_documents = options->block == 0};
    return status;
}

static const struct flag flags[] = {
    MODEL_FLAG(compare_options, files, true),
    DATA_FLAG(compare_options, files, true),
    LABEL_FLAG(compare_options, files),
    MISSING_FLAG(compare_options, files),
    FIRST_FEATURE_FLAG(compare_options, files),
    TREES_FLAG(compare_options, files),
    {"impl", "SPEC", SPECS_HELP " (default: all)", SETS_TEXTS(compare_options, impls)},
    {"rounds", "N", "samples of each (default: 24)",
     SETS_INTEGER(compare_options, rounds, 2, 100000)},
    {"placements", "N", "spread the rounds over N placements (default: 8)",
     SETS_INTEGER(compare_options, placements, 1, 100000)},
    {"block", "N", "score N documents per call (default: one step of the implementation)",
     SETS_INTEGER(compare_options, block, 1, 1LL << 40)},
    CLOCK_FLAG(compare_options, clock, "cpu for one thread, else wall"),
    COUNTERS_FLAG(compare_options, counters, "none"),
    THREADS_FLAG(compare_options, threads),
    PARALLEL_FLAG(compare_options, threads),
    {0}};

static int run(int argc, char **argv) {
    struct compare_options options = {.rounds = 24, .placements = 8};
    struct parsed parsed = command_parse(&command_compare, argc, argv, &options);
    if (parsed.ends)
        return parsed.exit_status;
    struct error error;
    struct comparison c = {.files = &options.files};
    enum status status = plan_comparison(&options, &c.how, &error);
    if (!status)
        status = choose_variants(&options.impls, &c, &error);
    if (!status)
        status = check_variants(&c.variants, &error);
    if (!status)
        status = inputs_read(&options.files, &c.in, &error);
    if (!status)
        status = measure(&c, &error);
    int exit_status = status ? command_fail(status, &error) : print_rows(&c);
    for (size_t i = 0; c.rows && i < c.variants.count; i++)
        row_free(&c.rows[i]);
    free(c.rows);
    specs_free(&c.specs);
    inputs_free(&c.in);
    return exit_status;
}

const struct command command_compare = {
    .name = "compare",
    .summary = "time implementations against each other on a model and documents",
    .details = "First checks the scores of each implementation against the reference. Then samples "
               "all of them in rotated, interleaved rounds, so that drift of the machine affects "
               "all alike. Ratios are to the first implementation: under 1 is faster.\n"
               "\n"
               "Threads over trees meet after every --block of documents, or at the end of a pass. "
               "--counters adds the events of a pass per document and tree. auto is perf if "
               "available, else PAPI. callgrind simulates a processor, for machines without "
               "counters, and takes seconds per implementation.\n"
               "\n"
               "Exit status 1: one gave wrong scores. 4: one that was named cannot run here.\n"
               "\n"
               "Example:\n"
               "  treebench compare --model m.json --data d.txt --impl struct-plus --impl qs",
    .flags = flags,
    .run = run,
};
