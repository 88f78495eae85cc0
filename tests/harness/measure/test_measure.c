/* A cell with a kernel that is wrong on purpose: this program brings its own STRUCT+, whose only
 * comparison is `<`. The linker prefers it to the library's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/artefacts/grid.h"
#include "harness/cli/shared/command.h"
#include "harness/instruments/timer.h"
#include "harness/measure/cells.h"
#include "harness/measure/measure.h"
#include "harness/measure/workload.h"
#include "models/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct impl impl_struct_plus;

struct broken {
    struct scorer scorer;
    const struct ensemble *ensemble; /* outlives the scorer in this test */
};

static void broken_score(const struct scorer *scorer, struct span units, struct span docs,
                         const struct batch *batch) {
    const struct ensemble *e = ((const struct broken *)scorer)->ensemble;
    for (size_t t = units.begin; t < units.end; t++)
        for (size_t d = docs.begin; d < docs.end; d++) {
            int32_t at = 0;
            while (at >= 0) {
                size_t node = e->tree_node[t] + (size_t)at;
                at = batch->x[d * batch->stride + e->feature[node]] < e->threshold[node]
                         ? e->left[node]
                         : e->right[node];
            }
            batch->scores[d] += e->value[e->tree_leaf[t] + (size_t)~at];
        }
}

static enum status broken_build(const struct impl *impl, const struct ensemble *ensemble,
                                const struct options *options, struct scorer **scorer,
                                struct error *error) {
    (void)options;
    struct broken *broken =
        scorer_create(sizeof *broken, impl, ensemble, ensemble->n_trees, 1, error);
    if (!broken)
        return STATUS_MEMORY;
    broken->ensemble = ensemble;
    return scorer_finish(&broken->scorer, STATUS_OK, scorer, error);
}

const struct impl impl_struct_plus = {.name = "struct-plus",
                                      .title = "STRUCT+ with < for <=",
                                      .source = "this test",
                                      .kind = IMPL_TRAVERSAL,
                                      .build = broken_build,
                                      .score = broken_score};

static struct cell small_cell(void) {
    struct cell cell = {.workload = {.kind = "synthetic",
                                     .depth = 4,
                                     .features = 8,
                                     .trees = 1,
                                     .documents = 300,
                                     .seed = 7},
                        .rounds = 5,
                        .artefacts = "test",
                        .variants = {"struct", "struct-plus", "vpred,v=3", "noop"},
                        .n_variants = 4};
    cell_set_key(&cell);
    return cell;
}

static const struct measure_request standard = {.clock = "cpu", .counters = COUNTERS_NONE};

static void measure(const struct cell *cell, struct row *rows) {
    struct workload_inputs inputs = {.ensemble = NULL};
    const char *variants[ARTEFACT_VARIANTS_MAX];
    struct measure_request how = standard;
    how.rounds = cell->rounds;
    for (size_t i = 0; i < cell->n_variants; i++)
        variants[i] = cell->variants[i];
    assert_int_equal(workload_make_inputs("", &cell->workload, &inputs, NULL), STATUS_OK);
    cell_prepare_rows(cell, rows);
    assert_int_equal(measure_cell(inputs.ensemble, inputs.documents, variants, cell->n_variants,
                                  &how, rows, NULL),
                     STATUS_OK);
    workload_free_inputs(&inputs);
}

static void unknown_probabilities_are_noted(void **state) {
    (void)state;
    struct cell cell = small_cell();
    struct workload_inputs inputs = {.ensemble = NULL};
    static const char *const variants[] = {"native-folded", "native-opt"};
    struct measure_request how = standard;
    how.rounds = 3;
    assert_int_equal(workload_make_inputs("", &cell.workload, &inputs, NULL), STATUS_OK);
    for (int counted = 0; counted < 2; counted++) {
        struct row rows[4];
        const struct matrix *x = inputs.documents;
        if (counted)
            assert_int_equal(profile_count(inputs.ensemble, x->values, x->stride, x->n_rows, NULL),
                             STATUS_OK);
        cell_prepare_rows(&cell, rows);
        assert_int_equal(measure_cell(inputs.ensemble, x, variants, 2, &how, rows, NULL),
                         STATUS_OK);
        assert_null(strstr(rows[0].note, MEASURE_EQUAL_BRANCHES));
        assert_int_equal(strstr(rows[1].note, MEASURE_EQUAL_BRANCHES) == NULL, counted);
        for (size_t i = 0; i < 4; i++)
            row_free(&rows[i]);
    }
    workload_free_inputs(&inputs);
}

static void wrong_kernel_has_a_reason_and_no_time(void **state) {
    (void)state;
    struct cell cell = small_cell();
    struct row rows[4];
    measure(&cell, rows);
    assert_int_equal(rows[1].status, ROW_WRONG);
    assert_int_equal(rows[1].samples.count, 0);
    assert_true(isnan(rows[1].median));
    assert_non_null(strstr(rows[1].reason, "the reference"));
    for (size_t i = 0; i < 4; i++)
        row_free(&rows[i]);
}

/* A correct scorer goes to the caller, for other cells; a wrong one does not. */
static void scorers_are_kept_and_rounds_end_in_time(void **state) {
    (void)state;
    struct cell cell = small_cell();
    struct workload_inputs inputs = {.ensemble = NULL};
    const char *variants[] = {"struct", "struct-plus"};
    struct scorer *scorers[2] = {NULL, NULL};
    struct row rows[4];
    struct measure_request how = standard;
    how.rounds = 1000;
    how.least_rounds = 3;
    how.until_ns = 1;
    how.scorers = scorers;
    assert_int_equal(workload_make_inputs("", &cell.workload, &inputs, NULL), STATUS_OK);
    cell_prepare_rows(&cell, rows);
    assert_int_equal(measure_cell(inputs.ensemble, inputs.documents, variants, 2, &how, rows, NULL),
                     STATUS_OK);
    struct scorer *kept = scorers[0];
    assert_non_null(kept);
    assert_null(scorers[1]);
    assert_int_equal(rows[0].samples.count, 3);
    for (size_t i = 0; i < 4; i++)
        row_free(&rows[i]);
    cell_prepare_rows(&cell, rows);
    how.rounds = 2;
    assert_int_equal(measure_cell(inputs.ensemble, inputs.documents, variants, 1, &how, rows, NULL),
                     STATUS_OK);
    assert_ptr_equal(scorers[0], kept);
    assert_int_equal(rows[0].samples.count, 2);
    assert_true(rows[0].median > 0);
    for (size_t i = 0; i < 4; i++)
        row_free(&rows[i]);
    scorer_destroy(kept);
    workload_free_inputs(&inputs);
}

/* Measures one implementation three times over. Returns how many of the three were built. */
static size_t measure_three(size_t built_most, size_t *bytes) {
    struct cell cell = small_cell();
    struct workload_inputs inputs = {.ensemble = NULL};
    const char *variants[] = {"struct", "struct", "struct"};
    struct row rows[4];
    struct measure_request how = standard;
    size_t count = 0;
    how.rounds = 1;
    how.built_most = built_most;
    assert_int_equal(workload_make_inputs("", &cell.workload, &inputs, NULL), STATUS_OK);
    cell_prepare_rows(&cell, rows);
    assert_int_equal(measure_cell(inputs.ensemble, inputs.documents, variants, 3, &how, rows, NULL),
                     STATUS_OK);
    for (size_t i = 0; i < 3; i++)
        if (rows[i].status == ROW_OK) {
            *bytes = rows[i].built_bytes;
            count++;
        } else {
            assert_int_equal(rows[i].status, ROW_UNSUPPORTED);
            assert_non_null(strstr(rows[i].reason, "when built"));
        }
    for (size_t i = 0; i < 4; i++)
        row_free(&rows[i]);
    workload_free_inputs(&inputs);
    return count;
}

static void after_the_time_only_the_first_and_what_is_kept_are_measured(void **state) {
    (void)state;
    const char *variants[] = {"struct", "pred", "vpred", "qs"};
    struct scorer *scorers[4] = {NULL};
    struct cell cell = small_cell();
    struct workload_inputs inputs = {.ensemble = NULL};
    assert_int_equal(workload_make_inputs("", &cell.workload, &inputs, NULL), STATUS_OK);
    assert_int_equal(scorer_build("qs", inputs.ensemble, &scorers[3], NULL), STATUS_OK);
    struct row rows[4];
    for (size_t i = 0; i < 4; i++)
        row_init(&rows[i]);
    const struct measure_request how = {.rounds = 2,
                                        .clock = "cpu",
                                        .build_until_ns = 1, /* long ago */
                                        .least_built = 2,
                                        .scorers = scorers};
    assert_int_equal(measure_cell(inputs.ensemble, inputs.documents, variants, 4, &how, rows, NULL),
                     STATUS_OK);
    assert_int_equal(rows[0].status, ROW_OK);
    assert_int_equal(rows[1].status, ROW_OK);
    assert_int_equal(rows[2].status, ROW_UNSUPPORTED);
    assert_string_equal(rows[2].reason, MEASURE_NO_TIME);
    assert_int_equal(rows[3].status, ROW_OK);
    for (size_t i = 0; i < 4; i++) {
        row_free(&rows[i]);
        scorer_destroy(scorers[i]);
    }
    workload_free_inputs(&inputs);
}

static void what_takes_too_much_memory_is_refused(void **state) {
    (void)state;
    size_t bytes = 0;
    assert_int_equal(measure_three(0, &bytes), 3);
    assert_int_equal(measure_three(2 * bytes, &bytes), 2);
    assert_int_equal(measure_three(2 * bytes - 2, &bytes), 0); /* one may take half */
}

/* Counts its passes, each of which takes a fixed time by the reported clock. */
struct counted {
    struct scorer scorer;
    uint64_t pass_ns;
    uint64_t passes;
};

static void counted_score(const struct scorer *scorer, struct span units, struct span docs,
                          const struct batch *batch) {
    struct counted *counted = (struct counted *)scorer;
    uint64_t begin = timer_cpu_ns();
    (void)units, (void)docs, (void)batch;
    counted->passes++;
    while (timer_cpu_ns() - begin < counted->pass_ns)
        continue;
}

static const struct impl impl_counted = {.name = "counted",
                                         .title = "counts its passes",
                                         .source = "this test",
                                         .kind = IMPL_BASELINE,
                                         .score = counted_score};

/* Between its samples, others are scored and evict its code and documents from the caches. */
static void short_passes_are_warmed_before_each_sample(void **state) {
    (void)state;
    struct cell cell = small_cell();
    struct workload_inputs inputs = {.ensemble = NULL};
    const char *variants[] = {"noop", "rowscan"}; /* their names only: what is kept is scored by */
    const struct scorer scorer = {
        .impl = &impl_counted, .n_units = 1, .lanes = 1, .n_features = 8, .n_outputs = 1};
    struct counted fast = {scorer, 100000, 0}, slow = {scorer, 12000000, 0};
    struct scorer *scorers[2] = {&fast.scorer, &slow.scorer};
    struct row rows[4];
    struct measure_request how = standard;
    how.rounds = 3;
    how.scorers = scorers;
    assert_int_equal(workload_make_inputs("", &cell.workload, &inputs, NULL), STATUS_OK);
    cell_prepare_rows(&cell, rows);
    assert_int_equal(measure_cell(inputs.ensemble, inputs.documents, variants, 2, &how, rows, NULL),
                     STATUS_OK);
    uint64_t n = rows[0].repetitions; /* calibrating took 1 + 2 + 4 + ... + n */
    assert_int_equal(rows[0].samples.count, 3);
    assert_int_equal(fast.passes, 2 * n - 1 + 3 * (1 + n));
    assert_int_equal(rows[1].repetitions, 1);
    assert_int_equal(slow.passes, 1 + 3);
    for (size_t i = 0; i < 4; i++)
        row_free(&rows[i]);
    how.is_cold = true; /* one pass a sample, without another before it */
    fast.passes = 0;
    cell_prepare_rows(&cell, rows);
    assert_int_equal(measure_cell(inputs.ensemble, inputs.documents, variants, 2, &how, rows, NULL),
                     STATUS_OK);
    assert_int_equal(rows[0].repetitions, 1);
    assert_int_equal(fast.passes, 1 + 3);
    for (size_t i = 0; i < 4; i++)
        row_free(&rows[i]);
    workload_free_inputs(&inputs);
}

static bool settles_at_once(const struct row *rows, size_t n_rows) {
    assert_int_equal(n_rows, 1);
    assert_int_equal(rows[0].samples.count, 2); /* those of the first placement */
    return true;
}

static void rounds_are_spread_over_placements(void **state) {
    (void)state;
    struct cell cell = small_cell();
    struct workload_inputs inputs = {.ensemble = NULL};
    const char *variants[] = {"struct"};
    struct row rows[4];
    struct measure_request how = standard;
    how.rounds = 5;
    how.placements = 3;
    assert_int_equal(workload_make_inputs("", &cell.workload, &inputs, NULL), STATUS_OK);
    cell_prepare_rows(&cell, rows);
    assert_int_equal(measure_cell(inputs.ensemble, inputs.documents, variants, 1, &how, rows, NULL),
                     STATUS_OK);
    assert_int_equal(rows[0].samples.count, 5);
    assert_int_equal(rows[0].samples.rounds, 2);
    assert_int_equal(rows[0].builds, 3);
    assert_true(rows[0].build_ns > 0);
    row_free(&rows[0]);
    cell_prepare_rows(&cell, rows);
    how.is_settled = settles_at_once;
    assert_int_equal(measure_cell(inputs.ensemble, inputs.documents, variants, 1, &how, rows, NULL),
                     STATUS_OK);
    assert_int_equal(rows[0].samples.count, 2);
    assert_true(rows[0].median > 0);
    row_free(&rows[0]);
    workload_free_inputs(&inputs);
}

static void other_variants_are_measured_beside_it(void **state) {
    (void)state;
    struct cell cell = small_cell();
    struct row rows[4];
    measure(&cell, rows);
    assert_int_equal(rows[0].status, ROW_OK);
    assert_int_equal(rows[0].samples.count, cell.rounds);
    assert_true(rows[0].median > 0);
    assert_int_equal(rows[2].status, ROW_FAILED); /* there is no v = 3 */
    assert_int_equal(rows[2].samples.count, 0);
    assert_string_equal(rows[2].order, "DS"); /* rows keep what was asked */
    assert_string_equal(rows[2].clock, "cpu");
    assert_int_equal(rows[3].status, ROW_OK); /* a floor is timed, not verified */
    for (size_t i = 0; i < 4; i++)
        row_free(&rows[i]);
}

/* A balanced tree whose leaves are reached equally often: every path has `depth` decisions, and
 * half of all decisions go left. */
static void paths_are_described(void **state) {
    (void)state;
    struct cell cell = small_cell();
    struct row rows[4];
    cell.workload.documents = 16 * 20;
    measure(&cell, rows);
    assert_true(rows[0].mean_path == 4.0);
    assert_true(rows[0].left_share == 0.5);
    for (size_t i = 0; i < 4; i++)
        row_free(&rows[i]);
}

static void rows_carry_false_nodes(void **state) {
    (void)state;
    struct cell cell = small_cell();
    struct workload_inputs inputs = {.ensemble = NULL};
    struct row rows[4];
    measure(&cell, rows);
    assert_int_equal(workload_make_inputs("", &cell.workload, &inputs, NULL), STATUS_OK);
    const struct ensemble *e = inputs.ensemble;
    uint64_t falses = 0;
    for (size_t row = 0; row < inputs.documents->n_rows; row++)
        for (size_t node = 0; node < e->n_nodes; node++)
            falses +=
                !ensemble_goes_left(e, node, matrix_row(inputs.documents, row)[e->feature[node]]);
    assert_true(falses > 0);
    for (size_t i = 0; i < 4; i++)
        assert_true(rows[i].false_nodes ==
                    (double)falses / (double)inputs.documents->n_rows / e->n_trees);
    for (size_t i = 0; i < 4; i++)
        row_free(&rows[i]);
    workload_free_inputs(&inputs);
}

static void threads_are_measured_by_the_wall_clock(void **state) {
    (void)state;
    struct workload_inputs inputs = {.ensemble = NULL};
    struct row row;
    struct error error;
    const char *const variant = "struct";
    const struct workload workload = {
        .kind = "synthetic", .depth = 4, .features = 8, .trees = 1, .documents = 300, .seed = 7};
    struct measure_request how = standard;
    how.rounds = 3;
    how.plan = (struct plan){.threads = 2, .parallel = PARALLEL_BOTH};
    assert_int_equal(workload_make_inputs("", &workload, &inputs, NULL), STATUS_OK);
    row_init(&row);
    assert_int_equal(
        measure_cell(inputs.ensemble, inputs.documents, &variant, 1, &how, &row, &error),
        STATUS_INPUT); /* by the cpu clock */
    how.clock = "wall";
    assert_int_equal(
        measure_cell(inputs.ensemble, inputs.documents, &variant, 1, &how, &row, &error),
        STATUS_OK);
    assert_int_equal(row.status, ROW_OK);
    assert_int_equal(row.threads, 2);
    assert_true(row.median > 0);
    row_free(&row);
    workload_free_inputs(&inputs);
}

static void tally_counts_rows_of_earlier_runs(void **state) {
    (void)state;
    char directory[] = "/tmp/treebench-measure-XXXXXX", path[64];
    assert_non_null(mkdtemp(directory));
    struct store *store;
    struct rows stored;
    struct cells_tally tally = {0};
    struct cell cell = small_cell();
    cJSON *manifest = cJSON_CreateObject();
    assert_int_equal(store_open(directory, false, manifest, NULL, &store, NULL), STATUS_OK);
    assert_int_equal(cells_run(&cell, 1, standard, directory, store, &tally, NULL), STATUS_OK);
    assert_int_equal(tally.measured, 1);
    assert_true(store_has_cell(store, cell.key));
    tally = (struct cells_tally){0};
    assert_int_equal(cells_run(&cell, 1, standard, directory, store, &tally, NULL), STATUS_OK);
    assert_int_equal(tally.measured, 0); /* found in the store: measured once */
    assert_int_equal(tally.found, 1);
    assert_int_equal(store_load(directory, &stored, NULL), STATUS_OK);
    cells_count_rows(&stored, &tally); /* also those that were measured before */
    assert_int_equal(tally.wrong, 2);
    assert_int_equal(tally.unsupported, 0);
    rows_free(&stored);
    store_close(store);
    cJSON_Delete(manifest);
    static const char *const files[] = {"rows.jsonl", "manifest.json", ""};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        remove(path);
    }
}

static void key_depends_on_what_is_measured(void **state) {
    (void)state;
    struct cell a = small_cell(), b = small_cell();
    assert_string_equal(a.key, b.key);
    b.workload.trial = 1;
    cell_set_key(&b);
    assert_string_not_equal(a.key, b.key);
    b = small_cell();
    b.n_variants--;
    cell_set_key(&b);
    assert_string_not_equal(a.key, b.key);
}

static struct artefact tiny_artefact(const char *name, const char *variant) {
    static const struct artefact_kind times = {.measure = "time", .is_timed = true};
    struct artefact artefact = {
        .kind = &times,
        .seed = 1,
        .n_variants = 1,
        .scale = {
            .name = "tiny",
            .panels =
                {{.documents = {100, 100},
                  .trials = 2,
                  .points =
                      {{.kind = "synthetic", .depth = 3, .features = 32, .trees = 1, .threads = 1},
                       {.kind = "synthetic", .depth = 5, .features = 32, .trees = 1, .threads = 1}},
                  .n_points = 2}},
            .n_panels = 1,
            .trials = 2,
            .rounds = 3}};
    snprintf(artefact.name, sizeof artefact.name, "%s", name);
    snprintf(artefact.variants[0], sizeof artefact.variants[0], "%s", variant);
    return artefact;
}

static void artefacts_share_the_cells_of_a_point(void **state) {
    (void)state;
    struct artefact artefacts[] = {tiny_artefact("one", "struct"), tiny_artefact("two", "pred")};
    struct cell *cells;
    size_t count;
    artefacts[1].scale.trials = 1;
    artefacts[1].scale.rounds = 4;
    assert_int_equal(grid_build(artefacts, 2, &cells, &count, NULL), STATUS_OK);
    assert_int_equal(count, 4);
    assert_int_equal(cells[0].n_variants, 2);
    assert_int_equal(cells[0].rounds, 4);
    assert_string_equal(cells[0].artefacts, "one two");
    assert_int_equal(cells[1].workload.trial, 0); /* trials are outermost */
    assert_int_equal(cells[2].workload.trial, 1);
    assert_int_equal(cells[2].n_variants, 1);
    free(cells);
}

static void other_documents_at_one_point_are_refused(void **state) {
    (void)state;
    struct artefact artefacts[] = {tiny_artefact("one", "struct"), tiny_artefact("two", "struct")};
    struct cell *cells;
    size_t count;
    struct error error;
    artefacts[1].scale.panels[0].documents[0] = 200;
    assert_int_equal(grid_build(artefacts, 2, &cells, &count, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "two: scale tiny: at d=3 f=32"));
    artefacts[1].scale.panels[0].documents[0] = 100;
    artefacts[1].seed = 2;
    assert_int_equal(grid_build(artefacts, 2, &cells, &count, &error), STATUS_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_kernel_has_a_reason_and_no_time),
        cmocka_unit_test(unknown_probabilities_are_noted),
        cmocka_unit_test(scorers_are_kept_and_rounds_end_in_time),
        cmocka_unit_test(after_the_time_only_the_first_and_what_is_kept_are_measured),
        cmocka_unit_test(what_takes_too_much_memory_is_refused),
        cmocka_unit_test(short_passes_are_warmed_before_each_sample),
        cmocka_unit_test(rounds_are_spread_over_placements),
        cmocka_unit_test(other_variants_are_measured_beside_it),
        cmocka_unit_test(paths_are_described),
        cmocka_unit_test(rows_carry_false_nodes),
        cmocka_unit_test(threads_are_measured_by_the_wall_clock),
        cmocka_unit_test(tally_counts_rows_of_earlier_runs),
        cmocka_unit_test(key_depends_on_what_is_measured),
        cmocka_unit_test(artefacts_share_the_cells_of_a_point),
        cmocka_unit_test(other_documents_at_one_point_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
