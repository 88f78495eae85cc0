/* Threads that share trees meet after each step of an implementation, or at the end of a pass. This
 * program brings its own STRUCT+, which notes the documents that it is asked to score at once. The
 * linker prefers it to the library's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/measure/cells.h"
#include "impls/impl.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { LANES = 4, DOCUMENTS = 100 };

/* The end of the last document that a call of `score` was for, counted from the last barrier. */
static atomic_size_t furthest;

static void noting_score(const struct scorer *scorer, struct span units, struct span docs,
                         const struct batch *batch) {
    (void)scorer, (void)units, (void)batch;
    size_t before = atomic_load(&furthest);
    while (before < docs.end && !atomic_compare_exchange_weak(&furthest, &before, docs.end))
        continue;
}

static enum status noting_build(const struct impl *impl, const struct ensemble *ensemble,
                                const struct options *options, struct scorer **scorer,
                                struct error *error) {
    (void)options;
    struct scorer *made =
        scorer_create(sizeof *made, impl, ensemble, ensemble->n_trees, LANES, error);
    return made ? scorer_finish(made, STATUS_OK, scorer, error) : STATUS_MEMORY;
}

/* A baseline, whose scores are not verified. */
const struct impl impl_struct_plus = {.name = "struct-plus",
                                      .title = "notes its documents",
                                      .source = "this test",
                                      .kind = IMPL_BASELINE,
                                      .build = noting_build,
                                      .score = noting_score};

static char directory[] = "/tmp/treebench-barrier-XXXXXX";

static struct cell cell_with(bool barrier_each_step) {
    struct cell cell = {.workload = {.kind = "grown",
                                     .data = "ohsumed",
                                     .trees = 3,
                                     .max_leaves = 8,
                                     .documents = DOCUMENTS,
                                     .seed = 7},
                        .threads = 2,
                        .about_threads = true,
                        .parallel = PARALLEL_TREES,
                        .barrier_each_step = barrier_each_step,
                        .rounds = 2,
                        .artefacts = "test",
                        .variants = {"struct-plus"},
                        .n_variants = 1};
    cell_set_key(&cell);
    return cell;
}

/* Measures the cell and gives the row. */
static void run(struct store *store, bool barrier_each_step, struct row *row) {
    const struct measure_request how = {.clock = "cpu", .counters = COUNTERS_NONE};
    struct cell cell = cell_with(barrier_each_step);
    struct cells_tally tally = {0};
    struct rows rows;
    struct error error;
    atomic_store(&furthest, 0);
    if (cells_run(&cell, 1, how, directory, store, &tally, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(store_load(directory, &rows, NULL), STATUS_OK);
    *row = rows.list[rows.count - 1];
    row->samples = (struct sample_set){.count = 0};
    rows_free(&rows);
}

static void threads_meet_after_each_step_or_pass(void **state) {
    (void)state;
    struct store *store;
    struct row row;
    cJSON *manifest = cJSON_CreateObject();
    assert_non_null(mkdtemp(directory));
    assert_int_equal(store_open(directory, false, manifest, NULL, &store, NULL), STATUS_OK);
    run(store, false, &row);
    assert_int_equal(row.status, ROW_OK);
    assert_string_equal(row.barrier, "pass");
    assert_int_equal(row.doc_block, LANES);
    assert_int_equal(atomic_load(&furthest), row.workload.documents);
    assert_true(row.workload.documents > LANES);
    run(store, true, &row);
    assert_int_equal(row.status, ROW_OK);
    assert_string_equal(row.barrier, "step");
    assert_int_equal(row.doc_block, LANES);
    assert_int_equal(atomic_load(&furthest), LANES);
    store_close(store);
    cJSON_Delete(manifest);
    static const char *const files[] = {"rows.jsonl", "manifest.json", ""};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        remove(path);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_meet_after_each_step_or_pass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
