/* The claims of a run: in which order they are told, and how they are counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/origin.h"
#include "harness/judge/claims.h"
#include "harness/papers/report.h"
#include "harness/rows/row_index.h"

#include <stdlib.h>
#include <string.h>

/* Adds an artefact with a claim for each verdict. A claim's words are its number. */
static void add(struct run_claims *run, const char *name, const enum verdict *verdicts,
                size_t count) {
    struct artefact artefact = {
        .title = "Title", .source = "paper, Fig. 1", .scale = {.kind = "grown"}};
    struct error error;
    struct claim_result *claims = calloc(count, sizeof *claims);
    assert_non_null(claims);
    snprintf(artefact.name, sizeof artefact.name, "%s", name);
    for (size_t i = 0; i < count; i++) {
        claims[i].verdict = verdicts[i];
        snprintf(claims[i].words, sizeof claims[i].words, "%zu", i + 1);
        snprintf(claims[i].measured, sizeof claims[i].measured, "measured");
        snprintf(claims[i].rule, sizeof claims[i].rule, "rule");
    }
    assert_int_equal(run_claims_add(run, &artefact, claims, count, &error), STATUS_OK);
}

static int set_up(void **state) {
    struct run_claims *run = calloc(1, sizeof *run);
    *state = run;
    if (!run)
        return -1;
    add(run, "a",
        (const enum verdict[]){VERDICT_HELD, VERDICT_NOT_MEASURED, VERDICT_NOT_HELD, VERDICT_HELD},
        4);
    add(run, "b", (const enum verdict[]){VERDICT_UNRESOLVED, VERDICT_NOT_HELD}, 2);
    return 0;
}

static int tear_down(void **state) {
    run_claims_free(*state);
    free(*state);
    return 0;
}

static void list(void *context, const char *artefact, const struct claim_result *claim) {
    char *text = context;
    sprintf(text + strlen(text), "%s%s ", artefact, claim->words);
}

static void what_fails_comes_first(void **state) {
    char text[64] = "";
    run_claims_each(*state, list, text);
    assert_string_equal(text, "a3 b2 b1 a1 a4 a2 ");
}

static void each_verdict_is_counted(void **state) {
    char text[RUN_CLAIMS_TALLY_SIZE];
    run_claims_describe(*state, text);
    assert_string_equal(text, "2 not held, 1 unresolved, 2 held, 1 not measured");
}

/* Sets *text to what run_claims_write writes; the caller frees it. */
static void write_page(const struct run_claims *run, char **text) {
    size_t size = 0;
    FILE *stream = open_memstream(text, &size);
    assert_non_null(stream);
    run_claims_write(stream, run);
    fclose(stream);
}

#define HEAD                                                                                       \
    "| claim | paper | rule | judged on | by the paper's numbers | measured here |\n"              \
    "|---|---|---|---|---|---|\n"
#define LINE(artefact, number, subject, papers)                                                    \
    "| [" artefact "](" artefact ".md): " number " | paper, Fig. 1 | rule | " subject " | " papers \
    " | measured |\n"

static void the_page_has_a_table_per_verdict(void **state) {
    struct run_claims *run = *state;
    struct claim_result *claim = &run->list[1].claims[0];
    strcpy(claim->open, "no numbers");
    strcpy(claim->data, "mq2008, istella");
    claim->origin = ORIGIN_SAMPLE | ORIGIN_GROWN;
    char *text = NULL;
    write_page(run, &text);
    assert_string_equal(
        text,
        "\n| artefact | not held | unresolved | held | not measured | title |\n"
        "|---|---:|---:|---:|---:|---|\n"
        "| [a](a.md) | 1 | 0 | 2 | 1 | Title |\n"
        "| [b](b.md) | 1 | 1 | 0 | 0 | Title |\n"
        "\nA claim that is held by the paper's numbers is true of those that it "
        "prints. If the paper leaves a claim open, it prints no numbers that decide it. "
        "tests/harness/judge/test_paper_claims.c checks both.\n"
        "\n## Claims not held: 2\n\n" HEAD LINE("a", "3", "grown", "held")
            LINE("b", "2", "grown", "held") "\n## Claims unresolved: 1\n\n" HEAD LINE(
                "b", "1", "grown, mq2008, istella: sample grown",
                "the paper leaves it open: no numbers") "\n## Claims held: 2\n\n" HEAD LINE("a",
                                                                                            "1",
                                                                                            "grown",
                                                                                            "held")
                LINE("a", "4", "grown", "held") "\n## Claims not measured: 1\n\n" HEAD LINE(
                    "a", "2", "grown", "held"));
    free(text);
}

/* Judges the claims of a config on the results of a run that has measured nothing. */
static void add_config(struct run_claims *run, const char *path) {
    struct artefact *artefact = calloc(1, sizeof *artefact);
    struct row_index index = {.count = 0};
    struct json_list none = {.count = 0};
    struct claim_result *claims = NULL;
    struct error error;
    size_t count = 0;
    assert_non_null(artefact);
    if (artefact_open(path, "full", artefact, &error) != STATUS_OK ||
        claims_judge(artefact->name, artefact,
                     artefact->kind->lines ? (void *)&none : (void *)&index, &claims, &count,
                     &error) != STATUS_OK ||
        run_claims_add(run, artefact, claims, count, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    artefact_free(artefact);
    free(artefact);
}

/* A line without an empty cell, for each claim. */
static void every_claim_of_configs_has_a_line(void **state) {
    struct run_claims run = {.count = 0};
    char **paths = NULL, *text = NULL;
    size_t count = 0, lines = 0;
    struct error error;
    (void)state;
    assert_int_equal(artefact_find("configs", NULL, &paths, &count, &error), STATUS_OK);
    for (size_t i = 0; i < count; i++)
        add_config(&run, paths[i]);
    artefact_free_paths(paths, count);
    write_page(&run, &text);
    char *list = strstr(text, "## Claims");
    assert_non_null(list);
    for (char *at = list; (at = strstr(at, ".md): ")); at++)
        lines++;
    char *empty = strstr(list, "|  |");
    if (empty)
        fail_msg("an empty cell in '%.300s'", empty - (empty - list > 250 ? 250 : empty - list));
    for (size_t i = 0; i < run.count; i++)
        for (size_t k = 0; k < run.list[i].count; k++) {
            char start[640];
            snprintf(start, sizeof start, "\n| [%s](%s.md): %s | %s | ", run.list[i].name,
                     run.list[i].name, run.list[i].claims[k].words, run.list[i].source);
            if (!strstr(list, start))
                fail_msg("no line for %s, %s", run.list[i].name, run.list[i].claims[k].id);
            lines--;
        }
    assert_int_equal(lines, 0);
    free(text);
    run_claims_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_fails_comes_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_verdict_is_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_page_has_a_table_per_verdict, set_up, tear_down),
        cmocka_unit_test(every_claim_of_configs_has_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
