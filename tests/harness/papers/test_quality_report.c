/* Tables and claims about quality, on made-up models. */
#include "harness/papers/quality_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/files/file.h"
#include "base/origin.h"
#include "harness/artefacts/grid.h"
#include "harness/judge/quality_compare.h"
#include "tests/harness/rows/made_up_rows.h"

#include <math.h>

enum {
    QUERIES = 60,
    POINTS = 3,
    FOLDS = 2,
    SEEDS_MAX = 3,
    MODELS_MAX = POINTS * FOLDS * SEEDS_MAX
};

static const char config[] =
    "{\"name\": \"q\", \"title\": \"Title\", \"source\": \"paper\", \"seed\": 5,"
    " \"measure\": \"quality\", \"scales\": {\"smoke\": {\"kind\": \"trained\","
    " \"x\": \"max_leaves\", \"trials\": 2, \"rounds\": 1, \"panels\": ["
    "  {\"title\": \"A\", \"data\": \"mq2008\", \"max_leaves\": [3, 5, 7], \"trees\": 100,"
    "   \"seeds\": %d}]}},"
    " \"table\": {\"kind\": \"%s\", \"reference\": \"q-reference.csv\"}, \"claims\": [%s]}";

/* The models of all points, folds and seeds; of_queries[] of a point by `ndcg`. */
struct fixture {
    char folder[32];
    const char *note; /* of the models */
    struct artefact artefact;
    int seeds; /* models per fold */
    struct quality list[MODELS_MAX];
    double of_queries[MODELS_MAX][QUALITY_RANKS * QUERIES];
    struct json_list qualities;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    snprintf(f->folder, sizeof f->folder, "/tmp/test_quality_r.XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->note = "trained on a synthetic stand-in";
    f->seeds = 1;
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    static const char *const files[] = {"q.md", "q.csv", "q-reference.csv"};
    artefact_free(&f->artefact);
    for (size_t i = 0; i < 3; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", f->folder, files[i]);
        unlink(path);
    }
    int left = rmdir(f->folder);
    free(f);
    return left;
}

static enum status read_config(struct fixture *f, const char *table, const char *claims,
                               struct error *error) {
    char text[2048];
    snprintf(text, sizeof text, config, f->seeds, table, claims);
    return made_up_artefact(f->folder, "q", text, &f->artefact, error);
}

static void make_artefact(struct fixture *f, const char *table, const char *claims) {
    struct error error;
    if (read_config(f, table, claims, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

/* Query q has 0.5 plus a small term of its own. Of each fold's queries, `better` are higher by the
 * point's gain, and the others are lower by it. Each further model of a fold has ten trees more. */
static void make_models(struct fixture *f, const double gain[POINTS], size_t better) {
    const struct panel *panel = &f->artefact.scale.panels[0];
    size_t models = POINTS * FOLDS * (size_t)f->seeds;
    for (size_t i = 0; i < models; i++) {
        size_t p = i / (FOLDS * (size_t)f->seeds);
        uint32_t fold = (uint32_t)(i / (size_t)f->seeds) % FOLDS,
                 seed = (uint32_t)i % (uint32_t)f->seeds;
        struct quality *q = &f->list[i];
        *q = (struct quality){.features = 46,
                              .train = {100, 10},
                              .validation = {30, 3},
                              .test = {200 + 2 * fold, QUERIES},
                              .trees = 10 + (uint32_t)p + 10 * seed,
                              .mean_tree_depth = 2,
                              .examined = 0.5 + 0.1 * (double)p + 0.02 * fold,
                              .of_queries = f->of_queries[i]};
        snprintf(q->note, sizeof q->note, "%s", f->note);
        q->origin = origin_of_model_note(q->note);
        q->workload = grid_model(&f->artefact, panel, &panel->points[p], fold, seed);
        for (size_t r = 0; r < QUALITY_RANKS; r++) {
            for (size_t k = 0; k < QUERIES; k++)
                q->of_queries[r * QUERIES + k] =
                    0.5 + (k < better ? 1 : -1) * gain[p] * (1 + 0.001 * (double)(k % 20));
            q->ndcg[r] = stats_mean(q->of_queries + r * QUERIES, QUERIES);
        }
    }
    f->qualities = (struct json_list){f->list, models, 0};
}

/* --- claims ----------------------------------------------------------------------------------- */

static struct claim_result judge(struct fixture *f) {
    struct claim_result *judged = NULL, first;
    size_t count = 0;
    struct error error;
    if (claims_judge(f->artefact.name, &f->artefact, &f->qualities, &judged, &count, &error) !=
        STATUS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(count, 1);
    first = judged[0];
    free(judged);
    return first;
}

static void check_verdict(struct fixture *f, const double gain[POINTS], size_t better,
                          enum verdict verdict) {
    make_models(f, gain, better);
    struct claim_result judged = judge(f);
    if (judged.verdict != verdict)
        fail_msg("%s: %s", verdict_names[judged.verdict], judged.measured);
}

static void check_unresolved(struct fixture *f, const char *words) {
    struct claim_result judged = judge(f);
    if (judged.verdict != VERDICT_UNRESOLVED || !strstr(judged.measured, words))
        fail_msg("%s: '%s' is not in '%s'", verdict_names[judged.verdict], words, judged.measured);
}

#define CLAIM(kind, more)                                                                          \
    "{\"id\": \"c\", \"words\": \"w\", \"kind\": \"" kind "\", \"panels\": [\"A\"]" more "}"

static void none_differ(void **state) {
    struct fixture *f = *state;
    make_artefact(f, "ndcg", CLAIM("none_differ", ""));
    f->note = "";
    check_verdict(f, (double[]){0, 0, 0}, QUERIES, VERDICT_HELD);
    check_verdict(f, (double[]){0, 0.1, 0.2}, QUERIES / 2, VERDICT_HELD);
    check_verdict(f, (double[]){0, 0.1, 0.2}, QUERIES - 5, VERDICT_NOT_HELD);
    make_models(f, (double[]){0, 0, 0}, QUERIES);
    f->qualities.count -= FOLDS; /* the last point is missing */
    check_unresolved(f, "models are missing for 12");
}

/* 78 of 120 queries are better, so p is under 0.05 in each of 12 tests. In 18 tests, chance alone
 * may explain such a p. */
static void none_differ_is_corrected_for_many_tests(void **state) {
    struct fixture *f = *state;
    make_artefact(f, "ndcg", CLAIM("none_differ", ""));
    f->note = "";
    make_models(f, (double[]){0, 0, 0.1}, 39);
    struct quality_folds few = {{&f->list[0], &f->list[1]}, FOLDS};
    struct quality_folds many = {{&f->list[4], &f->list[5]}, FOLDS};
    double p = quality_test(&few, &many, 0).p;
    assert_true(p > 0.05 / 18 && p < 0.05);
    struct claim_result judged = judge(f);
    assert_int_equal(judged.verdict, VERDICT_HELD);
    assert_non_null(strstr(judged.measured, "0 of 18 differences are significant (p <= 0.05 by "
                                            "Holm's correction); smallest p: 0.0"));
    char corrected[400];
    snprintf(corrected, sizeof corrected, ", corrected %.2f (A, 3 against 7", 18 * p);
    assert_non_null(strstr(judged.measured, corrected));
    assert_non_null(strstr(judged.measured, "; one model per fold: a difference may come from the "
                                            "seed of the training and not from the leaves"));
}

static void only_one_model_per_fold_is_told(void **state) {
    struct fixture *f = *state;
    f->seeds = 2;
    f->note = "";
    make_artefact(f, "ndcg", CLAIM("none_differ", ""));
    make_models(f, (double[]){0, 0, 0}, QUERIES);
    assert_null(strstr(judge(f).measured, "one model per fold"));
    artefact_free(&f->artefact);
    f->seeds = 1;
    make_artefact(f, "ndcg", CLAIM("deeper_better", ", \"ranks\": [\"10\"]"));
    make_models(f, (double[]){0, 0, 0}, QUERIES);
    assert_non_null(strstr(judge(f).measured, "; one model per fold: "));
}

/* 120 queries with 100 trees can show a difference; fewer cannot. */
static void none_differ_where_any_could(void **state) {
    struct fixture *f = *state;
    const double same[POINTS] = {0, 0, 0};
    make_artefact(f, "ndcg", CLAIM("none_differ", ""));
    make_models(f, same, QUERIES);
    check_unresolved(f, "too little data to show a difference: A is a stand-in; A: trained on a "
                        "synthetic stand-in");
    check_verdict(f, (double[]){0, 0.1, 0.2}, QUERIES - 5, VERDICT_NOT_HELD);
    f->note = "";
    check_verdict(f, same, QUERIES, VERDICT_HELD);
    for (size_t i = 0; i < POINTS * FOLDS; i++)
        f->list[i].test.queries = 49;
    check_unresolved(
        f, "too little data to show a difference: A has 98 test queries (100 are needed)");
    for (size_t i = 0; i < POINTS; i++)
        f->artefact.scale.panels[0].points[i].trees = 99;
    make_models(f, same, QUERIES);
    check_unresolved(
        f, "too little data to show a difference: A has at most 99 trees (100 are needed)");
}

static void deeper_better(void **state) {
    struct fixture *f = *state;
    make_artefact(f, "ndcg", CLAIM("deeper_better", ", \"ranks\": [\"10\"]"));
    check_verdict(f, (double[]){0, 0, 0.1}, QUERIES - 5, VERDICT_HELD);
    check_verdict(f, (double[]){0.1, 0, 0}, QUERIES - 5, VERDICT_NOT_HELD);
    check_verdict(f, (double[]){0, 0, 0.1}, QUERIES / 2, VERDICT_UNRESOLVED);
    check_verdict(f, (double[]){0, 0, 0}, QUERIES, VERDICT_UNRESOLVED);
    f->qualities.count = 0;
    assert_int_equal(judge(f).verdict, VERDICT_NOT_MEASURED);
}

#define PAIRS(kind, more) CLAIM(kind, ", \"pairs\": " more)

static void pairs_and_ranks_are_chosen(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *claim, *says;
        enum verdict verdict;
    } claims[] = {
        {PAIRS("deeper_better", "[[3, 5], [3, 7]]"),
         "better in 6 of 12 tests (p <= 0.05), and "
         "significantly worse in 6; least clear on A: NDCG@1 ",
         VERDICT_NOT_HELD},
        {PAIRS("deeper_better", "[[3, 5]], \"ranks\": [\"1\", \"inf\"]"), "better in 2 of 2 tests",
         VERDICT_HELD},
        {PAIRS("deeper_better", "[[5, 7]]"),
         "better in 0 of 6 tests (p <= 0.05), and significantly "
         "worse in 6",
         VERDICT_NOT_HELD},
        {PAIRS("deeper_better", "[[3, 9]]"), "not at this scale: 3 against 9 leaves",
         VERDICT_NOT_MEASURED},
        {CLAIM("deeper_better", ""), "better in 0 of 6 tests", VERDICT_NOT_HELD},
        {PAIRS("none_differ", "[[3, 5]], \"ranks\": [\"5\"]"), "1 of 1 differences are significant",
         VERDICT_NOT_HELD},
        {PAIRS("none_differ", "[[3, 9]]"), "3 against 9 leaves", VERDICT_NOT_MEASURED},
    };
    f->note = "";
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        make_artefact(f, "ndcg", claims[i].claim);
        make_models(f, (double[]){0, 0.1, -0.1}, QUERIES - 5);
        struct claim_result judged = judge(f);
        if (judged.verdict != claims[i].verdict || !strstr(judged.measured, claims[i].says))
            fail_msg("%zu: %s: %s", i, verdict_names[judged.verdict], judged.measured);
        artefact_free(&f->artefact);
    }
}

/* The means differ by 0.1 * (1 + 0.001 * 9.5), for all queries alike. */
static void little_difference(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *claim;
        enum verdict verdict;
    } claims[] = {{CLAIM("little_difference", ", \"high\": 0.1011"), VERDICT_HELD},
                  {CLAIM("little_difference", ", \"high\": 0.1"), VERDICT_NOT_HELD},
                  {PAIRS("little_difference", "[[3, 5]], \"high\": 0.001"), VERDICT_HELD}};
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        f->note = "";
        make_artefact(f, "ndcg", claims[i].claim);
        check_verdict(f, (double[]){0, 0, 0.1}, QUERIES, claims[i].verdict);
        f->note = "trained on a synthetic stand-in";
        make_models(f, (double[]){0, 0, 0}, QUERIES);
        check_unresolved(f, "too little data to show a difference: A is a stand-in");
        artefact_free(&f->artefact);
    }
}

/* The shares are 0.51, 0.61 and 0.71 in the mean of the folds. */
static void share_within(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *claim;
        enum verdict verdict;
    } claims[] = {
        {CLAIM("share_within", ", \"low\": 0.505, \"high\": 1"), VERDICT_HELD},
        {CLAIM("share_within", ", \"low\": 0.515, \"high\": 1"), VERDICT_NOT_HELD},
        {CLAIM("share_within", ", \"low\": 0.505, \"high\": 0.7"), VERDICT_NOT_HELD},
    };
    for (size_t i = 0; i < 3; i++) {
        make_artefact(f, "features-examined", claims[i].claim);
        check_verdict(f, (double[]){0, 0, 0}, 0, claims[i].verdict);
        f->qualities.count = 0;
        assert_int_equal(judge(f).verdict, VERDICT_NOT_MEASURED);
        artefact_free(&f->artefact);
    }
}

static void check_refused(struct fixture *f, const char *table, const char *claims,
                          const char *words) {
    struct error error;
    assert_int_equal(read_config(f, table, claims, &error), STATUS_INPUT);
    if (!strstr(error.text, words))
        fail_msg("'%s' is not in '%s'", words, error.text);
}

static void mistakes_are_refused(void **state) {
    struct fixture *f = *state;
    check_refused(f, "pie", "", "table: kind: pie is none of data-sets");
    check_refused(f, "ndcg", CLAIM("faster", ""), "claim c: kind: faster is none of none_differ");
    check_refused(f, "ndcg", CLAIM("none_differ", ", \"low\": 1"), "claim c: low: unknown key");
    check_refused(f, "ndcg", CLAIM("deeper_better", ", \"ranks\": [\"2\"]"),
                  "claim c: ranks: not an array of the ranks");
    check_refused(f, "ndcg", CLAIM("deeper_better", ", \"pairs\": [[5, 3]]"),
                  "claim c: pairs: not an array of pairs");
    check_refused(
        f, "ndcg",
        "{\"id\": \"c\", \"words\": \"w\", \"kind\": \"none_differ\", \"panels\": [\"B\"]}",
        "claim c: panels: scale smoke has none of these panels");
}

/* --- tables ----------------------------------------------------------------------------------- */

static void write_reference(const struct fixture *f, const char *text) {
    char path[64];
    snprintf(path, sizeof path, "%s/q-reference.csv", f->folder);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static void check_report(struct fixture *f, const char *const *lines) {
    struct error error;
    char path[64];
    struct file_text text;
    char warning[64];
    const struct report_paths paths = {.reference = f->folder};
    if (report_artefact(f->folder, &f->artefact, &f->qualities, &paths, NULL, NULL, warning,
                        sizeof warning, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    snprintf(path, sizeof path, "%s/q.md", f->folder);
    assert_int_equal(file_read(path, &text, NULL), STATUS_OK);
    for (; *lines; lines++)
        if (!strstr(text.data, *lines))
            fail_msg("'%s' is not in:\n%s", *lines, text.data);
    file_text_free(&text);
}

static void ndcg_stands_beside_the_papers(void **state) {
    struct fixture *f = *state;
    make_artefact(f, "ndcg", "");
    make_models(f, (double[]){0, 0, 0.1}, QUERIES - 5);
    write_reference(
        f, "data,max_leaves,paper,mean_trees,mean_depth,ndcg_1,ndcg_3,ndcg_5,ndcg_10,ndcg_20,"
           "ndcg_inf\nmq2008,5,LETOR,251 (9),3.6 (0.1),0.1,0.2,0.3,0.4,0.5,0.6\n");
    check_report(
        f,
        (const char *const[]){
            "In the paper: LETOR. Here: 2 folds; **trained on a synthetic stand-in**.",
            "\n\nTrees requested here: 100.\n\n", "| 3 | here | 10 | 2.0 | 0.500 | 0.500 |",
            "| 5 | paper | 251 (9) | 3.6 (0.1) | 0.1 | 0.2 | 0.3 | 0.4 | 0.5 | 0.6 | |\n| | here |",
            "| 7 | here | 12 | 2.0 | 0.584 + \\* |", NULL});
    for (size_t k = 0; k < 9; k++) /* nine queries of the first fold have no relevant document */
        f->of_queries[0][(QUALITY_RANKS - 1) * QUERIES + k] = 0;
    check_report(f, (const char *const[]){
                        "A query without relevant documents has NDCG 0",
                        "\n\nTest queries without relevant documents: 9 of 120 (7.5 %).\n\n",
                        "| @20 | @inf | @inf, skip |", "| 0.500 | 0.544 |\n| 5 |", NULL});
    f->qualities.count = 0;
    check_report(f, (const char *const[]){"**No model was trained here.**",
                                          "| 3 | here | - | - | - |", NULL});
}

/* The models of both folds have 10 and 20 trees: mean 15, deviation sqrt(100 / 3), half width
 * 3.18245 * deviation / 2. */
static void statistics_are_over_all_models(void **state) {
    struct fixture *f = *state;
    f->seeds = 2;
    make_artefact(f, "ndcg", "");
    make_models(f, (double[]){0, 0, 0}, QUERIES);
    write_reference(f, "data,max_leaves,paper,mean_trees,mean_depth\n");
    check_report(f, (const char *const[]){"Here: 2 folds, 4 models; **trained",
                                          "relevant documents: 0 of 120 (0.0 %).",
                                          "| 3 | here | 15 (9) | 2.0 (0.0) |", NULL});
}

/* The models of a fold have 0.1, 0.2 and 0.3, or the same in descending order. The means differ
 * only by rounding; 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1. One model alone would differ. */
static void tests_take_the_mean_over_seeds(void **state) {
    struct fixture *f = *state;
    f->seeds = 3;
    make_artefact(f, "ndcg", CLAIM("none_differ", ""));
    f->note = "";
    make_models(f, (double[]){0, 0, 0}, QUERIES);
    for (size_t i = 0; i < MODELS_MAX; i++) {
        bool descends = i / (FOLDS * 3) == 1; /* the second point */
        for (size_t k = 0; k < QUALITY_RANKS * QUERIES; k++)
            f->of_queries[i][k] = 0.1 * (double)(descends ? 3 - i % 3 : 1 + i % 3);
    }
    const struct panel *panel = &f->artefact.scale.panels[0];
    struct quality_folds few = quality_at(&f->qualities, &f->artefact, panel, &panel->points[0]),
                         many = quality_at(&f->qualities, &f->artefact, panel, &panel->points[1]);
    assert_int_equal(few.count, FOLDS * 3);
    assert_int_equal(quality_count(&few).folds, FOLDS);
    assert_int_equal(quality_count(&few).queries, FOLDS * QUERIES);
    assert_int_equal(quality_test(&few, &many, 0).n, 0);
    assert_int_equal(judge(f).verdict, VERDICT_HELD);
    many.list[1] = many.list[3]; /* only the first model of each fold is left */
    many.count = FOLDS;
    struct wilcoxon test = quality_test(&few, &many, 0);
    assert_int_equal(test.plus, FOLDS * QUERIES * (FOLDS * QUERIES + 1) / 2);
    assert_int_equal(test.minus, 0);
}

static double share(const struct quality *quality) {
    return quality->examined;
}

/* By hand: mean 0.6, deviation 0.1, half width 4.30265 * 0.1 / sqrt(3). */
static void spread_takes_three_folds(void **state) {
    (void)state;
    const struct quality models[] = {{.examined = 0.5}, {.examined = 0.6}, {.examined = 0.7}};
    struct quality_folds folds = {{&models[0], &models[1], &models[2]}, 3};
    assert_true(fabs(quality_mean_of(&folds, share).half_width - 0.248414) < 1e-5);
    assert_true(fabs(quality_mean_of(&folds, share).variance - 0.01) < 1e-9);
    folds.count = 2;
    assert_true(isnan(quality_mean_of(&folds, share).half_width));
    assert_true(isnan(quality_mean_of(&folds, share).variance));
}

static void features_stand_beside_the_papers(void **state) {
    struct fixture *f = *state;
    make_artefact(f, "features-examined", "");
    make_models(f, (double[]){0, 0, 0}, 0);
    write_reference(f, "data,max_leaves,paper,examined\nmq2008,3,LETOR,76.7 (5.0)\n");
    check_report(f, (const char *const[]){"| 3 | 76.7 (5.0) | 51.0 |", "| 5 | - | 61.0 |", NULL});
}

static void data_sets_have_their_sizes(void **state) {
    struct fixture *f = *state;
    make_artefact(f, "data-sets", "");
    make_models(f, (double[]){0, 0, 0}, 0);
    write_reference(f, "data,paper,train,validation,test,features\nmq2008,LETOR,42K,14K,13K,46\n");
    check_report(f, (const char *const[]){"| A | paper: LETOR | 42K | 14K | 13K | 46 |",
                                          "| | here: a synthetic stand-in | 100 | 30 | 201 | 46 |",
                                          NULL});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(none_differ, set_up, tear_down),
        cmocka_unit_test_setup_teardown(none_differ_where_any_could, set_up, tear_down),
        cmocka_unit_test_setup_teardown(none_differ_is_corrected_for_many_tests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_one_model_per_fold_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deeper_better, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pairs_and_ranks_are_chosen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(little_difference, set_up, tear_down),
        cmocka_unit_test_setup_teardown(share_within, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mistakes_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ndcg_stands_beside_the_papers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(statistics_are_over_all_models, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tests_take_the_mean_over_seeds, set_up, tear_down),
        cmocka_unit_test(spread_takes_three_folds),
        cmocka_unit_test_setup_teardown(features_stand_beside_the_papers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(data_sets_have_their_sizes, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
