/* The claims of a run: in which order they are told, and how they are counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/judge/claims.h"

#include <stdlib.h>
#include <string.h>

/* Adds an artefact with a claim for each verdict. A claim's words are its number. */
static void add(struct run_claims *run, const char *name, const enum verdict *verdicts,
                size_t count) {
    struct artefact artefact = {.title = "Title"};
    struct error error;
    struct claim_result *claims = calloc(count, sizeof *claims);
    assert_non_null(claims);
    snprintf(artefact.name, sizeof artefact.name, "%s", name);
    for (size_t i = 0; i < count; i++) {
        claims[i].verdict = verdicts[i];
        snprintf(claims[i].words, sizeof claims[i].words, "%zu", i + 1);
        snprintf(claims[i].measured, sizeof claims[i].measured, "measured");
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

static void the_page_has_a_table_and_a_list_per_verdict(void **state) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    run_claims_write(stream, *state);
    fclose(stream);
    assert_string_equal(text,
                        "\n| artefact | not held | unresolved | held | not measured | title |\n"
                        "|---|---:|---:|---:|---:|---|\n"
                        "| [a](a.md) | 1 | 0 | 2 | 1 | Title |\n"
                        "| [b](b.md) | 1 | 1 | 0 | 0 | Title |\n"
                        "\n## Claims not held: 2\n\n"
                        "- [a](a.md): 3 (measured)\n- [b](b.md): 2 (measured)\n"
                        "\n## Claims unresolved: 1\n\n- [b](b.md): 1 (measured)\n"
                        "\n## Claims held: 2\n\n"
                        "- [a](a.md): 1 (measured)\n- [a](a.md): 4 (measured)\n"
                        "\n## Claims not measured: 1\n\n- [a](a.md): 2 (measured)\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_fails_comes_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_verdict_is_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_page_has_a_table_and_a_list_per_verdict, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
