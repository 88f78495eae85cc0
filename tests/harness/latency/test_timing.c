/* Measurements of calls, with a kernel that is wrong on purpose: this program brings its own
 * STRUCT+, which is wrong in calls of one document. Checks before the timing make larger calls. The
 * linker prefers it to the library's. */
#include "harness/latency/timing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/measure/workload.h"

#include <limits.h>
#include <math.h>
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
                at = batch->x[d * batch->stride + e->feature[node]] <= e->threshold[node]
                         ? e->left[node]
                         : e->right[node];
            }
            batch->scores[d] += e->value[e->tree_leaf[t] + (size_t)~at];
        }
    if (docs.end - docs.begin == 1)
        batch->scores[docs.begin] += 1;
}

static unsigned builds_most = UINT_MAX, builds; /* how often it can be built, and was */

static enum status broken_build(const struct impl *impl, const struct ensemble *ensemble,
                                const struct options *options, struct scorer **scorer,
                                struct error *error) {
    (void)options;
    if (builds++ >= builds_most)
        return error_set(error, STATUS_INPUT, "built too often");
    struct broken *broken =
        scorer_create(sizeof *broken, impl, ensemble, ensemble->n_trees, 1, error);
    if (!broken)
        return STATUS_MEMORY;
    broken->ensemble = ensemble;
    return scorer_finish(&broken->scorer, STATUS_OK, scorer, error);
}

const struct impl impl_struct_plus = {.name = "struct-plus",
                                      .title = "STRUCT+ that is wrong for one document",
                                      .source = "this test",
                                      .kind = IMPL_TRAVERSAL,
                                      .build = broken_build,
                                      .score = broken_score};

/* --- a small workload ------------------------------------------------------------------------- */

static int set_up(void **state) {
    static const struct workload small = {
        .kind = "synthetic", .depth = 4, .features = 8, .trees = 3, .documents = 300, .seed = 7};
    struct workload_inputs *inputs = calloc(1, sizeof *inputs);
    *state = inputs;
    return !inputs || workload_make_inputs("", &small, inputs, NULL) ? 1 : 0;
}

static int tear_down(void **state) {
    workload_free_inputs(*state);
    free(*state);
    return 0;
}

static const struct call_size one = {1, 1}, some = {2, 5};

static struct timing_request small_request(const char *const *variants, size_t n_variants,
                                           const struct call_size *size) {
    return (struct timing_request){.variants = variants,
                                   .n_variants = n_variants,
                                   .sizes = size,
                                   .n_sizes = 1,
                                   .mode = TIMING_STREAM,
                                   .calls = 3000,
                                   .rounds = 4,
                                   .placements = 2,
                                   .document_seed = 1,
                                   .size_seed = 2,
                                   .arrival_seed = 3};
}

static void measure(const struct workload_inputs *inputs, const struct timing_request *request,
                    struct timing *timing) {
    struct error error;
    if (timing_measure(inputs->ensemble, inputs->documents, request, timing, &error))
        fail_msg("%s", error.text);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void test_each_line_has_the_calls_that_were_asked_for(void **state) {
    static const char *const variants[] = {"struct", "qs"};
    struct timing timing;
    struct timing_request request = small_request(variants, 2, &one);
    measure(*state, &request, &timing);
    assert_int_equal(timing.n_targets, 4);
    assert_int_equal(timing.n_lines, 8);
    assert_true(timing.rounds == 4 && timing.placements == 2 && !timing.is_interrupted);
    for (size_t i = 0; i < timing.n_lines; i++) {
        const struct timing_line *line = &timing.lines[i];
        assert_int_equal(timing.targets[line->target].row.status, ROW_OK);
        assert_int_equal(line->histogram->total, 3000);
        assert_int_equal(line->rounds, 4);
        assert_true(isfinite(line->samples[2][3]) && isnan(line->samples[4][3]));
        assert_true((line->checked > 20) == (line->target != timing.empty));
        assert_int_equal(line->documents, i < 4 ? CALL_DIFFERENT : CALL_SAME);
        assert_ptr_equal(timing_partner(line, 0), &timing.lines[i / 4 * 4]);
    }
    struct ratio ratio = timing_ratio(&timing, &timing.lines[1], &timing.lines[0], 0);
    assert_true(ratio.value > 0 && ratio.interval.low <= ratio.value);
    assert_true(isnan(timing_ratio(&timing, &timing.lines[1], &timing.lines[0], 4).value));
    timing_free(&timing);
}

/* Each call follows 1 ms of sleep, in which the thread waits. */
static void test_idle_calls_follow_a_pause(void **state) {
    static const char *const variants[] = {"struct"};
    struct timing timing;
    struct timing_request request = small_request(variants, 1, &one);
    request.calls = 40;
    request.state = CALL_IDLE;
    measure(*state, &request, &timing);
    assert_int_equal(timing.lines[0].histogram->total, 40);
    assert_true(timing.lines[0].causes.waits >= 40 && timing.lines[0].seconds > 0.04);
    timing_free(&timing);
}

/* 4 rounds in 2 placements: a build for each call, for 4 calls before those of each round, for
 * the second placement and for the checks. */
static void test_a_first_call_has_a_scorer_of_its_own(void **state) {
    static const char *const variants[] = {"struct", "struct-plus"};
    struct timing timing;
    struct timing_request request = small_request(variants, 2, &some);
    request.calls = 40;
    request.state = CALL_FIRST;
    measure(*state, &request, &timing);
    assert_int_equal(timing.n_lines, timing.n_targets);
    assert_int_equal(timing.lines[0].documents, CALL_DIFFERENT);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(timing.targets[i].row.status, ROW_OK);
        assert_int_equal(timing.lines[i].histogram->total, 40);
        assert_in_range(timing.targets[i].row.builds, 40 + 4 * 4 + 1, 40 + 4 * 4 + 2);
    }
    timing_free(&timing);

    builds_most = builds + 10;
    measure(*state, &request, &timing);
    builds_most = UINT_MAX;
    assert_int_equal(timing.targets[0].row.status, ROW_OK);
    assert_int_equal(timing.targets[1].row.status, ROW_FAILED);
    assert_string_equal(timing.targets[1].row.reason, "built too often");
    timing_free(&timing);
}

static void test_a_wrong_reply_that_was_timed_is_found(void **state) {
    static const char *const variants[] = {"struct-plus"};
    struct timing timing;
    struct timing_request request = small_request(variants, 1, &one);
    measure(*state, &request, &timing);
    assert_int_equal(timing.targets[0].row.status, ROW_WRONG);
    assert_non_null(strstr(timing.targets[0].row.reason, "a timed reply"));
    timing_free(&timing);

    request = small_request(variants, 1, &some);
    measure(*state, &request, &timing);
    assert_int_equal(timing.targets[0].row.status, ROW_OK);
    timing_free(&timing);
}

static void test_what_has_no_calls_is_refused(void **state) {
    static const char *const variants[] = {"struct,order=SD", "struct"};
    struct timing timing;
    struct timing_request request = small_request(variants, 2, &one);
    measure(*state, &request, &timing);
    assert_int_equal(timing.targets[0].row.status, ROW_UNSUPPORTED);
    assert_non_null(strstr(timing.targets[0].row.reason, "loop order"));
    assert_int_equal(timing.lines[1].histogram->total, 3000);
    assert_true(isnan(timing_ratio(&timing, &timing.lines[1], &timing.lines[0], 0).value));
    timing_free(&timing);
}

static void test_a_server_reports_the_rate_that_it_completed(void **state) {
    static const char *const variants[] = {"struct"};
    struct timing timing;
    struct timing_request request = small_request(variants, 1, &one);
    request.mode = TIMING_SERVER;
    request.rate = 1e5;
    measure(*state, &request, &timing);
    assert_int_equal(timing.n_lines, 2);
    assert_int_equal(timing.lines[0].histogram->total, 3000);
    assert_true(timing_completed_rate(&timing.lines[0]) < 1.2e5);
    assert_true(isnan(timing_peak(&timing, &timing.lines[0]).value));
    timing_free(&timing);
}

/* Any machine completes a call in 1 s, and none in 1 ns. */
static void test_a_peak_is_found_or_not(void **state) {
    static const char *const variants[] = {"struct"};
    struct timing timing;
    struct timing_request request = small_request(variants, 1, &one);
    request.mode = TIMING_PEAK;
    request.calls = 100;
    request.bound_ns = 1;
    measure(*state, &request, &timing);
    assert_int_equal(timing.n_lines, 1);
    assert_true(isnan(timing_peak(&timing, &timing.lines[0]).value));
    assert_true(timing.lines[0].histogram->total == 0 && !timing.lines[0].is_peak_limited);
    timing_free(&timing);
}

/* A bound of hours asks for trials of days: none is made, and the search ends. */
static void test_a_search_of_trials_that_are_too_long_ends(void **state) {
    static const char *const variants[] = {"struct"};
    struct timing timing;
    struct timing_request request = small_request(variants, 1, &one);
    request.mode = TIMING_PEAK;
    request.bound_ns = 1e13;
    measure(*state, &request, &timing);
    assert_true(isnan(timing_peak(&timing, &timing.lines[0]).value));
    assert_true(timing.lines[0].is_peak_limited && timing.lines[0].completed == 0);
    timing_free(&timing);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_line_has_the_calls_that_were_asked_for),
        cmocka_unit_test(test_idle_calls_follow_a_pause),
        cmocka_unit_test(test_a_first_call_has_a_scorer_of_its_own),
        cmocka_unit_test(test_a_wrong_reply_that_was_timed_is_found),
        cmocka_unit_test(test_what_has_no_calls_is_refused),
        cmocka_unit_test(test_a_server_reports_the_rate_that_it_completed),
        cmocka_unit_test(test_a_peak_is_found_or_not),
        cmocka_unit_test(test_a_search_of_trials_that_are_too_long_ends),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
