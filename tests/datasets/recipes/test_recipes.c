/* buschjaeger2018's data sets: made-up files as their owners publish them, and the collected ones.
 */
#include "datasets/catalogue.h"
#include "datasets/recipes/recipe.h"
#include "tests/datasets/own_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- made-up files ---------------------------------------------------------------------------- */

static void put(const char *name, const char *file, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "mkdir -p '%s/%s'", folder, name);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/%s/%s", folder, name, file);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

static struct fold read_fold(const char *name) {
    struct fold fold;
    struct error error;
    if (recipe_read(recipe_find(name), FOLD_ALL, &fold, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return fold;
}

/* Finds the row whose feature `feature` has this value, among the training and test rows. */
static const float *find_row(const struct fold *fold, uint32_t feature, float value, float *label) {
    const struct matrix *parts[] = {fold->train, fold->test};
    for (size_t p = 0; p < 2; p++)
        for (size_t i = 0; i < parts[p]->n_rows; i++)
            if (matrix_row(parts[p], i)[feature] == value) {
                *label = parts[p]->labels[i];
                return matrix_row(parts[p], i);
            }
    fail_msg("no row has %g as feature %u", (double)value, feature);
    return NULL;
}

static void assert_row(const float *row, uint32_t n, const float *wanted) {
    for (uint32_t i = 0; i < n; i++)
        if (row[i] != wanted[i])
            fail_msg("feature %u is %g, not %g", i, (double)row[i], (double)wanted[i]);
}

static void words_become_columns(void **state) {
    (void)state;
    put("adult", "adult.data",
        "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, "
        "Male, 2174, 0, 40, United-States, <=50K\n"
        "50, ?, 83311, HS-grad, 9, Married-civ-spouse, ?, Husband, Black, Female, 0, 7, 13, ?, "
        ">50K\n\n");
    struct fold fold = read_fold("adult");
    float label, first[64] = {0}, second[64] = {0};
    /* columns: age 0, workclass 1 to 8, fnlwgt 9, education 10 to 25, its years 26, marital 27 to
     * 33, occupation 34 to 47, relationship 48 to 53, race 54 to 58, sex 59 and 60, gain, loss,
     * hours */
    first[0] = 39, first[6] = 1, first[9] = 77516, first[10] = 1, first[26] = 13, first[29] = 1;
    first[42] = 1, first[51] = 1, first[54] = 1, first[60] = 1, first[61] = 2174, first[63] = 40;
    assert_row(find_row(&fold, 0, 39, &label), 64, first);
    assert_true(label == 0);
    second[0] = 50, second[8] = 1, second[9] = 83311, second[13] = 1, second[26] = 9;
    second[27] = 1, second[47] = 1, second[50] = 1, second[58] = 1, second[59] = 1;
    second[62] = 7, second[63] = 13;
    assert_row(find_row(&fold, 0, 50, &label), 64, second);
    assert_true(label == 1);
    assert_int_equal(fold.train->n_rows, 1);
    assert_int_equal(fold.test->n_rows, 1);
    assert_null(fold.validation);
    assert_string_equal(fold.test->note, "");
    fold_free(&fold);
}

static void fractions_are_scaled_and_truncated(void **state) {
    (void)state;
    put("wearable", "dataset-har-PUC-Rio-ugulino.csv",
        "user;gender;age;how_tall_in_meters;weight;body_mass_index;x1;y1;z1;x2;y2;z2;x3;y3;z3;x4;"
        "y4;z4;class\n"
        "debora;Woman;46;1,62;75;28,6;-3;92;-63;-23;18;-19;5;104;-92;-150;-103;-147;sitting\r\n"
        "jose_carlos;Man;75;1,677;67;24,0;-8;101;-120;-13;91;-101;17;123;-108;-207;-82;"
        "-14420-11-2011 04:50:23.713;standingup\n");
    struct fold fold = read_fold("wearable");
    float label;
    const float debora[] = {0,    4600,  162, 7500,  2860,  -300,   9200,   -6300, -2300,
                            1800, -1900, 500, 10400, -9200, -15000, -10300, -14700};
    assert_row(find_row(&fold, 1, 4600, &label), 17, debora);
    assert_true(label == 0);
    const float *jose = find_row(&fold, 1, 7500, &label);
    assert_true(jose[0] == 1 && jose[2] == 167 && jose[16] == -14400);
    assert_true(label == 3);
    fold_free(&fold);
    put("magic", "magic04.data",
        "28.7967,16.9,-2.6449,0.39,0.19,27.7,22.0,-8.2,40.09,81.88,g\n"
        "1,2,3,4,5,6,7,8,9,10,h\n");
    fold = read_fold("magic");
    const float *row = find_row(&fold, 0, 28, &label);
    assert_true(row[1] == 16 && row[2] == -2 && row[3] == 0 && row[7] == -8 && row[9] == 81);
    assert_true(label == 0);
    fold_free(&fold);
}

static void rows_and_classes_follow_the_recipe(void **state) {
    (void)state;
    char text[4096] = "";
    for (int row = 0; row < 3; row++) {
        for (int i = 0; i < 54; i++)
            snprintf(text + strlen(text), 16, "%d,", i == 0 ? 100 + row : 0);
        snprintf(text + strlen(text), 16, "%d%s\n", row + 1, row == 1 ? ".0" : "");
    }
    /* covertype: the program drops the first row, and classes begin at 1. "2.0" is class 2. */
    put("covertype", "covtype.data.gz", text);
    struct fold fold = read_fold("covertype");
    float label;
    assert_int_equal(fold.train->n_rows + fold.test->n_rows, 2);
    find_row(&fold, 0, 101, &label);
    assert_true(label == 1);
    find_row(&fold, 0, 102, &label);
    assert_true(label == 2);
    fold_free(&fold);
    put("letter", "letter-recognition.data",
        "T,2,8,3,5,1,8,13,0,6,6,10,8,0,8,0,8\nA,5,12,3,7,2,10,5,5,4,13,3,9,2,8,4,10\n");
    fold = read_fold("letter");
    find_row(&fold, 0, 2, &label);
    assert_true(label == 19);
    find_row(&fold, 1, 12, &label);
    assert_true(label == 0);
    fold_free(&fold);
}

/* Writes n rows of wine-quality whose first feature is their number. */
static void put_wine(int n) {
    char *text = malloc((size_t)n * 64 + 256);
    size_t used = (size_t)sprintf(text, "a;b;c;d;e;f;g;h;i;j;k;quality\n");
    for (int i = 0; i < n; i++)
        used += (size_t)sprintf(text + used, "%d;0;0;0;0;0;0;0;0;0;0;%d\n", i, 3 + i % 7);
    put("wine-quality", "winequality-red.csv", text);
    free(text);
    put("wine-quality", "winequality-white.csv",
        "a;b;c;d;e;f;g;h;i;j;k;quality\n1000.5;0;0;0;0;0;0;0;0;0;0;9\n");
}

static void every_row_is_in_one_part_and_stays_there(void **state) {
    (void)state;
    bool seen[101] = {false};
    put_wine(100);
    struct fold fold = read_fold("wine-quality"), again = read_fold("wine-quality");
    assert_int_equal(fold.test->n_rows, 26); /* a quarter of 101, rounded up */
    assert_int_equal(fold.train->n_rows, 75);
    size_t in_order = 0;
    const struct matrix *parts[] = {fold.train, fold.test}, *same[] = {again.train, again.test};
    for (size_t p = 0; p < 2; p++)
        for (size_t i = 0; i < parts[p]->n_rows; i++) {
            float value = matrix_row(parts[p], i)[0];
            size_t row = value == 1000.5f ? 100 : (size_t)value;
            assert_false(seen[row]);
            seen[row] = true;
            assert_true(parts[p]->labels[i] == (row == 100 ? 6 : (float)(row % 7)));
            assert_true(matrix_row(same[p], i)[0] == value);
            in_order += row == i + p * 75;
        }
    assert_true(in_order < 20); /* the rows are shuffled */
    fold_free(&again);
    assert_int_equal(recipe_read(recipe_find("wine-quality"), FOLD_TEST, &again, NULL), STATUS_OK);
    assert_null(again.train);
    assert_true(matrix_row(again.test, 0)[0] == matrix_row(fold.test, 0)[0]);
    fold_free(&again);
    fold_free(&fold);
}

static void satlog_has_the_owners_split(void **state) {
    (void)state;
    char row[256] = "7", *text = malloc(2000 * 80 + 1);
    for (int i = 0; i < 35; i++)
        strcat(row, " 1");
    strcat(row, " 7\n");
    put("satlog", "sat.trn", row);
    text[0] = '\0';
    row[0] = '8';
    size_t length = strlen(row);
    for (size_t i = 0; i < 2000; i++)
        memcpy(text + i * length, row, length + 1);
    put("satlog", "sat.tst", text);
    free(text);
    struct fold fold = read_fold("satlog");
    assert_int_equal(fold.train->n_rows, 1);
    assert_int_equal(fold.test->n_rows, 2000);
    assert_true(matrix_row(fold.train, 0)[0] == 7 && matrix_row(fold.test, 1999)[0] == 8);
    assert_true(fold.test->labels[0] == 5);
    fold_free(&fold);
}

/* --- errors ----------------------------------------------------------------------------------- */

static void assert_error(const char *name, const char *file, const char *text, const char *words) {
    struct fold fold;
    struct error error;
    put(name, file, text);
    assert_int_equal(recipe_read(recipe_find(name), FOLD_ALL, &fold, &error), STATUS_INPUT);
    if (!strstr(error.text, words))
        fail_msg("\"%s\" lacks \"%s\"", error.text, words);
    assert_null(fold.test);
}

static void errors_name_the_line_and_the_column(void **state) {
    (void)state;
    const char *magic = "magic04.data";
    assert_error("magic", magic, "1,2,3,4,5,6,7,8,9,10,h\n1,2,x,4,5,6,7,8,9,10,h\n",
                 "magic04.data:2: column 3: 'x' is not a number");
    assert_error("magic", magic, "1,2,3,4,5,6,7,8,9,10,k\n",
                 "magic04.data:1: column 11: 'k' is not a class of this data set");
    assert_error("magic", magic, "1,2,3,4,5,6,7,8,9,h\n", "magic04.data:1: expected 11 columns");
    assert_error("magic", magic, "1,2,3,4,5,6,7,8,9,10,h\n", "expected at least 2 rows");
    assert_error("magic", magic, "", "expected at least 2 rows");
    assert_error("letter", "letter-recognition.data", "T,2,8,3,5,1,8,13,0,6,6,10,8,0,8,0,8.5\n",
                 "letter-recognition.data:1: column 17: '8.5' is not an integer");
    assert_error(
        "adult", "adult.data",
        "39, Public, 77516, Bachelors, 13, Divorced, Sales, Wife, Black, Female, 0, 0, 40, "
        "Cuba, <=50K\n",
        "adult.data:1: column 2: 'Public' is not a word of this column");
    put("satlog", "sat.tst", "");
    assert_error("satlog", "sat.trn", "\n1\n", "sat.trn:2: expected 37 columns");
}

static void missing_data_sets_are_absent(void **state) {
    (void)state;
    size_t count;
    const struct recipe *all = recipes(&count);
    assert_int_equal(count, 12 + 1);
    for (size_t i = 0; i < count; i++) {
        struct fold fold;
        enum fold_origin origin;
        const struct data_set *set;
        assert_int_equal(data_set_find(all[i].name, &set, NULL), STATUS_OK);
        assert_int_equal(recipe_origin(&all[i], &origin, NULL), STATUS_OK);
        assert_int_equal(origin, FOLD_ABSENT);
        assert_int_equal(recipe_read(&all[i], FOLD_ALL, &fold, NULL), STATUS_OK);
        assert_null(fold.test);
    }
    assert_null(recipe_find("mq2008"));
    struct error error;
    enum fold_origin origin;
    setenv("TREEBENCH_DATA", "/nowhere/at/all", 1);
    assert_int_equal(recipe_origin(&all[0], &origin, &error), STATUS_INPUT);
    unsetenv("TREEBENCH_DATA");
}

/* --- the collected data sets ------------------------------------------------------------------ */

/* Rows of the collected files: for training and testing, and of the classes 0, 1, ... together. A
 * quarter of the rows, rounded up, is for testing. */
static const struct {
    const char *name;
    size_t n_train, n_test;
    uint32_t class_0; /* number of rows of class 0 */
    bool is_part;
} collected[] = {
    {"adult", 24420, 8141, 24720, false},       {"bank", 30891, 10297, 36548, false},
    {"covertype", 14999, 5000, 0, true},        {"fact", 2250, 750, 2000, true},
    {"letter", 15000, 5000, 789, false},        {"magic", 14265, 4755, 12332, false},
    {"magic-float", 14265, 4755, 12332, false}, {"mnist", 7500, 2500, 980, true},
    {"satlog", 4435, 2000, 1533, false},        {"sensorless", 4311, 1437, 0, true},
    {"wearable", 124224, 41409, 50631, false},  {"wine-quality", 4872, 1625, 30, false},
};

static void check_values(const struct recipe *recipe, const struct matrix *part) {
    assert_int_equal(part->n_features, recipe->features);
    bool whole = true;
    for (size_t i = 0; i < part->n_rows; i++)
        for (uint32_t f = 0; f < part->n_features; f++) {
            float value = matrix_row(part, i)[f];
            assert_true(isfinite(value));
            whole = whole && value == truncf(value);
        }
    assert_int_equal(whole, recipe->type == RECIPE_INT);
}

static uint32_t count_class_0(const struct matrix *part) {
    uint32_t count = 0;
    for (size_t i = 0; i < part->n_rows; i++)
        count += part->labels[i] == 0;
    return count;
}

static void collected_data_sets_have_the_papers_shapes(void **state) {
    const char *data = *state;
    if (!data) {
        print_message("TREEBENCH_DATA is unset: no real data\n");
        skip();
    }
    setenv("TREEBENCH_DATA", data, 1);
    for (size_t i = 0; i < sizeof collected / sizeof *collected; i++) {
        const struct recipe *recipe = recipe_find(collected[i].name);
        struct fold fold = read_fold(recipe->name);
        check_values(recipe, fold.train);
        check_values(recipe, fold.test);
        if (fold.train->n_rows != collected[i].n_train || fold.test->n_rows != collected[i].n_test)
            fail_msg("%s: %zu and %zu rows", recipe->name, fold.train->n_rows, fold.test->n_rows);
        if (collected[i].class_0 > 0)
            assert_int_equal(count_class_0(fold.train) + count_class_0(fold.test),
                             collected[i].class_0);
        enum fold_origin origin;
        assert_int_equal(recipe_origin(recipe, &origin, NULL), STATUS_OK);
        assert_int_equal(origin, collected[i].is_part ? FOLD_SAMPLE : FOLD_REAL);
        /* a part says so; a whole data set has as many test rows as in Table II */
        assert_int_equal(fold.test->note[0] != '\0', collected[i].is_part);
        if (!collected[i].is_part)
            assert_int_equal(fold.test->n_rows, recipe->test_rows);
        if (strcmp(recipe->name, "satlog") == 0) /* class 1 of sat.tst, as its owners count it */
            assert_int_equal(count_class_0(fold.test), 461);
        fold_free(&fold);
    }
    unsetenv("TREEBENCH_DATA");
}

/* The number of test rows of Table II is the whole data set's, so it must follow from the
 * catalogue's number of rows. */
static void test_rows_follow_from_the_catalogue(void **state) {
    (void)state;
    size_t count;
    const struct recipe *all = recipes(&count);
    for (size_t i = 0; i < count; i++) {
        const struct data_set *set;
        assert_int_equal(data_set_find(all[i].name, &set, NULL), STATUS_OK);
        uint64_t rows = set->rows - all[i].drops_first_row;
        if (strcmp(all[i].split, "random") == 0)
            assert_int_equal(all[i].test_rows, (rows + 3) / 4);
    }
}

static int keep_data(void **state) {
    *state = getenv("TREEBENCH_DATA");
    const char *data = *state;
    *state = data && *data ? strdup(data) : NULL;
    char *kept = *state;
    int failed = set_up(state);
    *state = kept;
    return failed;
}

static int drop_data(void **state) {
    free(*state);
    return tear_down(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(collected_data_sets_have_the_papers_shapes, keep_data,
                                        drop_data),
        cmocka_unit_test(test_rows_follow_from_the_catalogue),
        cmocka_unit_test_setup_teardown(words_become_columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(fractions_are_scaled_and_truncated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_and_classes_follow_the_recipe, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_row_is_in_one_part_and_stays_there, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(satlog_has_the_owners_split, set_up, tear_down),
        cmocka_unit_test_setup_teardown(errors_name_the_line_and_the_column, set_up, tear_down),
        cmocka_unit_test_setup_teardown(missing_data_sets_are_absent, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
