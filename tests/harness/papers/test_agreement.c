/* The verdicts of two runs side by side: which agree, and which runs can be compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/papers/report.h"

#include <stdlib.h>
#include <string.h>

/* A run of artefacts that all have the claims given in `verdicts`. */
struct made_run {
    struct rows rows;
    struct run_claims claims;
    struct compared_run run;
};

static void add(struct made_run *made, const char *artefact, const enum verdict *verdicts,
                size_t count) {
    struct artefact added = {.title = "Title"};
    struct claim_result *claims = calloc(count, sizeof *claims);
    assert_non_null(claims);
    snprintf(added.name, sizeof added.name, "%s", artefact);
    for (size_t i = 0; i < count; i++) {
        claims[i].verdict = verdicts[i];
        snprintf(claims[i].words, sizeof claims[i].words, "claim %zu", i + 1);
        snprintf(claims[i].measured, sizeof claims[i].measured, "measured in %s",
                 made->run.directory);
    }
    assert_int_equal(run_claims_add(&made->claims, &added, claims, count, NULL), STATUS_OK);
}

static void make(struct made_run *made, const char *directory, const char *manifest) {
    *made = (struct made_run){.run = {.directory = directory}};
    made->run.rows = &made->rows;
    made->run.claims = &made->claims;
    made->rows.manifest = cJSON_Parse(manifest);
    assert_non_null(made->rows.manifest);
}

static void release(struct made_run *made) {
    run_claims_free(&made->claims);
    rows_free(&made->rows);
}

#define MANIFEST(model, data, configs)                                                             \
    "{\"scale\": \"quick\", \"cpu\": {\"model\": \"" model "\", \"cores\": 2}, "                   \
    "\"data\": {\"mq2008\": \"" data "\", \"ohsumed\": \"real\"}, \"configs\": {" configs "}}"

static struct agreement write(const struct made_run *here, const struct made_run *there,
                              char **text) {
    size_t size;
    FILE *stream = open_memstream(text, &size);
    assert_non_null(stream);
    struct agreement agreement = report_write_agreement(stream, &here->run, &there->run);
    fclose(stream);
    return agreement;
}

static void has(const char *text, const char *words) {
    if (!strstr(text, words))
        fail_msg("\"%s\" is not in: %s", words, text);
}

static void verdicts_stand_side_by_side_contrary_ones_first(void **state) {
    (void)state;
    struct made_run here, there;
    char *text;
    make(&here, "mine", MANIFEST("Mine", "stand-in", ""));
    make(&there, "theirs", MANIFEST("Theirs", "real", ""));
    add(&here, "a",
        (const enum verdict[]){VERDICT_HELD, VERDICT_UNRESOLVED, VERDICT_HELD,
                               VERDICT_NOT_MEASURED},
        4);
    add(&here, "only-here", (const enum verdict[]){VERDICT_HELD}, 1);
    add(&there, "a",
        (const enum verdict[]){VERDICT_HELD, VERDICT_HELD, VERDICT_NOT_HELD, VERDICT_NOT_MEASURED},
        4);
    struct agreement agreement = write(&here, &there, &text);
    assert_int_equal(agreement.pairs[PAIR_SAME], 2);
    assert_int_equal(agreement.pairs[PAIR_CONTRARY], 1);
    assert_int_equal(agreement.pairs[PAIR_OPEN], 1);
    has(text, "|---|---|---|---|\n"
              "| [a](a.md) | claim 3 | **held** | **not held** |\n"
              "| [a](a.md) | claim 2 | **unresolved** | **held** |\n"
              "| [a](a.md) | claim 1 | held | held |\n"
              "| [a](a.md) | claim 4 | not measured | not measured |\n"
              "\nOnly in this run: only-here.\n");
    has(text, "- [a](a.md): claim 3\n  - this run: held (measured in mine)\n"
              "  - theirs: not held (measured in theirs)\n"
              "- [a](a.md): claim 2\n");
    has(text, "| CPU | Mine | Theirs |\n");
    has(text, "| Cores | 2 | 2 |\n| Data set mq2008 | stand-in | real |\n\n");
    free(text);
    release(&here);
    release(&there);
}

static void runs_that_agree_have_no_list_of_differences(void **state) {
    (void)state;
    struct made_run here, there;
    char *text;
    make(&here, "mine", MANIFEST("Mine", "real", ""));
    make(&there, "theirs", MANIFEST("Theirs", "real", ""));
    add(&here, "a", (const enum verdict[]){VERDICT_NOT_HELD}, 1);
    add(&there, "a", (const enum verdict[]){VERDICT_NOT_HELD}, 1);
    assert_int_equal(write(&here, &there, &text).pairs[PAIR_SAME], 1);
    assert_null(strstr(text, "###"));
    assert_null(strstr(text, "**"));
    assert_null(strstr(text, "Data set"));
    free(text);
    release(&here);
    release(&there);
}

static void only_runs_of_one_scale_and_with_a_common_artefact_are_compared(void **state) {
    (void)state;
    struct made_run here, there, full;
    struct error error;
    make(&here, "mine", MANIFEST("Mine", "real", "\"a-fig1\": \"0\", \"b-fig1\": \"0\""));
    make(&there, "theirs", MANIFEST("Theirs", "real", "\"b-fig1\": \"0\", \"c-fig1\": \"0\""));
    make(&full, "full", "{\"scale\": \"full\", \"configs\": {\"b-fig1\": \"0\"}}");
    assert_int_equal(report_check_comparable(&here.run, &there.run, "", &error), STATUS_OK);
    assert_int_equal(report_check_comparable(&here.run, &there.run, "b", &error), STATUS_OK);
    assert_int_equal(report_check_comparable(&here.run, &there.run, "a", &error), STATUS_INPUT);
    assert_string_equal(error.text,
                        "mine and theirs have no artefact in common whose name begins with a");
    assert_int_equal(report_check_comparable(&here.run, &full.run, "", &error), STATUS_INPUT);
    assert_string_equal(error.text,
                        "mine has scale quick, but full has scale full. Compare runs of one scale");
    release(&here);
    release(&there);
    release(&full);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_stand_side_by_side_contrary_ones_first),
        cmocka_unit_test(runs_that_agree_have_no_list_of_differences),
        cmocka_unit_test(only_runs_of_one_scale_and_with_a_common_artefact_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
