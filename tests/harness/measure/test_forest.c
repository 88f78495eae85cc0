/* Forests for experiments: trained once on a data set's own split, and never on a stand-in. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/measure/describe.h"
#include "harness/measure/trained.h"
#include "harness/measure/workload.h"
#include "harness/rows/point.h"
#include "tests/datasets/own_folder.h"
#include "tests/models/same.h"

/* Writes a table of `columns` features, the first of which decides the class, and a class 0 or 1.
 */
static void put_table(const char *file, const char *header, const char *separator, int columns,
                      const char *const classes[2]) {
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    *strrchr(path, '/') = '\0';
    assert_true(mkdir(path, 0700) == 0 || access(path, W_OK) == 0);
    path[strlen(path)] = '/';
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(header, stream);
    for (int row = 0; row < 400; row++) {
        for (int i = 0; i < columns; i++)
            fprintf(stream, "%d%s", (row * (i + 7)) % 101, separator);
        fprintf(stream, "%s\n", classes[(row * 7) % 101 > 50]);
    }
    assert_int_equal(fclose(stream), 0);
}

static void put_magic(void) {
    put_table("magic/magic04.data", "", ",", 10, (const char *const[]){"g", "h"});
}

static struct workload workload_of(const char *kind, const char *data) {
    struct workload w = {.depth = 3, .trees = 5, .seed = 7};
    snprintf(w.kind, sizeof w.kind, "%s", kind);
    snprintf(w.data, sizeof w.data, "%s", data);
    return w;
}

static struct trained make(const struct workload *workload) {
    struct trained trained;
    struct error error;
    if (trained_make(folder, workload, &trained, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return trained;
}

static void assert_model(const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/models/%s.json", folder, name);
    assert_int_equal(access(path, R_OK), 0);
}

static void forests_vote_and_obey_their_depth(void **state) {
    (void)state;
    put_magic();
    struct workload w = workload_of("random-forest", "magic");
    struct trained random = make(&w);
    assert_true(random.ensemble->votes);
    assert_int_equal(random.ensemble->n_trees, 5);
    assert_int_equal(random.ensemble->n_outputs, 2);
    for (uint32_t t = 0; t < 5; t++)
        assert_in_range(random.ensemble->tree_depth[t], 1, 3);
    assert_int_equal(random.fold.train->n_rows, 300);
    assert_int_equal(random.fold.test->n_rows, 100);
    assert_null(random.fold.validation);
    assert_string_equal(random.ensemble->note, "");
    assert_model("magic-random-forest-depth3-trees5-seed7");
    w = workload_of("extra-trees", "magic");
    struct trained extra = make(&w);
    assert_false(same_ensemble(random.ensemble, extra.ensemble));
    assert_model("magic-extra-trees-depth3-trees5-seed7");
    w.trees = 1;
    snprintf(w.kind, sizeof w.kind, "cart");
    struct trained cart = make(&w);
    assert_int_equal(cart.ensemble->n_trees, 1);
    trained_free(&random);
    trained_free(&extra);
    trained_free(&cart);
}

/* A model in models/ is read: if it is replaced, the replacement is returned. */
static void a_forest_is_trained_once(void **state) {
    (void)state;
    put_magic();
    struct workload w = workload_of("random-forest", "magic"), deeper = w;
    deeper.depth = 6;
    struct trained first = make(&w), second = make(&deeper);
    char from[256], to[256];
    snprintf(from, sizeof from, "%s/models/magic-random-forest-depth6-trees5-seed7.json", folder);
    snprintf(to, sizeof to, "%s/models/magic-random-forest-depth3-trees5-seed7.json", folder);
    assert_int_equal(rename(from, to), 0);
    struct workload_inputs inputs = {.ensemble = NULL};
    assert_int_equal(workload_make_inputs(folder, &w, &inputs, NULL), STATUS_OK);
    assert_true(same_ensemble(inputs.ensemble, second.ensemble));
    assert_false(same_ensemble(inputs.ensemble, first.ensemble));
    assert_int_equal(inputs.documents->n_rows, 100);
    /* the inputs of one depth do not serve another */
    assert_int_equal(workload_make_inputs(folder, &deeper, &inputs, NULL), STATUS_OK);
    assert_true(same_ensemble(inputs.ensemble, second.ensemble));
    deeper.documents = 30;
    assert_int_equal(workload_make_inputs(folder, &deeper, &inputs, NULL), STATUS_OK);
    assert_int_equal(inputs.documents->n_rows, 30);
    deeper.resample = 500;
    assert_int_equal(workload_make_inputs(folder, &deeper, &inputs, NULL), STATUS_OK);
    assert_int_equal(inputs.documents->n_rows, 500);
    workload_free_inputs(&inputs);
    trained_free(&first);
    trained_free(&second);
}

/* The depth of a forest identifies its point, so rows keep the depth that was asked for. */
static void rows_keep_the_depth(void **state) {
    (void)state;
    put_magic();
    struct workload w = workload_of("random-forest", "magic");
    w.depth = 20; /* no tree gets so deep */
    struct trained trained = make(&w);
    struct row row;
    char text[POINT_TEXT_SIZE];
    row_init(&row);
    row.workload = w;
    describe_workload(trained.ensemble, trained.fold.test, &row, 1);
    assert_int_equal(row.workload.depth, 20);
    assert_true(row.mean_tree_depth < 20);
    struct point point = point_of_row(&row), other = point;
    assert_int_equal(point.depth, 20);
    assert_int_equal(point.features, 0);
    other.depth = 10;
    assert_false(point_equal(&point, &other));
    point_describe(&point, text, sizeof text);
    assert_string_equal(text, "magic d=20, random-forest, 5 trees");
    row_free(&row);
    trained_free(&trained);
}

static void shares_are_of_the_same_trees(void **state) {
    (void)state;
    put_magic();
    struct workload w = workload_of("random-forest", "magic");
    w.depth = 6;
    struct trained trained = make(&w), again = make(&w);
    const struct ensemble *shares = trained.shares;
    assert_non_null(shares);
    assert_false(shares->votes);
    assert_int_equal(shares->n_trees, 5);
    assert_int_equal(shares->n_outputs, 1);
    assert_int_equal(shares->feature[0], trained.ensemble->feature[0]);
    assert_true(shares->threshold[0] == trained.ensemble->threshold[0]);
    assert_null(again.shares); /* its model was read from the file, which has votes only */
    trained_free(&trained);
    trained_free(&again);
}

static void a_part_of_the_data_says_so(void **state) {
    (void)state;
    setenv("TREEBENCH_DATA", folder, 1);
    put_table("tabular/fact16.csv.gz", "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,label\n", ",", 16,
              (const char *const[]){"0", "1"});
    struct workload w = workload_of("extra-trees", "fact");
    struct trained trained = make(&w);
    assert_string_equal(trained.ensemble->note,
                        "trained on a part of fact: 3,000 of 1,477,800 rows");
    assert_string_equal(trained.fold.test->note, "a part of fact: 3,000 of 1,477,800 rows");
    assert_model("fact-sample-extra-trees-depth3-trees5-seed7");
    trained_free(&trained);
    unsetenv("TREEBENCH_DATA");
}

static void assert_refused(const struct workload *workload, const char *text) {
    struct trained trained;
    struct error error;
    assert_int_equal(trained_make(folder, workload, &trained, &error), STATUS_INPUT);
    assert_string_equal(error.text, text);
    assert_null(trained.ensemble);
}

static void there_are_no_stand_ins(void **state) {
    (void)state;
    struct workload w = workload_of("random-forest", "imdb");
    assert_refused(&w, "imdb: this machine does not have the data set, and forests have no "
                       "stand-ins. See docs/data-sets.md");
    w = workload_of("random-forest", "mq2008");
    assert_refused(&w,
                   "mq2008: this data set has no recipe for classification (docs/data-sets.md)");
    put_magic();
    w = workload_of("random-forest", "magic");
    w.trial = 1;
    assert_refused(&w, "magic: this data set has one split, so only trial 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(forests_vote_and_obey_their_depth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_forest_is_trained_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_keep_the_depth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(shares_are_of_the_same_trees, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_part_of_the_data_says_so, set_up, tear_down),
        cmocka_unit_test_setup_teardown(there_are_no_stand_ins, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
