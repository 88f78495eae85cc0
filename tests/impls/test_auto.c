/* What calls cost, how they are shared out, and what is stored of it. That `auto` scores exactly is
 * test_exactness's. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/file.h"
#include "impls/auto_cost.h"
#include "impls/auto_default.h"
#include "impls/auto_store.h"
#include "impls/impl.h"
#include "synth/synth.h"
#include "tests/impls/forests.h"
#include "tests/impls/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- costs ------------------------------------------------------------------------------------ */

static const struct auto_cost single = {.call = 0, .document = 100, .lanes = 1};
static const struct auto_cost eight = {.step = 300, .lanes = 8};
static const struct auto_cost block = {.call = 50, .step = 5000, .document = 10, .lanes = 256};

static void assert_near(double found, double expected) {
    if (fabs(found - expected) > 1e-6 * (1 + fabs(expected)))
        fail_msg("%.17g instead of %.17g", found, expected);
}

static void assert_cost(struct auto_cost found, struct auto_cost expected) {
    assert_int_equal(found.lanes, expected.lanes);
    assert_near(found.call, expected.call);
    assert_near(found.step, expected.step);
    assert_near(found.document, expected.document);
    assert_int_equal(found.n_points, expected.n_points);
    for (unsigned i = 0; i < found.n_points; i++) {
        assert_int_equal(found.points[i].docs, expected.points[i].docs);
        assert_near(found.points[i].factor, expected.points[i].factor);
    }
}

static void costs_add_up(void **state) {
    (void)state;
    assert_near(auto_cost_of(&block, 1), 50 + 5000 + 10);
    assert_near(auto_cost_of(&block, 256), 50 + 5000 + 2560);
    assert_near(auto_cost_of(&block, 257), 50 + 2 * 5000 + 2570);
    assert_near(auto_cost_of(&eight, 0), 0);
}

static struct auto_cost refit(const struct auto_cost *cost, const size_t *docs, size_t count) {
    struct auto_sample samples[8];
    for (size_t i = 0; i < count; i++)
        samples[i] = (struct auto_sample){docs[i], auto_cost_of(cost, docs[i]), 1};
    return auto_cost_fit(cost->lanes, samples, count);
}

static void a_fit_finds_what_made_the_samples(void **state) {
    (void)state;
    const size_t docs[] = {1, 8, 64, 200, 1000};
    assert_cost(refit(&single, docs, 5), single);
    assert_cost(refit(&eight, docs, 5), eight);
    assert_cost(refit(&block, docs, 5), block);
}

/* With whole steps only, a step and its documents cannot be told apart; with one sample, nothing
 * can. What is fitted holds for them all the same. */
static void a_fit_of_little_holds_where_it_was_measured(void **state) {
    (void)state;
    const size_t whole_steps[] = {256, 512, 1024}, one[] = {200};
    struct auto_cost cost = refit(&block, whole_steps, 3);
    for (size_t i = 0; i < 3; i++)
        assert_near(auto_cost_of(&cost, whole_steps[i]), auto_cost_of(&block, whole_steps[i]));
    cost = refit(&block, one, 1);
    assert_near(auto_cost_of(&cost, 200), auto_cost_of(&block, 200));
    assert_near(auto_cost_of(&cost, 400), 2 * auto_cost_of(&block, 200));
}

/* Times that fall, as noise makes them, would ask for a negative cost. */
static void no_cost_is_negative(void **state) {
    (void)state;
    const struct auto_sample falling[] = {{1, 1000, 1}, {8, 900, 1}, {64, 800, 1}, {1000, 700, 1}};
    for (unsigned lanes = 1; lanes <= 512; lanes *= 8) {
        struct auto_cost cost = auto_cost_fit(lanes, falling, 4);
        assert_true(cost.call >= 0 && cost.step >= 0 && cost.document >= 0);
        assert_true(auto_cost_of(&cost, 1) > 0);
    }
}

/* No three figures make the times of real kernels: where a call was measured, it costs that. */
static void measured_calls_cost_what_was_measured(void **state) {
    (void)state;
    const struct auto_sample samples[] = {{4, 4000, 1}, {8, 2000, 1}};
    struct auto_cost cost = {.document = 500, .lanes = 1};
    assert_true(auto_cost_add_point(&cost, &samples[0]));
    assert_true(auto_cost_add_point(&cost, &samples[1]));
    assert_false(auto_cost_add_point(&cost, &samples[0])); /* not in order */
    assert_near(auto_cost_of(&cost, 4), 4000);
    assert_near(auto_cost_of(&cost, 8), 2000);
    assert_near(auto_cost_of(&cost, 6), 6 * 500 * 1.25);
    assert_near(auto_cost_of(&cost, 2), 2 * 500 * 2);
    assert_near(auto_cost_of(&cost, 80), 80 * 500 * 0.5);
    for (size_t docs = 9; docs < 9 + AUTO_POINTS_MAX - 2; docs++)
        assert_true(auto_cost_add_point(&cost, &(struct auto_sample){docs, 100, 1}));
    assert_false(auto_cost_add_point(&cost, &(struct auto_sample){100, 100, 1}));
}

/* --- splitting -------------------------------------------------------------------------------- */

static void assert_split(size_t n_docs, size_t head_docs, unsigned head, unsigned tail) {
    const struct auto_cost costs[] = {single, eight, block};
    struct auto_split split = auto_cost_split(costs, 3, n_docs);
    assert_int_equal(split.head_docs, head_docs);
    assert_int_equal(split.head, head);
    if (head_docs < n_docs)
        assert_int_equal(split.tail, tail);
}

static void calls_go_to_the_cheapest(void **state) {
    (void)state;
    assert_split(1, 1, 0, 0);
    assert_split(2, 2, 0, 0);
    assert_split(4, 4, 1, 0);       /* 300 for a step that is not full, against 400 */
    assert_split(9, 8, 1, 0);       /* a step and one document, 400, against two steps */
    assert_split(12, 12, 1, 0);     /* two steps, one of them not full */
    assert_split(256, 256, 2, 2);   /* a block */
    assert_split(300, 256, 2, 1);   /* a block, and 6 steps for its tail */
    assert_split(500, 500, 2, 2);   /* two blocks, one of them not full */
    assert_split(5121, 5120, 2, 0); /* beyond what is looked up */
}

/* No split is dearer than any single one, whatever the size. */
static void splits_only_save(void **state) {
    (void)state;
    const struct auto_cost costs[] = {single, eight, block};
    for (size_t n = 1; n <= 2 * AUTO_TABLE_DOCS; n++) {
        struct auto_split split = auto_cost_split(costs, 3, n);
        double ns = auto_cost_of_split(costs, &split, n);
        for (size_t i = 0; i < 3; i++)
            assert_true(ns <= auto_cost_of(&costs[i], n));
        assert_true(split.head_docs >= 1 && split.head_docs <= n);
    }
}

static void what_is_not_missed_is_left_out(void **state) {
    (void)state;
    struct auto_cost slower = block, costs[] = {slower, eight, block, single, eight};
    costs[0].step *= 2;
    costs[4].step *= 1.01; /* within the tolerance of the other */
    size_t kept[5];
    size_t count = auto_cost_reduce(costs, 5, 0.03, kept);
    assert_int_equal(count, 3);
    assert_int_equal(kept[0], 1);
    assert_int_equal(kept[1], 2);
    assert_int_equal(kept[2], 3);
    assert_cost(costs[0], eight);
    assert_cost(costs[2], single);
}

/* --- storing ---------------------------------------------------------------------------------- */

static struct ensemble *make_trees(uint64_t seed) {
    const struct synth_shape shape = {.depth = 4, .n_features = 5, .n_trees = 6};
    struct ensemble *ensemble = NULL;
    assert_int_equal(synth_trees(&shape, seed, &ensemble, NULL), 0);
    return ensemble;
}

static void make_table(struct auto_table *table) {
    struct auto_cost measured = block;
    assert_true(auto_cost_add_point(&measured, &(struct auto_sample){1, 6000, 8}));
    assert_true(auto_cost_add_point(&measured, &(struct auto_sample){300, 14000, 2}));
    *table = (struct auto_table){.count = 0};
    assert_true(auto_table_add(table, "qs", &single));
    assert_true(auto_table_add(table, "vpred,v=16", &measured));
}

static void store(const struct ensemble *ensemble) {
    struct auto_table table;
    struct error error = {""};
    make_table(&table);
    if (auto_store_write(ensemble, &table, &error))
        fail_msg("%s", error.text);
}

static void what_is_stored_is_read_again(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(1), *other = make_trees(2), *exact = NULL;
    struct auto_table table;
    bool found = true;
    assert_int_equal(auto_store_read(ensemble, &table, &found, NULL), STATUS_OK);
    assert_false(found);
    store(ensemble);
    assert_int_equal(auto_store_read(ensemble, &table, &found, NULL), STATUS_OK);
    assert_true(found);
    assert_int_equal(table.count, 2);
    assert_string_equal(table.specs[1], "vpred,v=16");
    assert_cost(table.costs[0], single);
    assert_near(auto_cost_of(&table.costs[1], 1), 6000);
    assert_near(auto_cost_of(&table.costs[1], 300), 14000);
    assert_int_equal(table.costs[1].n_points, 2);
    assert_near(table.costs[1].points[0].seconds, 8);
    assert_near(table.costs[1].points[1].seconds, 2);
    assert_int_equal(auto_store_read(other, &table, &found, NULL), STATUS_OK);
    assert_false(found);
    /* The same trees with other leaves take as long. */
    assert_int_equal(ensemble_copy_with_exact_leaves(ensemble, 1, &exact, NULL), 0);
    assert_int_equal(auto_store_read(exact, &table, &found, NULL), STATUS_OK);
    assert_true(found);
    ensemble_free(ensemble);
    ensemble_free(other);
    ensemble_free(exact);
}

static void replace_file(const char *path, const char *text) {
    struct file_writer writer;
    assert_int_equal(file_write_begin(&writer, path, NULL), STATUS_OK);
    fputs(text, writer.stream);
    assert_int_equal(file_write_commit(&writer, NULL), STATUS_OK);
}

/* The stored file with `from` in it replaced, once. */
static void edit_file(const char *path, const char *from, const char *to) {
    struct file_text text;
    char edited[4096];
    assert_int_equal(file_read(path, &text, NULL), STATUS_OK);
    const char *at = strstr(text.data, from);
    assert_non_null(at);
    snprintf(edited, sizeof edited, "%.*s%s%s", (int)(at - text.data), text.data, to,
             at + strlen(from));
    file_text_free(&text);
    replace_file(path, edited);
}

/* Refused with the file's name and the reason, and `auto` scores all the same. */
static void assert_refused(const struct ensemble *ensemble, const char *path, const char *reason) {
    struct auto_table table;
    struct error error = {""};
    bool found = false;
    struct scorer *scorer = NULL;
    assert_int_equal(auto_store_read(ensemble, &table, &found, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, path));
    if (!strstr(error.text, reason))
        fail_msg("'%s' does not say '%s'", error.text, reason);
    assert_int_equal(scorer_build("auto", ensemble, &scorer, NULL), STATUS_OK);
    scorer_destroy(scorer);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *reason;
    } edits[] = {
        {"\"version\":\t2", "\"version\":\t1", "version"},
        {"\"cpu\":\t\"", "\"cpu\":\t\"foreign ", "cpu: is of 'foreign "},
        {"\"features\":\t\"", "\"features\":\t\"amx ", "features: is of 'amx "},
        {"\"model\":\t\"", "\"model\":\t\"0", "model: is of '0"},
        {"\"qs\"", "\"auto\"", "nothing to choose from"},
        {"\"qs\"", "\"xgboost\"", "nothing to choose from"},
#if defined(__x86_64__)
        {"\"qs\"", "\"planes-avx2,sums=float\"", "nothing to choose from"},
#endif
        {"\"qs\"", "\"qz\"", "no implementation 'qz'"},
        {"\"qs\"", "\"vpred,v=16\"", "twice"},
        {"\"lanes\":\t1", "\"lanes\":\t0", "lanes"},
        {"\"document_ns\":\t100", "\"document_ns\":\t-1", "document_ns"},
        {"\"document_ns\":\t100", "\"document_ns\":\ttrue", "document_ns"},
        {"\"measured\"", "\"mismeasured\"", "measured"},
        {"\"documents\":\t300", "\"documents\":\t1", "ascending"},
        {"\"ns\":\t14000", "\"ns\":\t0", "ns: is 0"},
        {"\"seconds\":\t8", "\"seconds\":\t-8", "seconds"},
        {"\"implementations\"", "\"implementation\"", "implementations"}
    };
    struct ensemble *ensemble = make_trees(1);
    char path[PATH_MAX];
    assert_int_equal(auto_store_path(ensemble, path, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        store(ensemble);
        edit_file(path, edits[i].from, edits[i].to);
        assert_refused(ensemble, path, edits[i].reason);
    }
    replace_file(path, "[]");
    assert_refused(ensemble, path, "should be an object");
    ensemble_free(ensemble);
}

static void a_torn_file_is_refused(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(1);
    char path[PATH_MAX];
    struct stat info;
    assert_int_equal(auto_store_path(ensemble, path, NULL), STATUS_OK);
    store(ensemble);
    assert_int_equal(stat(path, &info), 0);
    for (off_t size = info.st_size - 2; size >= 0; size -= 37) {
        assert_int_equal(truncate(path, size), 0);
        assert_refused(ensemble, path, "");
    }
    ensemble_free(ensemble);
}

/* --- what auto makes of it -------------------------------------------------------------------- */

/* The widest of what is stored, and nothing of what is not. */
static void auto_takes_what_is_stored(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(3);
    struct auto_table table = {.count = 0};
    struct scorer *scorer = NULL, *only = NULL;
    assert_true(auto_table_add(&table, "vpred,v=32", &block));
    assert_int_equal(auto_store_write(ensemble, &table, NULL), STATUS_OK);
    assert_int_equal(scorer_build("auto", ensemble, &scorer, NULL), STATUS_OK);
    assert_int_equal(scorer_build("vpred,v=32", ensemble, &only, NULL), STATUS_OK);
    assert_int_equal(scorer->lanes, 32);
    assert_int_equal(scorer->n_units, only->n_units);
    assert_true(scorer->bytes > only->bytes);
    scorer_destroy(scorer);
    scorer_destroy(only);
    ensemble_free(ensemble);
}

/* Where it is asked for, and only there. */
static void float_sums_are_asked_for(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(4);
    struct auto_table table = {.count = 0};
    struct scorer *exact = NULL, *rounded = NULL;
    assert_true(auto_table_add(&table, "planes-avx2", &block));
    assert_true(auto_table_add(&table, "qs", &single));
    assert_int_equal(auto_store_write(ensemble, &table, NULL), STATUS_OK);
    assert_int_equal(scorer_build("auto", ensemble, &exact, NULL), STATUS_OK);
    assert_int_equal(scorer_build("auto,sums=float", ensemble, &rounded, NULL), STATUS_OK);
    assert_int_equal(exact->float_trees, 0);
    const struct impl *planes = impl_find("planes-avx2", NULL);
    bool has_planes = planes && impl_runs_here(planes);
    assert_int_equal(rounded->float_trees, has_planes ? 64 : 0);
    scorer_destroy(exact);
    scorer_destroy(rounded);
    ensemble_free(ensemble);
}

/* A chain of 300 nodes is too deep for bit planes: the next in line is taken. */
static void what_is_refused_is_left_out(void **state) {
    (void)state;
    struct ensemble *ensemble = long_chain();
    struct auto_table table = {.count = 0};
    struct auto_cost cheap = {.document = 1, .lanes = 256}, dear = {.document = 9, .lanes = 16};
    struct scorer *scorer = NULL;
    struct error error;
    assert_true(auto_table_add(&table, "planes", &cheap));
    assert_int_equal(auto_store_write(ensemble, &table, NULL), STATUS_OK);
    assert_int_equal(scorer_build("auto", ensemble, &scorer, &error), STATUS_UNSUPPORTED);
    assert_true(auto_table_add(&table, "vpred,v=16", &dear));
    assert_int_equal(auto_store_write(ensemble, &table, NULL), STATUS_OK);
    assert_int_equal(scorer_build("auto", ensemble, &scorer, &error), STATUS_OK);
    assert_int_equal(scorer->lanes, 16);
    scorer_destroy(scorer);
    ensemble_free(ensemble);
}

enum { CANNOT_TELL = 77 };

/* In a process that may not run what it wrote, as the kernel can be told, for good. Exit status 0:
 * `auto` is what is left. */
static int build_without_written_code(const struct ensemble *ensemble) {
    enum { SET_MDWE = 65, REFUSE_EXEC_GAIN = 1 };
    struct scorer *scorer = NULL;
    if (prctl(SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0))
        return CANNOT_TELL;
    if (scorer_build("planes-jit-avx2", ensemble, &scorer, NULL) != STATUS_MACHINE)
        return 1;
    if (scorer_build("auto", ensemble, &scorer, NULL))
        return 2;
    bool next = scorer->lanes == 16;
    scorer_destroy(scorer);
    return next ? 0 : 3;
}

static void code_that_may_not_run_is_left_out(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(4);
    struct auto_table table = {.count = 0};
    struct auto_cost cheap = {.document = 1, .lanes = 512}, dear = {.document = 9, .lanes = 16};
    struct scorer *scorer = NULL;
    int wait_status = 0;
    bool is_here = scorer_build("planes-jit-avx2", ensemble, &scorer, NULL) == STATUS_OK;
    if (is_here)
        scorer_destroy(scorer);
    assert_true(auto_table_add(&table, "planes-jit-avx2", &cheap));
    assert_true(auto_table_add(&table, "vpred,v=16", &dear));
    assert_int_equal(auto_store_write(ensemble, &table, NULL), STATUS_OK);
    pid_t child = is_here ? fork() : -1;
    if (child == 0)
        _exit(build_without_written_code(ensemble));
    ensemble_free(ensemble);
    if (child < 0)
        skip();
    assert_int_equal(waitpid(child, &wait_status, 0), child);
    assert_true(WIFEXITED(wait_status));
    if (WEXITSTATUS(wait_status) == CANNOT_TELL)
        skip();
    assert_int_equal(WEXITSTATUS(wait_status), 0);
}

/* Whatever the model, there is something to choose from, and it costs something. */
static void defaults_are_costs(void **state) {
    (void)state;
    for (uint32_t depth = 0; depth <= 10; depth += 5) {
        const struct synth_shape shape = {.depth = depth, .n_features = 3, .n_trees = 2};
        struct ensemble *ensemble = NULL;
        struct auto_table table;
        assert_int_equal(synth_trees(&shape, 1, &ensemble, NULL), 0);
        assert_int_equal(auto_default_table(ensemble, &table, NULL), STATUS_OK);
        assert_true(table.count > 2);
        for (size_t i = 0; i < table.count; i++) {
            struct options options;
            assert_non_null(impl_parse(table.specs[i], &options, NULL));
            assert_true(table.costs[i].lanes > 0 && auto_cost_of(&table.costs[i], 1) > 0);
        }
        ensemble_free(ensemble);
    }
}

/* What a document has that no tree asks for is not read. */
static void defaults_ask_for_features_that_are_tested(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(5);
    struct auto_table narrow, wide;
    assert_int_equal(auto_default_table(ensemble, &narrow, NULL), STATUS_OK);
    ensemble->n_features += 1000;
    assert_int_equal(auto_default_table(ensemble, &wide, NULL), STATUS_OK);
    assert_int_equal(narrow.count, wide.count);
    for (size_t i = 0; i < narrow.count; i++)
        assert_cost(wide.costs[i], narrow.costs[i]);
    ensemble_free(ensemble);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_add_up),
        cmocka_unit_test(a_fit_finds_what_made_the_samples),
        cmocka_unit_test(a_fit_of_little_holds_where_it_was_measured),
        cmocka_unit_test(no_cost_is_negative),
        cmocka_unit_test(measured_calls_cost_what_was_measured),
        cmocka_unit_test(calls_go_to_the_cheapest),
        cmocka_unit_test(splits_only_save),
        cmocka_unit_test(what_is_not_missed_is_left_out),
        cmocka_unit_test(what_is_stored_is_read_again),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(a_torn_file_is_refused),
        cmocka_unit_test(auto_takes_what_is_stored),
        cmocka_unit_test(float_sums_are_asked_for),
        cmocka_unit_test(what_is_refused_is_left_out),
        cmocka_unit_test(code_that_may_not_run_is_left_out),
        cmocka_unit_test(defaults_are_costs),
        cmocka_unit_test(defaults_ask_for_features_that_are_tested),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
