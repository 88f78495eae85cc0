/* treebench demo: a first demonstration. The user needs no model and no documents. */
#include "datasets/catalogue.h"
#include "harness/cli/shared/commands.h"
#include "harness/instruments/timer.h"
#include "harness/measure/measure.h"
#include "synth/grown.h"
#include "synth/standin.h"

#include <stdio.h>
#include <string.h>

/* One round of all variants takes less than half a second. It makes too many decisions for branch
 * predictors to memorise. DOCUMENTS is a multiple of 1024, so that no kernel has an incomplete last
 * step. */
enum { DOCUMENTS = 5120, TREES = 500, LEAVES = 64, SEED = 1 };
enum { SECONDS = 9, ROUNDS = 21, LEAST_ROUNDS = 3 };
enum { VARIANTS_MAX = 16, TEXT_SIZE = 256 };
static const char DATA_SET[] = "mslr-web10k";

struct demo {
    struct ensemble *ensemble;
    struct matrix *documents;
    const char *variants[VARIANTS_MAX]; /* the first is a plain walk, the last is "auto" */
    struct scorer *scorers[VARIANTS_MAX];
    struct row rows[VARIANTS_MAX];
    size_t count;
};

static enum status make_inputs(struct demo *demo, struct error *error) {
    const struct data_set *like;
    enum status status = data_set_find(DATA_SET, &like, error);
    if (!status)
        status = synth_standin(like, DOCUMENTS, SEED, &demo->documents, error);
    if (!status)
        status = synth_grown(demo->documents, &(struct grown_shape){TREES, LEAVES}, SEED,
                             &demo->ensemble, error);
    return status;
}

static void add(struct demo *demo, const char *variant) {
    struct row *row = &demo->rows[demo->count];
    demo->variants[demo->count++] = variant;
    row_init(row);
    row->workload = (struct workload){.kind = "grown", .seed = SEED};
    snprintf(row->workload.data, sizeof row->workload.data, "%s", DATA_SET);
    row_set_variant(row, variant);
}

static void choose_variants(struct demo *demo) {
    size_t n_impls;
    const struct impl *const *impls = impl_all(&n_impls);
    add(demo, impl_with_role(IMPL_PLAIN_WALK)->name);
    add(demo, impl_with_role(IMPL_EXAMPLE)->name);
    for (size_t i = 0; i < n_impls && demo->count < VARIANTS_MAX - 1; i++)
        if (impls[i]->kind == IMPL_LIBRARY && impl_is_here(impls[i]))
            add(demo, impls[i]->name);
    add(demo, "auto");
}

static enum status measure(struct demo *demo, struct error *error) {
    struct progress progress;
    const struct measure_request how = {.rounds = ROUNDS,
                                        .least_rounds = LEAST_ROUNDS,
                                        .placements = LEAST_ROUNDS,
                                        .until_ns =
                                            timer_wall_ns() + SECONDS * UINT64_C(1000000000),
                                        .clock = "cpu",
                                        .note = command_show,
                                        .plan = {.order = ORDER_DS},
                                        .scorers = demo->scorers,
                                        .progress = &progress};
    progress_begin(&progress, 1);
    enum status status = make_inputs(demo, error);
    if (!status)
        status = measure_cell(demo->ensemble, demo->documents, demo->variants, demo->count, &how,
                              demo->rows, error);
    progress_done(&progress);
    return status;
}

/* --- what is printed -------------------------------------------------------------------------- */
static double times_faster(const struct row *row, const struct row *than) {
    return row_paired_ratio(than, row).value;
}

/* Describes an implementation in a few words. For a library, this is its version, such as
 * "XGBoost 1.7.4, libxgboost.so.0". For `auto`, this is its choice, such as "planes-avx512 for 5120
 * documents". */
static void describe(const struct impl *impl, const struct scorer *scorer,
                     char text[static TEXT_SIZE]) {
    if (impl->roles & IMPL_PLAIN_WALK)
        snprintf(text, TEXT_SIZE, "a plain tree walk");
    else if (impl->describe)
        impl->describe(scorer, DOCUMENTS, DOCUMENTS, text, TEXT_SIZE);
    else if (!impl->find || impl->find(text, TEXT_SIZE) != STATUS_OK)
        snprintf(text, TEXT_SIZE, "%s", impl->title);
    text[strcspn(text, ";")] = '\0';
}

static void print_row(const struct demo *demo, size_t i) {
    const struct row *row = &demo->rows[i];
    char what[TEXT_SIZE], speed[32] = "-";
    if (row->status != ROW_OK) {
        printf("%-12s %s: %s\n", row->impl, row_status_names[row->status], row->reason);
        return;
    }
    describe(demo->scorers[i]->impl, demo->scorers[i], what);
    if (demo->rows[0].status == ROW_OK)
        snprintf(speed, sizeof speed, "%.1fx", times_faster(row, &demo->rows[0]));
    bool library = demo->scorers[i]->impl->kind == IMPL_LIBRARY;
    printf("%-12s %-34s %11.0f %9s  %s\n", row->impl, what, row->median, speed,
           library ? "equal in float32" : "equal");
}

static void print_summary(const struct demo *demo) {
    const struct row *fastest = &demo->rows[demo->count - 1];
    printf("\nAll scores were checked against the reference traversal. Times are medians of %zu\n"
           "interleaved rounds; each call has all documents.\n",
           fastest->samples.count);
    for (size_t i = 0; i + 1 < demo->count; i++)
        if (demo->rows[i].status == ROW_OK)
            printf("%s %.0fx faster than %s", i == 0 ? "auto is" : ",",
                   times_faster(fastest, &demo->rows[i]), demo->rows[i].impl);
    printf(".\n");
}

static int print_results(const struct demo *demo) {
    size_t bad = 0, timed = 0;
    printf("%d trees of %d leaves score %d documents of %u features on one core.\n"
           "The documents have the shape of %s. The trees are grown at random, not\n"
           "trained: their speed is real, their scores mean nothing.\n\n",
           TREES, LEAVES, DOCUMENTS, demo->documents->n_features, DATA_SET);
    printf("%-47s %11s %9s  scores\n", "implementation", "ns/document", "speed");
    for (size_t i = 0; i < demo->count; i++) {
        const struct row *row = &demo->rows[i];
        print_row(demo, i);
        bad += row->status == ROW_WRONG || row->status == ROW_FAILED;
        timed += row->status == ROW_OK;
    }
    if (timed == demo->count)
        print_summary(demo);
    printf("\nNext, find the fastest implementation for your own model:\n"
           "  treebench tune --model FILE\n");
    return bad ? EXIT_CHECK : EXIT_DONE;
}

static enum status run(struct parsed *parsed, struct error *error) {
    struct demo demo = {0};
    choose_variants(&demo);
    enum status status = measure(&demo, error);
    if (!status)
        parsed->exit_status = print_results(&demo);
    for (size_t i = 0; i < demo.count; i++) {
        row_free(&demo.rows[i]);
        scorer_destroy(demo.scorers[i]);
    }
    ensemble_free(demo.ensemble);
    matrix_free(demo.documents);
    return status;
}

static const struct flag flags[] = {{0}};

const struct command command_demo = {
    .name = "demo",
    .summary = "compare the fastest implementation with others, in ten seconds",
    .details = "Makes documents and a model, and scores them with a plain tree walk, QuickScorer, "
               "the installed libraries, and auto, which chooses among treebench's own "
               "implementations. Checks that all scores are equal, and prints the time per "
               "document of each. Libraries that add in float32 may differ by float32 rounding.\n"
               "\n"
               "Exit status 1: an implementation gave wrong scores.\n"
               "\n"
               "Example:\n"
               "  treebench demo",
    .flags = flags,
    .run = run,
};
