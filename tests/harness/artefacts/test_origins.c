/* The folds that this machine's data has. */
#include "harness/artefacts/origins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/datasets/own_folder.h"

/* A panel of five trials with two points. */
static struct scale five_folds(const char *kind, const char *data) {
    struct scale scale = {.n_panels = 1, .trials = 5};
    struct panel *panel = &scale.panels[0];
    panel->trials = 5;
    panel->n_points = 2;
    for (size_t i = 0; i < 2; i++) {
        snprintf(panel->points[i].kind, sizeof panel->points[i].kind, "%s", kind);
        snprintf(panel->points[i].data, sizeof panel->points[i].data, "%s", data);
    }
    return scale;
}

static void expect_trials(const char *kind, const char *data, uint32_t trials) {
    struct scale scale = five_folds(kind, data);
    struct error error = {""};
    size_t dropped = 7;
    if (origins_limit_folds(&scale, &dropped, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(scale.panels[0].trials, trials);
    assert_int_equal(dropped, 7 + 2 * (5 - trials));
}

/* The sample of MSLR has one fold, MQ2008 all five. */
static void write_collection(void) {
    char command[512];
    snprintf(command, sizeof command,
             "cd '%s' && mkdir -p ltr/mq2008 ltr/mslr-web30k-sample && touch ltr/mq2008/S1.txt.gz "
             "ltr/mslr-web30k-sample/fold1.train.txt.gz",
             folder);
    assert_int_equal(system(command), 0);
    setenv("TREEBENCH_DATA", folder, 1);
}

static void stand_ins_do_not_fill_the_folds_of_a_sample(void **state) {
    (void)state;
    write_collection();
    expect_trials("trained", "mslr-web10k", 1);
    expect_trials("trained", "mq2008", 5);
    expect_trials("grown", "mslr-web10k", 5);
}

/* A data set that is not here is replaced by a stand-in, and the manifest says so. So it does if a
 * stand-in lies where the data set should be. */
static void stand_ins_are_named(void **state) {
    (void)state;
    static const char *const ways[] = {
        "true", "mkdir -p mq2008/Fold1 && cd mq2008/Fold1 && for f in train vali test; do "
                "printf '# note: synthetic\n1 qid:1 1:1\n' >$f.txt; done"};
    setenv("TREEBENCH_DATA_SETS", folder, 1);
    for (size_t i = 0; i < 2; i++) {
        char command[512];
        struct scale scale = five_folds("trained", "mq2008");
        scale.panels[0].trials = 1;
        struct artefact artefact = {.scale = scale};
        struct error error;
        cJSON *origins = NULL;
        snprintf(command, sizeof command, "cd '%s' && %s", folder, ways[i]);
        assert_int_equal(system(command), 0);
        assert_int_equal(origins_find(&artefact, 1, &origins, &error), STATUS_OK);
        assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(origins, "mq2008")),
                            "stand-in");
        cJSON_Delete(origins);
    }
}

static void stand_ins_have_all_folds(void **state) {
    (void)state;
    expect_trials("trained", "mslr-web10k", 5);
    expect_trials("trained", "yahoo-c14-set1", 5);
    expect_trials("synthetic", "", 5);
}

/* imdb is nowhere. magic-float must not hide magic, whose name is the start of its name. */
static void forests_without_data_are_dropped(void **state) {
    (void)state;
    static const char *const data[] = {"imdb", "magic-float", "fact", "magic", "imdb"};
    char command[256], names[128] = "";
    struct scale scale = {.n_panels = 5, .trials = 1};
    struct error error = {""};
    for (size_t p = 0; p < 5; p++) {
        struct scale one = five_folds("random-forest", data[p]);
        scale.panels[p] = one.panels[0];
        scale.panels[p].trials = 1;
    }
    snprintf(command, sizeof command, "mkdir '%s/tabular' && touch '%s/tabular/fact16.csv.gz'",
             folder, folder);
    assert_int_equal(system(command), 0);
    setenv("TREEBENCH_DATA", folder, 1);
    assert_int_equal(origins_drop_missing(&scale, names, sizeof names, &error), STATUS_OK);
    assert_string_equal(names, "imdb, magic-float, magic");
    for (size_t p = 0; p < 5; p++)
        assert_int_equal(scale.panels[p].trials, p == 2);
    struct artefact artefact = {.scale = scale};
    cJSON *origins = NULL;
    assert_int_equal(origins_find(&artefact, 1, &origins, &error), STATUS_OK);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(origins, "imdb")), "missing");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(origins, "fact")), "sample");
    cJSON_Delete(origins);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stand_ins_do_not_fill_the_folds_of_a_sample, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(forests_without_data_are_dropped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stand_ins_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stand_ins_have_all_folds, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
