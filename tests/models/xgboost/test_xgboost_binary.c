/* XGBoost's old binary format: a hand-made model, scored by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/models/reading.h"

/* The content of a file. Each test changes one part. */
struct model {
    float base;
    uint32_t n_features, n_classes, major_version, minor_version, n_parallel, n_trees, first_output,
        n_nodes, n_roots, n_buffer;
    uint64_t n_attributes;
    const char *objective, *booster, *best_iteration;
    float weight;
};

static const struct model good = {.base = 0.25F,
                                  .n_features = 2,
                                  .n_trees = 2,
                                  .n_parallel = 1,
                                  .n_nodes = 6,
                                  .n_roots = 1,
                                  .n_attributes = 1,
                                  .major_version = 1,
                                  .objective = "binary:logistic",
                                  .booster = "gbtree",
                                  .best_iteration = "39",
                                  .weight = 1};

enum { SIZE = 8192, LEARNER_SIZE = 136 };

struct file {
    char bytes[SIZE];
    size_t size;
};

static void put(struct file *file, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++)
        file->bytes[file->size++] = (char)(value >> (8 * i) & 255);
}

static void put_float(struct file *file, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(file, bits, 4);
}

static void put_zeros(struct file *file, size_t size) {
    while (size-- > 0)
        put(file, 0, 1);
}

static void put_text(struct file *file, const char *text) {
    put(file, strlen(text), 8);
    for (; *text; text++)
        put(file, (unsigned char)*text, 1);
}

static void put_node(struct file *file, int left, int right, uint32_t split, float number) {
    put(file, UINT32_MAX, 4); /* the parent, which is not read */
    put(file, (uint32_t)left, 4);
    put(file, (uint32_t)right, 4);
    put(file, split, 4);
    put_float(file, number);
}

static void put_tree_head(struct file *file, uint32_t n_roots, uint32_t n_nodes) {
    put(file, n_roots, 4);
    put(file, n_nodes, 4);
    put_zeros(file, 140);
}

/* x1 < 0.5 (or missing): node 2, where x0 < -1: 2.5, else (or missing): 3.5; else 1.5. Node 3 was
 * pruned. */
static void put_first_tree(struct file *file, const struct model *m) {
    enum { WRITTEN = 6 };
    put_tree_head(file, m->n_roots, m->n_nodes);
    put_node(file, 2, 1, UINT32_C(0x80000001), 0.5F);
    put_node(file, -1, -1, 0, 1.5F);
    put_node(file, 4, 5, 0, -1);
    put_node(file, -1, -1, UINT32_MAX, 0);
    put_node(file, -1, -1, 0, 2.5F);
    put_node(file, -1, -1, 0, 3.5F);
    put_zeros(file, (size_t)WRITTEN * 16);
}

static void make_file(const struct model *m, struct file *file) {
    *file = (struct file){.size = 0};
    put_float(file, m->base);
    put(file, m->n_features, 4);
    put(file, m->n_classes, 4);
    put(file, 1, 4);
    put(file, 1, 4);
    put(file, m->major_version, 4);
    put(file, m->minor_version, 4);
    put_zeros(file, LEARNER_SIZE - 28);
    put_text(file, m->objective);
    put_text(file, m->booster);
    put(file, m->n_trees, 4);
    put(file, m->n_parallel, 4);
    put(file, m->n_features, 4);
    put_zeros(file, 4);
    put(file, m->n_buffer, 8);
    put_zeros(file, 136);
    put_first_tree(file, m);
    put_tree_head(file, 1, 1);
    put_node(file, -1, -1, 0, 10);
    put_zeros(file, 16);
    put(file, m->first_output, 4);
    put(file, 0, 4);
    if (strcmp(m->booster, "dart") == 0) {
        put(file, m->n_trees, 8);
        put_float(file, m->weight);
        put_float(file, 2);
    }
    put(file, m->n_attributes, 8);
    put_text(file, "best_iteration");
    put_text(file, m->best_iteration);
    put(file, 1, 8);
    put_text(file, "ndcg");
}

static struct ensemble *read_file(const struct model *m) {
    struct file file;
    struct ensemble *e = NULL;
    struct error error = {""};
    make_file(m, &file);
    assert_true(format_named("xgboost-binary")->recognise(file.bytes, file.size));
    if (read_copy("xgboost-binary", file.bytes, file.size, &e, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return e;
}

static void test_scores_by_hand(void **state) {
    (void)state;
    struct ensemble *e = read_file(&good);
    const float logit = -logf(3);
    const struct {
        float x[2];
        double trees;
    } rows[] = {
        {{-2, 0x1.fffffep-2F}, 12.5},
        {{-1, 0}, 13.5},
        {{-2, 0.5F}, 11.5},
        {{NAN, 0}, 13.5},
        {{-2, NAN}, 12.5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(score_by_walking(e, rows[i].x, 0) == (double)logit + rows[i].trees);
    assert_int_equal(e->n_features, 2);
    assert_int_equal(e->n_leaves, 4);
    ensemble_free(e);
}

/* Before 1.0 the base score was saved as a margin. */
static void test_old_base_score(void **state) {
    (void)state;
    struct model m = good;
    m.major_version = 0;
    struct ensemble *e = read_file(&m);
    assert_true(e->base[0] == 0.25);
    ensemble_free(e);
}

static void test_classes(void **state) {
    (void)state;
    struct model m = good;
    m.n_classes = 3;
    m.first_output = 2;
    m.objective = "multi:softmax";
    struct ensemble *e = read_file(&m);
    const float x[2] = {0, 1};
    const double scores[] = {10.25, 0.25, 1.75};
    assert_int_equal(e->n_outputs, 3);
    for (uint32_t k = 0; k < 3; k++)
        assert_true(score_by_walking(e, x, k) == scores[k]);
    ensemble_free(e);
}

static void test_dart(void **state) {
    (void)state;
    struct model m = good;
    m.booster = "dart";
    m.weight = 0.5F;
    m.major_version = 0;
    struct ensemble *e = read_file(&m);
    assert_true(score_by_walking(e, (const float[]){0, 1}, 0) == 0.25 + 0.75 + 20);
    ensemble_free(e);
}

static void test_best_iteration(void **state) {
    (void)state;
    static const struct {
        const char *best_iteration;
        uint32_t minor_version, n_parallel, trees;
    } cases[] = {{"39", 7, 1, 0}, {"0", 7, 1, 1}, {"1", 7, 1, 2},
                 {"0", 7, 2, 2},  {"0", 6, 2, 2}, {"0", 5, 2, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model m = good;
        m.best_iteration = cases[i].best_iteration;
        m.minor_version = cases[i].minor_version;
        m.n_parallel = cases[i].n_parallel;
        struct ensemble *e = read_file(&m);
        assert_int_equal(e->best_trees, cases[i].trees);
        ensemble_free(e);
    }
}

static void test_base_score_of_logitraw(void **state) {
    (void)state;
    struct model m = good;
    m.objective = "binary:logitraw";
    for (m.minor_version = 2; m.minor_version <= 4; m.minor_version += 2) {
        struct ensemble *e = read_file(&m);
        assert_true(e->base[0] == (m.minor_version < 3 ? (double)-logf(3) : 0.25));
        ensemble_free(e);
    }
}

/* XGBoost4J-Spark puts the number of classes before the model. */
static void test_spark(void **state) {
    (void)state;
    struct file file, spark = {.bytes = {0, 0, 0, 2}, .size = 4};
    make_file(&good, &file);
    memcpy(spark.bytes + 4, file.bytes, file.size);
    spark.size += file.size;
    struct ensemble *e = NULL;
    struct error error = {""};
    assert_true(format_named("xgboost-binary")->recognise(spark.bytes, spark.size));
    if (read_copy("xgboost-binary", spark.bytes, spark.size, &e, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(e->n_trees, 2);
    ensemble_free(e);
    for (size_t size = 0; size < spark.size; size++)
        assert_int_not_equal(read_copy("xgboost-binary", spark.bytes, size, &e, &error), STATUS_OK);
    spark.bytes[0] = 1;
    assert_false(format_named("xgboost-binary")->recognise(spark.bytes, spark.size));
    spark.bytes[0] = spark.bytes[3] = 0;
    assert_false(format_named("xgboost-binary")->recognise(spark.bytes, spark.size));
}

static void assert_error(const struct model *m, const char *expected) {
    struct file file;
    struct ensemble *e = NULL;
    struct error error = {""};
    make_file(m, &file);
    assert_int_not_equal(read_copy("xgboost-binary", file.bytes, file.size, &e, &error), STATUS_OK);
    assert_null(e);
    if (strncmp(error.text, expected, strlen(expected)) != 0)
        fail_msg("'%s' does not begin with '%s'", error.text, expected);
}

#define ASSERT_ERROR(change, expected)                                                             \
    do {                                                                                           \
        struct model m = good;                                                                     \
        m.change;                                                                                  \
        assert_error(&m, expected);                                                                \
    } while (0)

static void test_bad_files(void **state) {
    (void)state;
    ASSERT_ERROR(booster = "gblinear", "name: the booster 'gblinear' is not supported");
    ASSERT_ERROR(objective = "my:own",
                 "name: unknown objective 'my:own', so its base score cannot be converted");
    ASSERT_ERROR(objective =
                     "a name of more than sixty-three letters, which no objective of XGBoost "
                     "has",
                 "name: byte 144: the objective: the name has 74 bytes");
    ASSERT_ERROR(objective = "binary:logitraw";
                 m.minor_version = 3, "name: binary:logitraw in a binary file of version 1.3");
    ASSERT_ERROR(base = 1.5F, "name: base_score: 1.5 cannot be converted to a finite raw score "
                              "(margin) for binary:logistic");
    ASSERT_ERROR(n_features = 1,
                 "name: tree 0, node 0: feature 1 is out of range (the number of features is 1)");
    ASSERT_ERROR(n_roots = 2, "name: byte 481: trees with several roots are not supported");
    ASSERT_ERROR(n_nodes = 0, "name: tree 0: the number of nodes is 0, expected 1 to 2147483647");
    ASSERT_ERROR(n_nodes = UINT32_MAX, "name: byte 481: the nodes of a tree: 4294967295 x 20 bytes "
                                       "exceed the rest of the file (bytes left: 468)");
    ASSERT_ERROR(n_trees = UINT32_MAX, "name: byte ");
    ASSERT_ERROR(
        n_buffer = 5,
        "name: byte 333: prediction buffers, written by versions before 0.6, are not supported");
    ASSERT_ERROR(n_classes = 4000000,
                 "name: the number of outputs is 4000000, expected 1 to 100000");
    ASSERT_ERROR(first_output = 1,
                 "name: tree_info: tree 0 adds to output 1, but the number of outputs is 1");
    ASSERT_ERROR(n_attributes = UINT64_MAX / 2 + 2,
                 "name: byte 897: the number of attributes does not fit the rest of the file");
    ASSERT_ERROR(n_attributes = 100, "name: byte ");
}

static void test_cut_anywhere(void **state) {
    (void)state;
    struct file file;
    make_file(&good, &file);
    for (size_t size = 0; size < file.size; size++) {
        struct ensemble *e = NULL;
        struct error error = {""};
        assert_int_not_equal(read_copy("xgboost-binary", file.bytes, size, &e, &error), STATUS_OK);
        assert_memory_equal(error.text, "name: byte ", 11);
    }
}

static void test_recognition(void **state) {
    (void)state;
    struct file file, old;
    make_file(&good, &file);
    memcpy(old.bytes, "binf", 4);
    memcpy(old.bytes + 4, file.bytes, file.size);
    assert_true(format_named("xgboost-binary")->recognise(old.bytes, file.size + 4));
    assert_false(format_named("xgboost-binary")->recognise(file.bytes, LEARNER_SIZE));
    memset(file.bytes + LEARNER_SIZE, ' ', 64);
    assert_false(format_named("xgboost-binary")->recognise(file.bytes, file.size));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_by_hand),
        cmocka_unit_test(test_old_base_score),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_dart),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_recognition),
        cmocka_unit_test(test_best_iteration),
        cmocka_unit_test(test_base_score_of_logitraw),
        cmocka_unit_test(test_spark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
