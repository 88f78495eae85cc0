/* Claims about panels: which rows they take, and their verdicts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/origin.h"
#include "harness/judge/claims.h"
#include "harness/judge/compare.h"
#include "tests/harness/artefacts/panels.h"

static void points_are_not_mixed_up(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    struct artefact artefact = read_good(THREADS, "\"claims\": []");
    const struct point *point = &artefact.scale.panels[0].points[1];
    struct point other[] = {*point, *point, *point, *point, *point, *point, *point, *point};
    other[0].threads = 1;
    snprintf(other[1].parallel, sizeof other[1].parallel, "documents");
    other[2].max_leaves = 9;
    other[3].trees = 11;
    snprintf(other[4].kind, sizeof other[4].kind, "trained");
    snprintf(other[5].data, sizeof other[5].data, "ohsumed");
    snprintf(other[6].barrier, sizeof other[6].barrier, "step");
    other[7].resample = 500;
    for (size_t i = 0; i < 8; i++)
        add(&made, &other[i], 0, "codegen", 99);
    assert_true(isnan(compare_time(made_up_index(&made), point, "codegen").mean));
    add(&made, point, 0, "codegen", 10);
    assert_near(compare_time(made_up_index(&made), point, "codegen").mean, 10);
    made_up_free(&made);
    artefact_free(&artefact);
}

static void speedups_are_within_trials(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    struct artefact artefact = read_good(THREADS, "\"claims\": []");
    const struct panel *panel = &artefact.scale.panels[0];
    const struct point *one = &panel->points[0], *two = &panel->points[1];
    add(&made, one, 0, "codegen", 10);
    add(&made, two, 0, "codegen", 5);
    struct ratio ratio =
        compare_operand_speedup(&(struct place){made_up_index(&made), panel, two}, one, "codegen");
    assert_near(ratio.value, 2);
    assert_near(ratio.interval.low, 2 * 0.9 / 1.1);
    assert_near(ratio.interval.high, 2 * 1.1 / 0.9);
    add(&made, one, 1, "codegen", 80);
    add(&made, two, 1, "codegen", 10);
    ratio =
        compare_operand_speedup(&(struct place){made_up_index(&made), panel, two}, one, "codegen");
    assert_near(ratio.value, 4);
    ratio = compare_operand_speedup(&(struct place){made_up_index(&made), panel, two}, one,
                                    "vpred,v=8");
    assert_true(isnan(ratio.value));
    made_up_free(&made);
    artefact_free(&artefact);
}

/* --- claims ----------------------------------------------------------------------------------- */

/* Judges one claim and expects a text in its measured value. */
static void expect(const char *scale, const char *claim,
                   void (*fill_rows)(struct made_up *made, const struct scale *at),
                   enum verdict verdict, const char *figure) {
    char rest[1024];
    struct made_up made = {.capacity = 0};
    struct claim_result *judged = NULL;
    size_t count = 0;
    snprintf(rest, sizeof rest, "\"claims\": [{\"id\": \"c\", \"words\": \"w\", %s}]", claim);
    struct artefact artefact = read_good(scale, rest);
    fill_rows(&made, &artefact.scale);
    assert_int_equal(
        claims_judge(artefact.name, &artefact, made_up_index(&made), &judged, &count, NULL),
        STATUS_OK);
    if (judged->verdict != verdict || !strstr(judged->measured, figure))
        fail_msg("%s: \"%s\", where %s with \"%s\" was expected", verdict_names[judged->verdict],
                 judged->measured, verdict_names[verdict], figure);
    free(judged);
    made_up_free(&made);
    artefact_free(&artefact);
}

#define CODEGEN_LEADS                                                                              \
    "\"kind\": \"ratio\", \"slow\": \"vpred,v=panel\", \"fast\": \"codegen\", \"low\": 1"

static void claims_choose_panels_and_x(void **state) {
    (void)state;
    expect(TRAINED, CODEGEN_LEADS, fill_trained, VERDICT_NOT_HELD, "holds at 2 of 4 points");
    expect(TRAINED, CODEGEN_LEADS ", \"panels\": [\"Small\"]", fill_trained, VERDICT_HELD,
           "(vpred,v=8 / codegen, mq2008 L=7, <=200 trees) to 3.00");
    expect(TRAINED, CODEGEN_LEADS ", \"panels\": [\"mq2008\"], \"x\": [7, 9]", fill_trained,
           VERDICT_HELD, "holds at 1 of 1 points; not at this scale: max leaves = 9");
    expect(TRAINED, CODEGEN_LEADS ", \"panels\": [\"MSLR\"]", fill_trained, VERDICT_NOT_MEASURED,
           "nothing measured; not at this scale: MSLR");
}

/* Claims are about resampled documents only if they name the panel's title. */
static void claims_are_about_the_papers_protocol(void **state) {
    (void)state;
    expect(RESAMPLED, CODEGEN_LEADS, fill_resampled, VERDICT_HELD, "holds at 2 of 2 points");
    expect(RESAMPLED, CODEGEN_LEADS ", \"panels\": [\"mq2008\"]", fill_resampled, VERDICT_HELD,
           "holds at 2 of 2 points");
    expect(RESAMPLED, CODEGEN_LEADS ", \"panels\": [\"Small resampled\"]", fill_resampled,
           VERDICT_NOT_HELD, "fails at 2: mq2008 L=3, 2 trees, resampled;");
}

#define LEAD_SHRINKS                                                                               \
    "\"kind\": \"ratio_shrinks\", \"slow\": \"vpred,v=panel\", \"fast\": \"codegen\""

static void leads_shrink_over_x_or_panels(void **state) {
    (void)state;
    expect(TRAINED, LEAD_SHRINKS ", \"over\": \"x\", \"panels\": [\"Small\"]", fill_trained,
           VERDICT_HELD, "holds at 1 of 1 points");
    /* both panels have 7 leaves: from 2 to 0.8 */
    expect(TRAINED, LEAD_SHRINKS, fill_trained, VERDICT_HELD, "holds at 1 of 1 points");
}

static void fill_stand_ins(struct made_up *made, const struct scale *scale) {
    fill_trained(made, scale);
    for (size_t i = 0; i < made->rows.count; i++) {
        bool is_small = strcmp(made->rows.list[i].workload.data, "mq2008") == 0;
        snprintf(made->rows.list[i].note, ROW_NOTE_SIZE, "%s",
                 is_small ? "random trees grown on quantiles, not trained, seed 3; documents: a "
                            "sample of MQ2008"
                          : "trained on a synthetic stand-in for yahoo, seed 1");
        made->rows.list[i].origin =
            is_small ? ORIGIN_GROWN | ORIGIN_SAMPLE : ORIGIN_TRAINED | ORIGIN_STAND_IN;
    }
}

static void fill_parts(struct made_up *made, const struct scale *scale) {
    fill_trained(made, scale);
    for (size_t i = 0; i < made->rows.count; i++) {
        snprintf(made->rows.list[i].note, ROW_NOTE_SIZE, "trained on a part of it: 3 of 9 rows");
        made->rows.list[i].origin = ORIGIN_TRAINED | ORIGIN_PART;
    }
}

static void verdicts_name_stand_ins_and_grown_trees(void **state) {
    (void)state;
    expect(TRAINED, CODEGEN_LEADS ", \"panels\": [\"Large\"]", fill_parts, VERDICT_NOT_HELD,
           "L=150, 40 trees; parts of data sets: yahoo-c14-set1");
    expect(TRAINED, CODEGEN_LEADS, fill_stand_ins, VERDICT_NOT_HELD,
           "; synthetic stand-ins: yahoo-c14-set1; samples: mq2008; ensembles not trained: random "
           "trees grown on quantiles");
    expect(TRAINED, CODEGEN_LEADS ", \"panels\": [\"Large\"]", fill_stand_ins, VERDICT_NOT_HELD,
           "L=150, 40 trees; synthetic stand-ins: yahoo-c14-set1");
    expect(RESAMPLED, CODEGEN_LEADS ", \"panels\": [\"Small resampled\"]", fill_resampled,
           VERDICT_NOT_HELD, "L=7, 2 trees, resampled");
}

static void speedups_are_judged(void **state) {
    (void)state;
#define SPEEDUP "\"kind\": \"speedup\", \"variants\": \"codegen\", "
    expect(THREADS, SPEEDUP "\"low\": 1, \"panels\": [\"(b)\"]", fill_threads, VERDICT_HELD,
           "1.82 [1.82, 1.82] (codegen, mq2008 L=8, 10 trees, 2 threads over documents) to 4.00");
    expect(THREADS, SPEEDUP "\"low\": 1, \"panels\": [\"(a)\"]", fill_threads, VERDICT_NOT_HELD,
           "holds at 1 of 2 points, fails at 1: mq2008 L=8, 10 trees, 8 threads over trees");
    expect(THREADS, SPEEDUP "\"low\": 0.8, \"per\": \"x\", \"panels\": [\"(b)\"], \"x\": [2]",
           fill_threads, VERDICT_HELD, "0.91");
    expect(THREADS, SPEEDUP "\"low\": 0.8, \"per\": \"x\", \"panels\": [\"(b)\"], \"x\": [8]",
           fill_threads, VERDICT_NOT_HELD, "0.50");
}

/* The latency falls up to 4 threads. Only a machine with more cores measures what is behind. */
static void fill_latency(struct made_up *made, const struct scale *scale) {
    fill(made, &scale->panels[0], "codegen", (const double[]){10, 8, 7, 9});
}

static void fill_four_cores(struct made_up *made, const struct scale *scale) {
    scale_limit_threads((struct scale *)scale, 4);
    fill_latency(made, scale);
}

static void fill_two_cores(struct made_up *made, const struct scale *scale) {
    scale_limit_threads((struct scale *)scale, 2);
    fill_latency(made, scale);
}

static void slowdowns_are_judged(void **state) {
    (void)state;
#define SLOWDOWN                                                                                   \
    "\"kind\": \"slowdown\", \"variants\": \"codegen\", \"low\": 1, \"panels\": [\"(a)\"], "
    expect(LATENCY, SLOWDOWN "\"from\": 4, \"x\": [8]", fill_latency, VERDICT_HELD,
           "1.29 [1.29, 1.29] (codegen, mq2008 L=8, 10 trees, 8 threads over trees, a barrier a "
           "step); holds at 1 of 1 points");
    expect(LATENCY, SLOWDOWN "\"from\": 2, \"x\": [4, 8]", fill_latency, VERDICT_NOT_HELD,
           "holds at 1 of 2 points, fails at 1: mq2008 L=8, 10 trees, 4 threads over trees");
    expect(LATENCY, SLOWDOWN "\"from\": 3, \"x\": [4, 8]", fill_latency, VERDICT_NOT_MEASURED,
           "no numbers");
    /* 9 / 7, divided by 8 / 4 threads */
    expect(LATENCY, SLOWDOWN "\"per\": \"x\", \"from\": 4, \"x\": [8]", fill_latency,
           VERDICT_NOT_HELD, "0.64 [0.64, 0.64]");
}

/* A claim about more threads than there are cores is not held by what was not measured. */
static void points_without_cores_are_not_measured(void **state) {
    (void)state;
    expect(LATENCY, SLOWDOWN "\"from\": 4, \"x\": [8]", fill_four_cores, VERDICT_NOT_MEASURED,
           "nothing measured; not measured: threads = 8");
    expect(LATENCY, SLOWDOWN "\"from\": 4, \"x\": [2, 8]", fill_two_cores, VERDICT_NOT_MEASURED,
           "no numbers; not measured: threads = 8");
    expect(LATENCY, SPEEDUP "\"low\": 1.2, \"panels\": [\"(a)\"], \"x\": [4, 8]", fill_four_cores,
           VERDICT_HELD, "holds at 1 of 1 points; not measured: threads = 8");
    expect(LATENCY, SPEEDUP "\"low\": 1.2, \"panels\": [\"(a)\"], \"x\": [4, 8]", fill_two_cores,
           VERDICT_NOT_MEASURED, "nothing measured; not measured: threads = 4, 8");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_not_mixed_up),
        cmocka_unit_test(speedups_are_within_trials),
        cmocka_unit_test(claims_choose_panels_and_x),
        cmocka_unit_test(claims_are_about_the_papers_protocol),
        cmocka_unit_test(verdicts_name_stand_ins_and_grown_trees),
        cmocka_unit_test(leads_shrink_over_x_or_panels),
        cmocka_unit_test(speedups_are_judged),
        cmocka_unit_test(slowdowns_are_judged),
        cmocka_unit_test(points_without_cores_are_not_measured),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
