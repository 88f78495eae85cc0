/* The kind of claim "follows", and the caches that an artefact simulates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/artefacts/grid.h"
#include "harness/judge/claims.h"
#include "tests/harness/artefacts/folder.h"
#include "tests/harness/rows/made_up_rows.h"

#define FOLLOWS(variants)                                                                          \
    "\"claims\": [{\"id\": \"c\", \"words\": \"w\", \"kind\": \"follows\", "                       \
    "\"variants\": " variants ", \"counter\": \"llc_misses\", \"low\": 0.7}]"
#define ALL                                                                                        \
    "[\"vpred,v=1\", \"vpred,v=4\", \"vpred,v=8\", \"vpred,v=16\", \"vpred,v=32\", "               \
    "\"vpred,v=64\"]"

enum { VARIANTS = 6 };
static const char *const variants[VARIANTS] = {"vpred,v=1",  "vpred,v=4",  "vpred,v=8",
                                               "vpred,v=16", "vpred,v=32", "vpred,v=64"};

static enum status read_artefact(const char *name, const char *rest, struct artefact *artefact,
                                 struct error *error) {
    char json[2048];
    snprintf(json, sizeof json,
             "{\"name\": \"%s\", \"title\": \"T\", \"source\": \"S\", \"seed\": 7, \"scales\":"
             " {\"smoke\": {\"depths\": [3], \"features\": [32], \"documents\": [64],"
             " \"trials\": 2, \"rounds\": 5}}, \"variants\": {\"vpred,v=1\": \"\", \"vpred,v=4\":"
             " \"\", \"vpred,v=8\": \"\", \"vpred,v=16\": \"\", \"vpred,v=32\": \"\","
             " \"vpred,v=64\": \"\"}, %s}",
             name, rest);
    return made_up_artefact(directory, name, json, artefact, error);
}

static struct artefact read_good(const char *name, const char *rest) {
    struct artefact artefact;
    struct error error = {""};
    if (read_artefact(name, rest, &artefact, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return artefact;
}

/* Rows of two trials: variant i takes times[i] and has misses[i] per document and tree. */
static void fill(struct made_up *made, const double *times, const unsigned *misses) {
    for (uint32_t trial = 0; trial < 2; trial++)
        for (size_t i = 0; i < VARIANTS; i++) {
            struct row *row = made_up_add(made, 3, 32, trial, variants[i], times[i]);
            row->model_trees = 1;
            row->counts.values[COUNTER_LLC_MISSES] =
                (struct counter_value){.valid = true, .value = misses[i] * 10};
            row->counts.documents = 10;
            snprintf(row->counts.source, sizeof row->counts.source, "callgrind");
        }
}

static void expect(struct made_up *made, const char *claim, enum verdict verdict,
                   const char *measured) {
    struct artefact artefact = read_good("fig", claim);
    struct claim_result *list = NULL;
    size_t count = 0;
    struct error error = {""};
    assert_int_equal(
        claims_judge(artefact.name, &artefact, made_up_index(made), &list, &count, &error),
        STATUS_OK);
    if (list[0].verdict != verdict || !strstr(list[0].measured, measured))
        fail_msg("%s: %s", verdict_names[list[0].verdict], list[0].measured);
    free(list);
    artefact_free(&artefact);
}

static void time_and_misses_that_rise_together_are_held(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    fill(&made, (const double[]){10, 12, 15, 17, 30, 31}, (const unsigned[]){1, 2, 2, 5, 70, 80});
    expect(&made, FOLLOWS(ALL), VERDICT_HELD, "0.99 [0.99, 0.99] (rank correlation of 6 block");
    made_up_free(&made);
}

static void time_that_falls_as_misses_rise_is_not_held(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    fill(&made, (const double[]){31, 30, 17, 15, 12, 10}, (const unsigned[]){1, 2, 3, 5, 70, 80});
    expect(&made, FOLLOWS(ALL), VERDICT_NOT_HELD, "-1.00");
    made_up_free(&made);
}

/* In one of six rounds, the order of times is the reverse. It is drawn three times or more with a
 * probability of 6.2 %, which gives the opposite correlation. */
static void rounds_that_disagree_are_unresolved(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    fill(&made, (const double[]){10, 12, 15, 17, 30, 31}, (const unsigned[]){1, 2, 3, 5, 70, 80});
    for (size_t i = 0; i < made.rows.count; i++)
        made.rows.list[i].samples.cpu[3] = 100 - 2 * made.rows.list[i].median;
    expect(&made, FOLLOWS(ALL), VERDICT_UNRESOLVED, "1.00 [-1.00, 1.00]");
    made_up_free(&made);
}

static void five_rounds_are_too_few(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    fill(&made, (const double[]){10, 12, 15, 17, 30, 31}, (const unsigned[]){1, 2, 2, 5, 70, 80});
    made.rows.list[0].samples.count = 5;
    expect(&made, FOLLOWS(ALL), VERDICT_UNRESOLVED, "; too few rounds to judge: 5, at least 6");
    made_up_free(&made);
}

static void three_variants_are_too_few(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    fill(&made, (const double[]){10, 12, 15, 17, 30, 31}, (const unsigned[]){1, 2, 3, 5, 70, 80});
    expect(&made, FOLLOWS("[\"vpred,v=1\", \"vpred,v=4\", \"vpred,v=8\"]"), VERDICT_NOT_MEASURED,
           "fewer than 4 block sizes");
    expect(&made, FOLLOWS("[\"vpred,v=1\", \"vpred,v=1\", \"vpred,v=4\", \"vpred,v=8\"]"),
           VERDICT_NOT_MEASURED, "fewer than 4 block sizes");
    for (size_t i = 0; i < made.rows.count; i++)
        made.rows.list[i].counts.values[COUNTER_LLC_MISSES].valid = false;
    expect(&made, FOLLOWS(ALL), VERDICT_NOT_MEASURED, "fewer than 4 block sizes");
    made_up_free(&made);
}

/* --- caches ----------------------------------------------------------------------------------- */

#define COUNTS "\"measure\": \"counts\", \"claims\": [], \"caches\": "
#define SMALL "{\"l1\": 16384, \"l1_ways\": 4, \"last\": 2097152, \"last_ways\": 16}"

static void caches_reach_the_cell_and_its_key(void **state) {
    (void)state;
    struct artefact artefacts[] = {read_good("small", COUNTS SMALL),
                                   read_good("usual", "\"measure\": \"counts\", \"claims\": []")};
    char keys[2][ROW_NAME_SIZE];
    for (size_t i = 0; i < 2; i++) {
        struct cell *cells = NULL;
        size_t count = 0;
        struct error error = {""};
        assert_int_equal(grid_build(&artefacts[i], 1, &cells, &count, &error), STATUS_OK);
        assert_int_equal(cells[0].caches.l1, i == 0 ? 16384 : 0);
        assert_int_equal(cells[0].caches.last_ways, i == 0 ? 16 : 0);
        memcpy(keys[i], cells[0].key, sizeof keys[i]);
        free(cells);
    }
    assert_string_not_equal(keys[0], keys[1]);
    struct cell *cells = NULL;
    size_t count = 0;
    struct error error = {""};
    assert_int_equal(grid_build(artefacts, 2, &cells, &count, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "usual: caches: differ from those of small"));
    artefact_free(&artefacts[0]);
    artefact_free(&artefacts[1]);
}

static void caches_that_callgrind_refuses_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *rest, *says;
    } bad[] = {
        {COUNTS "{\"l1\": 16000, \"l1_ways\": 4, \"last\": 2097152, \"last_ways\": 16}",
         "caches: the number of sets"},
        {COUNTS "{\"l1\": 16384, \"l1_ways\": 4, \"last\": 2097152, \"last_ways\": 12}",
         "must be a power of two"},
        {COUNTS "{\"l1\": 16384, \"l1_ways\": 4, \"last\": 2097152}", "last_ways"},
        {"\"claims\": [], \"caches\": " SMALL, "only artefacts with \"measure\": \"counts\""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct artefact artefact;
        struct error error = {""};
        assert_int_equal(read_artefact("bad", bad[i].rest, &artefact, &error), STATUS_INPUT);
        if (!strstr(error.text, bad[i].says))
            fail_msg("%s", error.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_and_misses_that_rise_together_are_held),
        cmocka_unit_test(time_that_falls_as_misses_rise_is_not_held),
        cmocka_unit_test(rounds_that_disagree_are_unresolved),
        cmocka_unit_test(five_rounds_are_too_few),
        cmocka_unit_test(three_variants_are_too_few),
        cmocka_unit_test(caches_reach_the_cell_and_its_key),
        cmocka_unit_test(caches_that_callgrind_refuses_are_refused),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
