/* Which implementation `auto` chooses, with stored times and with default costs. test_exactness
 * checks its scores. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/auto/auto_cost.h"
#include "impls/auto/auto_default.h"
#include "impls/scorer.h"
#include "synth/synth.h"
#include "tests/impls/auto/times.h"
#include "tests/impls/forests.h"
#include "tests/impls/scratch.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What `auto` takes for a call, without the reason. */
static void choice(const struct scorer *scorer, size_t docs, char text[static 256]) {
    scorer->impl->describe(scorer, docs, docs, text, 256);
    text[strcspn(text, ";")] = 0;
}

static void assert_choice(const struct scorer *scorer, size_t docs, const char *expected) {
    char text[256];
    choice(scorer, docs, text);
    if (strncmp(text, expected, strlen(expected)) != 0)
        fail_msg("'%s' for %zu documents instead of '%s'", text, docs, expected);
}

static void auto_takes_the_fastest_at_measured_sizes(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(3);
    struct auto_times times = {.n_sizes = 0};
    struct scorer *scorer = NULL, *part = NULL;
    const size_t docs[] = {1, 100, 5000};
    for (size_t i = 0; i < 3; i++) {
        set_time(&times, docs[i], i == 1 ? "qs" : "vpred,v=32", 100);
        set_time(&times, docs[i], AUTO_UNTUNED, 110);
        set_time(&times, docs[i], "struct-plus", 120);
    }
    store_times(ensemble, &times);
    assert_int_equal(scorer_build("auto", ensemble, &scorer, NULL), STATUS_OK);
    assert_choice(scorer, 1, "vpred,v=32 for 1 document");
    assert_choice(scorer, 100, "qs for 100 documents");
    assert_choice(scorer, 5000, "vpred,v=32 for 5000 documents");
    assert_int_equal(scorer_build("qs", ensemble, &part, NULL), STATUS_OK);
    assert_true(part->workspace > 0 && scorer->workspace >= part->workspace);
    scorer_destroy(part);
    scorer_destroy(scorer);
    ensemble_free(ensemble);
}

/* What is fastest by far for one document, say times that are as far off as can be, says nothing of
 * others. */
static void other_sizes_are_as_without_tuning(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(3);
    struct auto_times times = {.n_sizes = 0};
    struct scorer *tuned = NULL, *untuned = NULL;
    set_time(&times, 1, "vpred,v=32", 1000);
    set_time(&times, 1, AUTO_UNTUNED, 1100);
    set_time(&times, 512, "vpred,v=8", 2000);
    set_time(&times, 512, AUTO_UNTUNED, 2100);
    store_times(ensemble, &times);
    assert_int_equal(scorer_build("auto", ensemble, &tuned, NULL), STATUS_OK);
    assert_int_equal(scorer_build(AUTO_UNTUNED, ensemble, &untuned, NULL), STATUS_OK);
    for (size_t docs = 1; docs < 2 * AUTO_TABLE_DOCS; docs++) {
        char expected[256];
        choice(untuned, docs, expected);
        if (docs != 1 && docs != 512)
            assert_choice(tuned, docs, expected);
    }
    assert_choice(tuned, 1, "vpred,v=32 ");
    assert_choice(tuned, 512, "vpred,v=8 ");
    scorer_destroy(tuned);
    scorer_destroy(untuned);
    ensemble_free(ensemble);
}

static void other_sizes_follow_a_proof(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(3);
    struct auto_times times = {.n_sizes = 0};
    struct scorer *scorer = NULL;
    char text[256];
    set_time(&times, 8, "vpred,v=32", 100);
    set_time(&times, 8, AUTO_UNTUNED, 1000);
    set_time(&times, 2000, "vpred,v=32", 20000);
    set_time(&times, 2000, AUTO_UNTUNED, 50000);
    store_times(ensemble, &times);
    assert_int_equal(scorer_build("auto", ensemble, &scorer, NULL), STATUS_OK);
    assert_choice(scorer, 7, "vpred,v=32 for 7 ");
    assert_choice(scorer, 72, "vpred,v=32 for 72 ");
    assert_choice(scorer, 1900, "vpred,v=32 for 1900 ");
    scorer->impl->describe(scorer, 7, 7, text, sizeof text);
    assert_non_null(strstr(text, "by times that treebench tune stored for other sizes"));
    scorer->impl->describe(scorer, 8, 8, text, sizeof text);
    assert_non_null(strstr(text, "by times that treebench tune stored"));
    assert_null(strstr(text, "other sizes"));
    scorer->impl->describe(scorer, 5000, 5000, text, sizeof text);
    assert_non_null(strstr(text, "by default costs (treebench tune measured other sizes)"));
    scorer_destroy(scorer);
    ensemble_free(ensemble);
}

/* Where it is the fastest itself, or hardly slower. */
static void what_is_untuned_stays_if_nothing_is_faster(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(3);
    struct auto_times times = {.n_sizes = 0};
    struct scorer *tuned = NULL, *untuned = NULL;
    set_time(&times, 100, "vpred,v=32", 1000);
    set_time(&times, 100, AUTO_UNTUNED, 1020);
    store_times(ensemble, &times);
    assert_int_equal(scorer_build("auto", ensemble, &tuned, NULL), STATUS_OK);
    assert_int_equal(scorer_build(AUTO_UNTUNED, ensemble, &untuned, NULL), STATUS_OK);
    assert_int_equal(tuned->bytes, untuned->bytes);
    scorer_destroy(tuned);
    scorer_destroy(untuned);
    ensemble_free(ensemble);
}

/* Where it is asked for, and only there. */
static void float_sums_are_asked_for(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(4);
    struct auto_times times = {.n_sizes = 0};
    struct scorer *exact = NULL, *rounded = NULL;
    set_time(&times, 256, "planes-avx2", 10);
    set_time(&times, 1, "qs", 10);
    store_times(ensemble, &times);
    assert_int_equal(scorer_build("auto", ensemble, &exact, NULL), STATUS_OK);
    assert_int_equal(scorer_build("auto,sums=float", ensemble, &rounded, NULL), STATUS_OK);
    assert_int_equal(exact->float_trees, 0);
    const struct impl *planes = impl_find("planes-avx2", NULL);
    if (planes && impl_runs_here(planes)) {
        assert_int_equal(rounded->float_trees, 64);
        assert_choice(rounded, 256, "planes-avx2,sums=float for 256");
    }
    scorer_destroy(exact);
    scorer_destroy(rounded);
    ensemble_free(ensemble);
}

/* Other sums do not stand for it. */
static void a_chain_is_kept_in_calls_of_all_sizes(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(4);
    struct auto_times times = {.n_sizes = 0};
    struct scorer *chain = NULL;
    set_time(&times, 256, "planes-avx2", 10);
    set_time(&times, 1, "qs", 10);
    store_times(ensemble, &times);
    const struct impl *planes = impl_find("planes-avx2", NULL);
    if (!planes || !impl_runs_here(planes)) {
        assert_int_equal(scorer_build("auto,sums=chain", ensemble, &chain, NULL),
                         STATUS_UNSUPPORTED);
    } else {
        assert_int_equal(scorer_build("auto,sums=chain", ensemble, &chain, NULL), STATUS_OK);
        assert_true(chain->float_trees == UINT32_MAX);
        assert_null(chain->note);
        assert_choice(chain, 256, "planes-avx2,sums=chain for 256");
        for (size_t docs = 1; docs < 600; docs += docs < 300 ? 1 : 61) {
            struct call_cost cost;
            const struct scorer *chosen = chain->impl->choose(chain, docs, &cost);
            assert_true(!chosen || chosen->float_trees == UINT32_MAX);
        }
        scorer_destroy(chain);
    }
    ensemble_free(ensemble);
}

/* A chain of 300 nodes is too deep for bit planes: the next in line is taken. */
static void what_is_refused_is_left_out(void **state) {
    (void)state;
    struct ensemble *ensemble = long_chain();
    struct auto_times times = {.n_sizes = 0};
    struct scorer *scorer = NULL;
    set_time(&times, 256, "planes", 100);
    set_time(&times, 256, "vpred,v=16", 200);
    store_times(ensemble, &times);
    assert_int_equal(scorer_build("auto", ensemble, &scorer, NULL), STATUS_OK);
    assert_choice(scorer, 256, "vpred,v=16 for 256");
    assert_non_null(strstr(scorer->note, "auto cannot use 'planes'"));
    scorer_destroy(scorer);
    ensemble_free(ensemble);
}

/* native-opt tells its user that the model has no counts of documents. A user of `auto` did not ask
 * for it. */
static void a_choice_by_time_needs_no_counts(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(6);
    struct auto_times times = {.n_sizes = 0};
    struct scorer *scorer = NULL, *asked_for = NULL;
    set_time(&times, 1, "native-opt", 10);
    store_times(ensemble, &times);
    assert_int_equal(scorer_build("native-opt", ensemble, &asked_for, NULL), STATUS_OK);
    assert_non_null(asked_for->note);
    assert_int_equal(scorer_build("auto", ensemble, &scorer, NULL), STATUS_OK);
    assert_choice(scorer, 1, "native-opt for 1 document");
    assert_null(scorer->note);
    scorer_destroy(asked_for);
    scorer_destroy(scorer);
    ensemble_free(ensemble);
}

/* As if nothing were stored, with a note. */
static void all_refused_is_untuned(void **state) {
    (void)state;
    struct ensemble *ensemble = long_chain();
    struct auto_times times = {.n_sizes = 0};
    struct scorer *scorer = NULL, *untuned = NULL;
    char text[256], expected[256];
    set_time(&times, 1, "vqs-sse", 100);
    set_time(&times, 256, "planes", 100);
    store_times(ensemble, &times);
    assert_int_equal(scorer_build("auto", ensemble, &scorer, NULL), STATUS_OK);
    assert_int_equal(scorer_build(AUTO_UNTUNED, ensemble, &untuned, NULL), STATUS_OK);
    assert_non_null(scorer->note);
    for (size_t docs = 1; docs <= 256; docs += 255) {
        scorer->impl->describe(scorer, docs, docs, text, sizeof text);
        untuned->impl->describe(untuned, docs, docs, expected, sizeof expected);
        assert_string_equal(text, expected);
    }
    scorer_destroy(scorer);
    scorer_destroy(untuned);
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
    char text[256];
    choice(scorer, 256, text);
    bool next = strncmp(text, "vpred,v=16 ", 11) == 0;
    scorer_destroy(scorer);
    return next ? 0 : 3;
}

static void code_that_may_not_run_is_left_out(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(4);
    struct auto_times times = {.n_sizes = 0};
    struct scorer *scorer = NULL;
    int wait_status = 0;
    bool is_here = scorer_build("planes-jit-avx2", ensemble, &scorer, NULL) == STATUS_OK;
    if (is_here)
        scorer_destroy(scorer);
    set_time(&times, 256, "planes-jit-avx2", 100);
    set_time(&times, 256, "vpred,v=16", 200);
    store_times(ensemble, &times);
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

static double cost_by(const struct ensemble *ensemble, struct impl_rates rates) {
    const struct impl_cost costs = {.lanes = 1, .document = rates};
    struct auto_cost cost;
    assert_int_equal(auto_default_cost(ensemble, &costs, &cost, NULL), STATUS_OK);
    return cost.document;
}

/* Two balanced trees of depth 3: a third of the documents go right at the roots, all go left below.
 * Without counts, all children are equally likely. */
static void defaults_count_decisions_and_surprises(void **state) {
    (void)state;
    const struct synth_shape shape = {.depth = 3, .n_features = 3, .n_trees = 2};
    struct ensemble *ensemble = NULL;
    assert_int_equal(synth_trees(&shape, 1, &ensemble, NULL), 0);
    uint64_t nodes[14] = {9, 6, 3, 6, 0, 3, 0, 9, 6, 3, 6, 0, 3, 0};
    uint64_t leaves[16] = {6, 0, 0, 0, 3, 0, 0, 0, 6, 0, 0, 0, 3, 0, 0, 0};
    uint64_t *counts[] = {ensemble->node_count, ensemble->leaf_count};
    ensemble->node_count = ensemble->leaf_count = NULL;
    assert_near(cost_by(ensemble, (struct impl_rates){.decision = 1}), 2 * 3);
    assert_near(cost_by(ensemble, (struct impl_rates){.surprise = 1}), 2 * 1.5);
    ensemble->node_count = nodes;
    ensemble->leaf_count = leaves;
    assert_near(cost_by(ensemble, (struct impl_rates){.decision = 1}), 2 * 3);
    assert_near(cost_by(ensemble, (struct impl_rates){.surprise = 1}), 2.0 / 3);
    ensemble->node_count = counts[0];
    ensemble->leaf_count = counts[1];
    ensemble_free(ensemble);
}

static void defaults_count_bundles(void **state) {
    (void)state;
    for (uint32_t depth = 0; depth <= 13; depth++) {
        const struct synth_shape shape = {.depth = depth, .n_features = 3, .n_trees = 1};
        struct ensemble *ensemble = NULL;
        assert_int_equal(synth_trees(&shape, 1, &ensemble, NULL), 0);
        double expected = depth <= 6 ? ((1 << depth) - 1) / 63.0 : (depth + 5) / 6;
        assert_near(cost_by(ensemble, (struct impl_rates){.bundle = 1}), expected);
        ensemble_free(ensemble);
    }
}

/* 65 trees are two blocks, each as deep as its deepest tree. */
static void defaults_count_rows(void **state) {
    (void)state;
    struct forest forest = forest_begin(3, 1);
    forest_add_balanced(&forest, 5);
    for (int i = 0; i < 64; i++)
        forest_add_balanced(&forest, 2);
    struct ensemble *ensemble = forest_end(&forest);
    assert_near(cost_by(ensemble, (struct impl_rates){.row = 1}), 31 + 3);
    ensemble_free(ensemble);
}

/* A forest that votes costs as much as its trees if the implementation supports votes, and more if
 * it gets one tree per class. */
static void defaults_count_trees_per_class(void **state) {
    (void)state;
    struct forest forest = forest_begin(5, 1);
    forest.n_classes = 9;
    for (int i = 0; i < 40; i++)
        forest_add_balanced(&forest, 6);
    struct ensemble *ensemble = forest_end(&forest);
    struct auto_table votes, sums;
    assert_int_equal(auto_default_table(ensemble, &votes, NULL), STATUS_OK);
    ensemble->votes = false;
    assert_int_equal(auto_default_table(ensemble, &sums, NULL), STATUS_OK);
    assert_int_equal(votes.count, sums.count);
    for (size_t i = 0; i < votes.count; i++) {
        struct options options;
        double vote = auto_cost_of(&votes.costs[i], 64), sum = auto_cost_of(&sums.costs[i], 64);
        assert_true(impl_parse(votes.specs[i], &options, NULL)->votes ? vote == sum : vote > sum);
    }
    ensemble_free(ensemble);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_takes_the_fastest_at_measured_sizes),
        cmocka_unit_test(other_sizes_are_as_without_tuning),
        cmocka_unit_test(other_sizes_follow_a_proof),
        cmocka_unit_test(what_is_untuned_stays_if_nothing_is_faster),
        cmocka_unit_test(float_sums_are_asked_for),
        cmocka_unit_test(a_chain_is_kept_in_calls_of_all_sizes),
        cmocka_unit_test(what_is_refused_is_left_out),
        cmocka_unit_test(a_choice_by_time_needs_no_counts),
        cmocka_unit_test(all_refused_is_untuned),
        cmocka_unit_test(code_that_may_not_run_is_left_out),
        cmocka_unit_test(defaults_are_costs),
        cmocka_unit_test(defaults_ask_for_features_that_are_tested),
        cmocka_unit_test(defaults_count_decisions_and_surprises),
        cmocka_unit_test(defaults_count_bundles),
        cmocka_unit_test(defaults_count_rows),
        cmocka_unit_test(defaults_count_trees_per_class),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
