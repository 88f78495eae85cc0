/* CTRs: features computed from categories, in both of CatBoost's formats. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cityhash.h"
#include "models/categories.h"
#include "models/ctrs.h"
#include "tests/models/catboost/catboost_file.h"
#include "tests/models/reading.h"
#include "tests/models/same.h"

/* --- a model ---------------------------------------------------------------------------------- */

static int32_t hash_of(const char *word) {
    return (int32_t)(uint32_t)cityhash64(word, strlen(word));
}

/* CatBoost's hash of a combination, one value after the other. */
static uint64_t join(uint64_t hash, uint64_t value) {
    const uint64_t factor = 0x4906ba494954cb65;
    return factor * (hash + factor * value);
}

static uint64_t join_word(uint64_t hash, const char *word) {
    return join(hash, (uint64_t)(int64_t)hash_of(word));
}

static uint32_t bits(float value) {
    uint32_t result;
    memcpy(&result, &value, sizeof result);
    return result;
}

enum { N_CTRS = 8, N_COLUMNS = 3 };

/* Column 0 is a number, whose NaN is over its border. Trees test whether column 1 is "red". They
 * test column 2 only in CTRs, which have seen "oak" and, with "red" and numbers over 0.5, "elm". */
static void make_model(struct made_model *m) {
    const struct made_part tree = {MADE_CATEGORY, 1, 0, 0}, colour = {MADE_CATEGORY, 0, 0, 0};
    const struct made_part over = {MADE_OVER, 0, 0.5F, 0};
    const struct made_part red = {MADE_IS_CATEGORY, 0, 0, hash_of("red")};
    const uint64_t oak = join_word(0, "oak");
    *m = (struct made_model){
        .n_features = 1,
        .n_outputs = 1,
        .n_trees = 1,
        .n_splits = 3,
        .n_values = 8,
        .feature = {{0, 1, 2, true, {0.5F}}},
        .n_categories = 2,
        .category = {{1, 1, {hash_of("red")}}, {2, 0, {0}}},
        .scale = 1,
        .is_oblivious = true,
        .size = {3},
        .split = {0, 1, 2}, /* the number, "red", and the border of CTR 0 */
        .value = {1, 2, 3, 4, 5, 6, 7, 8},
        .n_ctrs = N_CTRS,
        .ctr = {{.kind = 0, .class = 1, .part = {tree}, .stride = 3, .count = {{2, 3, 4}, {1}}},
                {.kind = 0, .class = 0, .part = {tree}, .table = 0},
                {.kind = 1, .class = 1, .part = {tree}, .stride = 2, .count = {{5, 6}, {1, 1}}},
                {.kind = 2, .part = {tree}, .stride = 2, .count = {{bits(3), 4}, {bits(1), 1}}},
                {.kind = 3, .part = {tree}, .stride = 2, .count = {{bits(-6), 8}, {bits(1), 1}}},
                {.kind = 4,
                 .part = {colour, tree, over},
                 .n_parts = 3,
                 .stride = 1,
                 .total = 9,
                 .count = {{7}, {1}}},
                {.kind = 5,
                 .part = {tree, over, red},
                 .n_parts = 3,
                 .stride = 1,
                 .total = 20,
                 .count = {{11}, {1}}},
                {.kind = 0,
                 .class = 1,
                 .part = {tree},
                 .table = 7,
                 .stride = 2,
                 .count = {{3, 5}, {1, 1}}}},
    };
    for (uint32_t i = 0; i < N_CTRS; i++) {
        struct made_ctr *ctr = &m->ctr[i];
        ctr->n_parts = ctr->n_parts ? ctr->n_parts : 1;
        ctr->n_borders = i == 0 ? 2 : 1;
        ctr->border[0] = 5;
        ctr->border[1] = 6.5F;
        ctr->prior = 0.5F;
        ctr->prior_total = 1;
        ctr->shift = 0.25F;
        ctr->scale = 10;
        ctr->table = i == 1 ? 0 : i;
        ctr->n_entries = 2;
        ctr->hash[0] = oak;
        ctr->hash[1] = 77;
    }
    /* CTRs 0 and 7 have different tables, so their bases must differ. */
    m->ctr[7].part[1] = over;
    m->ctr[7].n_parts = 2;
    m->ctr[7].hash[0] = join(oak, 0);
    m->ctr[5].hash[0] = join(join_word(join_word(0, "red"), "elm"), 1);
    m->ctr[6].hash[0] = join(join(join_word(0, "elm"), 1), 1);
}

/* --- values ----------------------------------------------------------------------------------- */

struct row {
    float number;
    const char *colour, *tree;
    float count[N_CTRS], total[N_CTRS];
    size_t n_unknown;
};

static const struct row rows[] = {
    {0.4F, "red", "oak", {4, 7, 6, 3, -6, 0, 0, 5}, {9, 9, 11, 4, 8, 9, 20, 8}, 0},
    {0.6F, "red", "elm", {0, 0, 0, 0, 0, 7, 11, 0}, {0, 0, 0, 0, 0, 9, 20, 0}, 1},
    {NAN, "red", "elm", {0, 0, 0, 0, 0, 7, 11, 0}, {0, 0, 0, 0, 0, 9, 20, 0}, 1},
    {0.6F, "blue", "oak", {4, 7, 6, 3, -6, 0, 0, 0}, {9, 9, 11, 4, 8, 9, 20, 0}, 0},
    {0.5F, "red", "elm", {0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 9, 20, 0}, 1},
};

static void check_values(const struct ensemble *e) {
    assert_int_equal(ctrs_count(e->ctrs), N_CTRS);
    assert_int_equal(e->n_features, N_COLUMNS + N_CTRS);
    assert_int_equal(ensemble_given_features(e), N_COLUMNS);
    for (uint32_t i = 0; i < ctrs_count_tables(e->ctrs); i++)
        assert_int_equal(ctrs_table(e->ctrs, i)->n_entries, 2); /* not the unused ones */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        const float x[N_COLUMNS] = {row->number, NAN, NAN};
        const uint32_t hashes[N_COLUMNS] = {0, (uint32_t)hash_of(row->colour),
                                            (uint32_t)hash_of(row->tree)};
        float values[N_CTRS];
        assert_int_equal(ctrs_compute(e->ctrs, hashes, x, values), row->n_unknown);
        for (size_t k = 0; k < N_CTRS; k++) {
            float share = (row->count[k] + 0.5F) / (row->total[k] + 1);
            if (values[k] != (share + 0.25F) * 10)
                fail_msg("row %zu, CTR %zu: %g", i, k, (double)values[k]);
        }
    }
}

static void test_both_formats(void **state) {
    (void)state;
    struct made_model m;
    make_model(&m);
    char *text = make_json(&m);
    struct ensemble *binary = read_made(&m), *json = read_good("catboost", text);
    assert_true(same_ensemble(binary, json));
    check_values(binary);
    check_values(json);
    free(text);
    ensemble_free(binary);
    ensemble_free(json);
}

/* Bins of CTRs come after those of categories, and a CTR of NaN is under its borders. */
static void test_trees(void **state) {
    (void)state;
    static const struct {
        float number, code, ctr;
        double score;
    } cases[] = {{0.4F, NAN, 5, 1},     {0.6F, NAN, 5, 2},  {0.4F, 0, 5, 3},
                 {0.4F, NAN, 5.1F, 5},  {0.6F, 0, 5.1F, 8}, {0.4F, NAN, NAN, 1},
                 {0.4F, 0, INFINITY, 7}};
    struct made_model m;
    make_model(&m);
    struct ensemble *e = read_made(&m);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const float x[N_COLUMNS + N_CTRS] = {cases[i].number, cases[i].code, NAN, cases[i].ctr};
        assert_true(score_by_walking(e, x, 0) == cases[i].score);
    }
    ensemble_free(e);
}

/* Hashes of tables that CatBoost wrote for the categories "0" and "1". */
static void test_hash_of_catboost(void **state) {
    (void)state;
    assert_true(join_word(0, "0") == 14096670708071601218U);
    assert_true(join_word(0, "1") == 10650234391120027977U);
}

/* A column of words that only CTRs use, or that nothing uses, may contain any words. */
static void test_words_are_allowed(void **state) {
    (void)state;
    struct made_model m;
    make_model(&m);
    struct ensemble *e = read_made(&m);
    assert_true(categories_has(e->categories, 2));
    assert_int_equal(categories_count(e->categories, 2), 0);
    assert_int_equal(categories_find(e->categories, 2, "oak", 3), CATEGORIES_UNKNOWN);
    assert_false(categories_has(e->categories, 0));
    ensemble_free(e);
}

static void test_names(void **state) {
    (void)state;
    static const char expected[] = "f0\0f1\0f2\0CTR 0\0CTR 1";
    struct made_model m;
    make_model(&m);
    m.has_names = true;
    char *text = make_json(&m);
    struct ensemble *json = read_good("catboost", text), *binary = read_made(&m);
    assert_memory_equal(json->feature_names, expected, sizeof expected);
    assert_memory_equal(binary->feature_names, expected, sizeof expected);
    free(text);
    ensemble_free(json);
    ensemble_free(binary);
}

/* --- what is refused -------------------------------------------------------------------------- */

static void assert_both_refused(const struct made_model *m, const char *expected) {
    static struct made_file f;
    char *text = make_json(m);
    make_cbm(&f, m);
    for (int is_json = 0; is_json < 2; is_json++) {
        struct ensemble *e = NULL;
        struct error error = {""};
        if (read_copy("catboost", is_json ? text : (const char *)f.bytes,
                      is_json ? strlen(text) : f.size, &e, &error) == STATUS_OK)
            fail_msg("read without an error, should say %s", expected);
        assert_null(e);
        assert_memory_equal(error.text, "name:", 5);
        if (!strstr(error.text, expected))
            fail_msg("'%s' does not say '%s'", error.text, expected);
    }
    free(text);
}

static void test_bad_ctrs(void **state) {
    (void)state;
    struct made_model m;
#define REFUSE(member, number, expected)                                                           \
    do {                                                                                           \
        make_model(&m);                                                                            \
        m.member = (number);                                                                       \
        assert_both_refused(&m, expected);                                                         \
    } while (0)
    REFUSE(ctr[0].class, 3, "CTR 0: class 3 is out of range (0 to 2)");
    REFUSE(ctr[2].class, 2, "CTR 2: class 2 is out of range (0 to 1)");
    REFUSE(ctr[0].part[0].index, 2, "the categorical feature 2, which does not exist");
    REFUSE(ctr[5].part[2].border, 0.25F, "the border 0.25 of the float feature 0");
    REFUSE(ctr[5].part[2].index, 1, "the border 0.5 of the float feature 1");
    REFUSE(ctr[6].part[2].hash, 1, "the value 1 of the categorical feature 0");
    REFUSE(ctr[6].part[2].index, 1, "of the categorical feature 1, which does not exist");
    REFUSE(ctr[0].border[1], 5, "borders must be increasing");
    REFUSE(ctr[3].hash[1], m.ctr[3].hash[0], ""); /* the same hash twice */
    REFUSE(ctr[7].stride, 1, "");                 /* a single class */
#undef REFUSE
}

static void test_missing_tables(void **state) {
    (void)state;
    static struct made_file f;
    struct made_model m;
    struct ensemble *e = NULL;
    struct error error = {""};
    make_model(&m);
    make_cbm(&f, &m);
    char *part = memmem(f.bytes, f.size, "static_provider_v1", 18);
    *part = 'S';
    assert_true(read_copy("catboost", (const char *)f.bytes, f.size, &e, &error) != STATUS_OK);
    assert_non_null(strstr(error.text, "the file has no tables for them"));
    make_model(&m);
    m.ctr[4].table = 3; /* the base of CTR 4 has no table */
    make_cbm(&f, &m);
    assert_true(read_copy("catboost", (const char *)f.bytes, f.size, &e, &error) != STATUS_OK);
    assert_non_null(strstr(error.text, "CTR 4 has no table in the file"));
}

/* Sets the index behind the hash 77 of an entry. */
static void test_entry_without_counts(void **state) {
    (void)state;
    static const unsigned char entry[12] = {77};
    static struct made_file f;
    struct made_model m;
    struct ensemble *e = NULL;
    struct error error = {""};
    make_model(&m);
    make_cbm(&f, &m);
    unsigned char *found = memmem(f.bytes, f.size, entry, sizeof entry);
    assert_non_null(found);
    found[8] = 2;
    assert_true(read_copy("catboost", (const char *)f.bytes, f.size, &e, &error) != STATUS_OK);
    assert_non_null(strstr(error.text, "invalid entries"));
}

/* A small file could ask for much memory with a long list of the same CTR. */
static void test_too_many_ctrs(void **state) {
    (void)state;
    enum { MANY = 2000 };
    static struct made_file f;
    struct made_model m;
    struct ensemble *e = NULL;
    struct error error = {""};
    make_model(&m);
    m.repeats = MANY;
    make_cbm(&f, &m);
    assert_true(read_copy("catboost", (const char *)f.bytes, f.size, &e, &error) != STATUS_OK);
    assert_string_equal(error.text, "name: the model has more CTRs than fit the file");
}

static void test_same_key_twice(void **state) {
    (void)state;
    struct made_model m;
    struct ensemble *e = NULL;
    struct error error = {""};
    make_model(&m);
    char *text = make_json(&m), *key = strstr(text, "\"table 7\": {");
    assert_non_null(key);
    key[7] = '0';
    assert_true(read_copy("catboost", text, strlen(text), &e, &error) != STATUS_OK);
    assert_non_null(strstr(error.text, "ctr_data: expected different keys"));
    free(text);
}

/* CatBoost writes a sum with its fraction to JSON, but rounds it when it reads it. */
static void test_sum_with_fraction(void **state) {
    (void)state;
    struct made_model m;
    struct ensemble *e = NULL;
    struct error error = {""};
    make_model(&m);
    m.ctr[4].count[0][0] = bits(1.5F);
    char *text = make_json(&m);
    assert_int_equal(read_copy("catboost", text, strlen(text), &e, &error), STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "Save the model as .cbm"));
    free(text);
    ensemble_free(read_made(&m));
}

static void test_cut_anywhere(void **state) {
    (void)state;
    static struct made_file f;
    struct made_model m;
    make_model(&m);
    make_cbm(&f, &m);
    for (size_t size = 0; size < f.size; size++) {
        struct ensemble *e = NULL;
        struct error error = {""};
        assert_true(read_copy("catboost", (const char *)f.bytes, size, &e, &error) != STATUS_OK);
        assert_null(e);
        assert_memory_equal(error.text, "name: ", size < 4 ? 5 : 6);
    }
    char *text = make_json(&m);
    assert_cut_anywhere("catboost", text);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_formats),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_hash_of_catboost),
        cmocka_unit_test(test_words_are_allowed),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_bad_ctrs),
        cmocka_unit_test(test_missing_tables),
        cmocka_unit_test(test_sum_with_fraction),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_entry_without_counts),
        cmocka_unit_test(test_too_many_ctrs),
        cmocka_unit_test(test_same_key_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
