/* Tables and claims about the accuracy of forests, on made-up models. */
#include "harness/papers/quality_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/files/file.h"
#include "base/origin.h"
#include "harness/artefacts/grid.h"
#include "harness/papers/report.h"
#include "tests/harness/rows/made_up_rows.h"

#define FOREST(title, data, trees)                                                                 \
    "{\"title\": \"" title "\", \"data\": \"" data "\", \"learner\": \"random-forest\", "          \
    "\"trees\": " trees ", \"depth\": [1, 20]}"

#define SCALES                                                                                     \
    "{\"full\": {\"kind\": \"forest\", \"x\": \"depth\", \"trials\": 1, \"rounds\": 1, "           \
    "\"panels\": [" FOREST("letter RF", "letter", "25") ", " FOREST(                               \
        "letter DT", "letter", "1") ", " FOREST("imdb RF", "imdb",                                 \
                                                "25") ", " FOREST("magic-float RF", "magic-float", \
                                                                  "25") "]}}"

static const char config[] =
    "{\"name\": \"a\", \"title\": \"Title\", \"source\": \"paper\", \"seed\": 5,"
    " \"measure\": \"quality\", \"scales\": " SCALES ","
    " \"table\": {\"kind\": \"%s\", \"reference\": \"a-reference.csv\"}, \"claims\": [%s]}";

enum { MODELS = 6 };

struct fixture {
    char folder[32];
    struct artefact artefact;
    struct quality list[MODELS];
    struct json_list qualities;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    snprintf(f->folder, sizeof f->folder, "/tmp/test_accuracy.XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    static const char *const files[] = {"a.md", "a.csv", "a.json", "a-reference.csv"};
    artefact_free(&f->artefact);
    for (size_t i = 0; i < 4; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", f->folder, files[i]);
        unlink(path);
    }
    int left = rmdir(f->folder);
    free(f);
    return left;
}

static enum status open_config(struct fixture *f, const char *table, const char *claims,
                               struct error *error) {
    char text[2048], path[64];
    snprintf(text, sizeof text, config, table, claims);
    snprintf(path, sizeof path, "%s/a.json", f->folder);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
    return artefact_open(path, "full", &f->artefact, error);
}

/* Models of letter's panels, then of magic-float. imdb has none. `right` is out of 1,000 rows. */
static void make_models(struct fixture *f, const uint64_t right[MODELS], const char *note) {
    static const size_t panels[MODELS] = {0, 0, 1, 1, 3, 3};
    for (size_t i = 0; i < MODELS; i++) {
        const struct panel *panel = &f->artefact.scale.panels[panels[i]];
        struct quality *q = &f->list[i];
        *q = (struct quality){.features = 16,
                              .train = {3000, 0},
                              .test = {1000, 0},
                              .trees = panel->points[0].trees,
                              .right = right[i]};
        snprintf(q->note, sizeof q->note, "%s", note);
        q->origin = origin_of_model_note(q->note);
        q->workload = grid_model(&f->artefact, panel, &panel->points[i % 2], 0, 0);
    }
    f->qualities = (struct json_list){f->list, MODELS, 0};
}

static const uint64_t rights[MODELS] = {100, 950, 60, 800, 700, 900};

static void make(struct fixture *f, const char *claims, const char *note) {
    struct error error;
    if (open_config(f, "accuracy", claims, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    make_models(f, rights, note);
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

static void expect(struct fixture *f, enum verdict verdict, const char *words) {
    struct claim_result judged = judge(f);
    if (judged.verdict != verdict || !strstr(judged.measured, words))
        fail_msg("%s: '%s' is not in '%s'", verdict_names[judged.verdict], words, judged.measured);
}

#define RANGE(panels, low, high)                                                                   \
    "{\"id\": \"c\", \"words\": \"w\", \"kind\": \"accuracy_range\", \"panels\": [" panels "], "   \
    "\"low\": " low ", \"high\": " high "}"
#define LETTER "\"letter RF\", \"letter DT\""

/* The models of letter have 0.060 to 0.950. */
static void both_ends_of_a_range_count(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *claim;
        enum verdict verdict;
    } claims[] = {
        {RANGE(LETTER, "0.06", "0.95"), VERDICT_HELD},
        {RANGE(LETTER, "0.085", "0.925"), VERDICT_HELD},
        {RANGE(LETTER, "0.095", "0.95"), VERDICT_NOT_HELD},
        {RANGE(LETTER, "0.06", "0.985"), VERDICT_NOT_HELD},
        {RANGE(LETTER, "0.06", "0.915"), VERDICT_NOT_HELD},
        {RANGE("\"letter RF\"", "0.06", "0.95"), VERDICT_NOT_HELD},
    };
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        make(f, claims[i].claim, "");
        assert_int_equal(judge(f).verdict, claims[i].verdict);
        artefact_free(&f->artefact);
    }
    make(f, RANGE(LETTER, "0.06", "0.95"), "");
    f->list[1].shares_only = 20; /* 0.970 by shares */
    expect(f, VERDICT_HELD, "0.060 to 0.950; by added shares 0.060 to 0.970");
}

static void a_range_needs_all_models_of_the_whole_data_set(void **state) {
    struct fixture *f = *state;
    make(f, RANGE(LETTER, "0.06", "0.95"), "trained on a part of letter");
    expect(f, VERDICT_UNRESOLVED,
           "; a part of the data set cannot tell; letter: trained on a part of letter");
    make_models(f, rights, "");
    f->qualities.count = 3;
    expect(f, VERDICT_UNRESOLVED,
           "0.060 to 0.950; by added shares 0.060 to 0.950; 1 model is "
           "missing");
    artefact_free(&f->artefact);
    make(f, RANGE("\"imdb RF\"", "0.5", "0.8"), "");
    expect(f, VERDICT_NOT_MEASURED, "2 models are missing");
}

#define VOTES                                                                                      \
    "{\"id\": \"c\", \"words\": \"w\", \"kind\": \"votes_like_shares\", \"panels\": "              \
    "[\"letter RF\", \"letter DT\", \"imdb RF\", \"magic-float RF\"]}"

/* Four forests are tested; 9 to 0 has p = 2 / 512 = 0.0039, which is under 0.05 / 4; 8 to 0 has
 * 0.0078, 7 to 0 has 0.0156, which is not. */
static void votes_and_shares_are_tested_together(void **state) {
    struct fixture *f = *state;
    make(f, VOTES, "");
    expect(f, VERDICT_HELD, "0 of 4 forests differ significantly");
    f->list[1].votes_only = 7;
    expect(f, VERDICT_HELD,
           "0 of 4 forests differ significantly (p <= 0.05 by Holm's correction); "
           "votes are better on 1; smallest p: 0.016 (letter, random-forest, "
           "depth 20: 7 test rows right by votes only, 0 by shares only)");
    f->list[1].votes_only = 0;
    f->list[1].shares_only = 9;
    expect(f, VERDICT_NOT_HELD, "1 of 4 forests differ");
    f->list[1].shares_only = 0;
    f->list[2].shares_only = 100; /* a single tree cannot differ, so it is not tested */
    expect(f, VERDICT_HELD, "0 of 4 forests");
    f->qualities.count = 0;
    expect(f, VERDICT_NOT_MEASURED, "models are missing");
}

#define LETTER_PANELS "\"panels\": [" LETTER "]"
#define PANELS "\"panels\": [\"letter RF\", \"letter DT\", \"magic-float RF\"]"

/* The best models of letter have 0.950 and 0.800. magic-float has no single tree. */
static void single_trees_are_compared_with_forests(void **state) {
    struct fixture *f = *state;
    make(f, "{\"id\": \"c\", \"words\": \"w\", \"kind\": \"single_lower\", " LETTER_PANELS "}", "");
    expect(f, VERDICT_HELD, "holds for 1 of 1 data sets");
    f->list[3].right = 950; /* a tie is not lower */
    expect(f, VERDICT_NOT_HELD, "holds for 0 of 1 data sets; fails for letter");
    f->qualities.count = 3;
    expect(f, VERDICT_UNRESOLVED, "holds for 0 of 1 data sets; models are missing for 1");
}

/* The models with a depth of 20 are the more accurate ones of all three panels. */
static void deep_trees_are_compared_with_shallow_ones(void **state) {
    struct fixture *f = *state;
    make(f, "{\"id\": \"c\", \"words\": \"w\", \"kind\": \"deep_best\", " PANELS ", \"depth\": 20}",
         "");
    expect(f, VERDICT_HELD, "holds for 3 of 3 panels");
    f->list[1].right = 90;
    expect(f, VERDICT_HELD, "holds for 2 of 3 panels; fails for letter RF");
    f->list[3].right = 50;
    expect(f, VERDICT_NOT_HELD, "holds for 1 of 3 panels; fails for letter RF, letter DT");
    f->qualities.count = 3;
    expect(f, VERDICT_UNRESOLVED, "fails for letter RF; models are missing for 2");
}

static void check_refused(struct fixture *f, const char *table, const char *claims,
                          const char *words) {
    struct error error;
    assert_int_equal(open_config(f, table, claims, &error), STATUS_INPUT);
    if (!strstr(error.text, words))
        fail_msg("'%s' is not in '%s'", words, error.text);
}

static void forests_have_kinds_of_their_own(void **state) {
    struct fixture *f = *state;
    check_refused(f, "ndcg", "", "needs a scale of kind \"trained\"");
    check_refused(f, "accuracy",
                  "{\"id\": \"c\", \"words\": \"w\", \"kind\": \"none_differ\", \"panels\": "
                  "[\"letter RF\"]}",
                  "claim c: kind: none_differ is only for scales of kind");
}

/* --- the report ------------------------------------------------------------------------------- */

static void check_file(struct fixture *f, const char *name, const char *const *lines) {
    char path[64];
    struct file_text text;
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    assert_int_equal(file_read(path, &text, NULL), STATUS_OK);
    for (; *lines; lines++)
        if (!strstr(text.data, *lines))
            fail_msg("'%s' is not in:\n%s", *lines, text.data);
    file_text_free(&text);
}

static void tables_stand_beside_the_papers(void **state) {
    struct fixture *f = *state;
    struct error error;
    char path[64];
    make(f, "", "trained on a part of it");
    f->list[0].votes_only = 10;
    f->list[0].shares_only = 30;
    f->list[4].note[0] = f->list[5].note[0] = '\0';
    snprintf(path, sizeof path, "%s/a-reference.csv", f->folder);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs("data,test_rows,features,accuracy_low,accuracy_high,type\n"
          "letter,5000,16,0.06,0.95,int\nimdb,25000,10000,0.54,0.80,float\n",
          stream);
    fclose(stream);
    char warning[64];
    const struct report_paths paths = {.reference = f->folder};
    if (report_artefact(f->folder, &f->artefact, &f->qualities, &paths, NULL, NULL, warning,
                        sizeof warning, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    check_file(f, "a.md",
               (const char *const[]){
                   "| letter | paper | int | 5000 | 16 | 0.06 - 0.95 | |\n"
                   "| | here: **trained on a part of it** | int | 1000 | 16 | 0.06 - 0.95 | "
                   "0.06 - 0.95 |\n",
                   "| imdb | paper | float | 25000 | 10000 | 0.54 - 0.80 | |\n"
                   "| | here: **missing** | - | - | - | - | - |\n",
                   "| magic-float | not in the paper |",
                   "| | here | float | 1000 | 16 | 0.70 - 0.90 | 0.70 - 0.90 |\n",
                   "| models | depth 1 | depth 20 |\n|---|---:|---:|\n"
                   "| letter RF | 0.100 (0.120) | 0.950 (0.950) |\n"
                   "| letter DT | 0.060 | 0.800 |\n| imdb RF | missing | missing |\n",
                   NULL});
    check_file(
        f, "a.csv",
        (const char *const[]){"\"letter RF\",letter,\"trained on a part of it\",random-forest,25,1,"
                              "0.00,3000,1000,16,0.100000,0.120000,10,30,0.0022",
                              "\"letter DT\",letter,", NULL});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_ends_of_a_range_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_range_needs_all_models_of_the_whole_data_set, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(single_trees_are_compared_with_forests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deep_trees_are_compared_with_shallow_ones, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(votes_and_shares_are_tested_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(forests_have_kinds_of_their_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_stand_beside_the_papers, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
