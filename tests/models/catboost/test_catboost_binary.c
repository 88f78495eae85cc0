/* The reader of CatBoost's .cbm, compared with that of JSON. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "models/catboost/flatbuffer.h"
#include "models/categories.h"
#include "tests/models/catboost/catboost_file.h"
#include "tests/models/reading.h"
#include "tests/models/same.h"

/* NaN never occurs in column 1. In column 3 it is above every border, in column 4 below. */
static const struct made_model oblivious = {
    .n_features = 3,
    .n_outputs = 1,
    .n_trees = 2,
    .n_splits = 3,
    .n_values = 9,
    .feature = {{1, 2, 0, false, {0.5F, 1.5F}},
                {3, 1, 2, true, {0.1F}},
                {4, 2, 1, true, {-3.4028235e38F, 2}}},
    .scale = 2,
    .bias = {0.5},
    .is_oblivious = true,
    .size = {3, 0},
    .start = {0, 3},
    .split = {1, 2, 4},
    .value = {1, 2, 4, 8, 16, 32, 64, 128, 0.25},
};

/* Node 0 has its own leaf on the left, node 1 on the right. */
static const struct made_model other = {
    .n_features = 2,
    .n_outputs = 2,
    .n_trees = 2,
    .n_splits = 4,
    .n_values = 8,
    .feature = {{0, 1, 0, false, {1}}, {1, 1, 2, true, {2}}},
    .scale = 1,
    .bias = {0, 100},
    .size = {3, 1},
    .start = {0, 3},
    .split = {0, 1, 0, 0},
    .step = {0, 1, 1, 0, 0, 0, 0, 0},
    .leaf = {0, 2, 4, 6},
    .value = {1, 2, 3, 4, 5, 6, 10, 20},
    .has_names = true,
};

/* A model of at least 4 GiB has a size of 64 bits. A smaller one may. */
static void test_long_size(void **state) {
    (void)state;
    static struct made_file f;
    struct ensemble *expected = read_made(&oblivious);
    make_cbm(&f, &oblivious);
    const uint64_t core = f.size - 8;
    assert_true(f.size + 8 <= sizeof f.bytes);
    memmove(f.bytes + 16, f.bytes + 8, core);
    memset(f.bytes + 4, 255, 4);
    memcpy(f.bytes + 8, &core, sizeof core);
    f.size += 8;
    struct ensemble *e = read_cbm(&f);
    assert_true(same_ensemble(e, expected));
    ensemble_free(e);
    ensemble_free(expected);
}

static void test_names(void **state) {
    (void)state;
    char *text = make_json(&other);
    struct ensemble *binary = read_made(&other), *json = read_good("catboost", text);
    struct ensemble *none = read_made(&oblivious); /* columns 0 and 2 are unknown */
    assert_memory_equal(binary->feature_names, "f0\0f1", 6);
    assert_memory_equal(json->feature_names, "f0\0f1", 6);
    assert_null(none->feature_names);
    free(text);
    ensemble_free(binary);
    ensemble_free(json);
    ensemble_free(none);
}

static void test_oblivious_by_hand(void **state) {
    (void)state;
    static const struct {
        float x[5];
        double score;
    } rows[] = {
        {{0, 1.5F, 0, 0.1F, 2}, 3},   {{0, 1.6F, 0, 0.1F, 2}, 5}, {{0, 1.6F, 0, 0.2F, 2}, 17},
        {{0, 1.6F, 0, 0.2F, 3}, 257}, {{0, NAN, 0, 0, 0}, 3},     {{0, 0, 0, NAN, 0}, 9},
        {{0, 0, 0, 0, NAN}, 3},
    };
    struct ensemble *e = read_made(&oblivious);
    assert_int_equal(e->n_features, 5);
    assert_int_equal(e->n_trees, 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(score_by_walking(e, rows[i].x, 0) == rows[i].score);
    ensemble_free(e);
}

static void test_other_trees_by_hand(void **state) {
    (void)state;
    static const struct {
        float x[2];
        double score[2];
    } rows[] = {
        {{1, 0}, {11, 122}},   {{2, 2}, {15, 126}},   {{2, 3}, {13, 124}},
        {{2, NAN}, {13, 124}}, {{NAN, 0}, {11, 122}},
    };
    struct ensemble *e = read_made(&other);
    assert_int_equal(e->n_features, 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t k = 0; k < 2; k++)
            assert_true(score_by_walking(e, rows[i].x, k) == rows[i].score[k]);
    ensemble_free(e);
}

/* --- random models ---------------------------------------------------------------------------- */

static void make_features(struct random *random, struct made_model *m) {
    m->n_features = MADE_FEATURES;
    for (uint32_t i = 0; i < m->n_features; i++) {
        struct made_feature *feature = &m->feature[i];
        float border = -4;
        feature->column = 2 * i + 1;
        feature->has_nans = random_below(random, 2);
        feature->treatment = (uint32_t)random_below(random, 3);
        feature->n_borders = (uint32_t)random_below(random, MADE_BORDERS + 1);
        for (uint32_t b = 0; b < feature->n_borders; b++)
            feature->border[b] = border += 0.01F + random_float(random);
    }
    m->feature[0].n_borders = m->feature[0].n_borders ? m->feature[0].n_borders : 1;
    m->feature[0].border[0] = -4;
}

static void make_categories(struct random *random, struct made_model *m) {
    m->n_categories = (uint32_t)random_below(random, MADE_CATEGORIES + 1);
    for (uint32_t i = 0; i < m->n_categories; i++) {
        struct made_category *category = &m->category[i];
        int32_t hash = INT32_MIN + (int32_t)random_below(random, 1000);
        category->column = 4 * i;
        category->n_hashes = (uint32_t)random_below(random, MADE_HASHES + 1);
        for (uint32_t k = 0; k < category->n_hashes; k++)
            category->hash[k] = hash += 1 + (int32_t)random_below(random, 1 << 29);
    }
}

static uint32_t any_bin(struct random *random, const struct made_model *m) {
    uint32_t n_bins = 0;
    for (uint32_t i = 0; i < m->n_features; i++)
        n_bins += m->feature[i].n_borders;
    for (uint32_t i = 0; i < m->n_categories; i++)
        n_bins += m->category[i].n_hashes;
    return (uint32_t)random_below(random, n_bins);
}

static uint32_t add_values(struct random *random, struct made_model *m, uint32_t count) {
    uint32_t first = m->n_values;
    for (uint32_t i = 0; i < count; i++)
        m->value[m->n_values++] = random_double(random) - 0.5;
    return first;
}

static void make_oblivious(struct random *random, struct made_model *m) {
    uint32_t depth = (uint32_t)random_below(random, 6);
    m->size[m->n_trees++] = depth;
    for (uint32_t i = 0; i < depth; i++)
        m->split[m->n_splits++] = any_bin(random, m);
    add_values(random, m, m->n_outputs << depth);
}

/* Adds nodes in preorder. A child is a node or its parent's leaf. */
static void make_node(struct random *random, struct made_model *m, uint32_t depth) {
    uint32_t node = m->n_splits++;
    bool is_leaf = depth == 0 || random_below(random, 4) == 0;
    m->leaf[node] = UINT32_MAX;
    m->split[node] = is_leaf ? 0 : any_bin(random, m);
    uint64_t kind = is_leaf ? 3 : random_below(random, 3); /* which children are not nodes */
    for (uint32_t side = 0; side < 2; side++)
        if (!(kind & (side + 1))) {
            m->step[2 * node + side] = (uint16_t)(m->n_splits - node);
            make_node(random, m, depth - 1);
        }
    if (kind)
        m->leaf[node] = add_values(random, m, m->n_outputs);
}

static void make_model(struct random *random, struct made_model *m, bool is_oblivious) {
    *m = (struct made_model){
        .is_oblivious = is_oblivious, .scale = 1, .has_names = random_below(random, 2)};
    m->n_outputs = 1 + (uint32_t)random_below(random, MADE_OUTPUTS);
    make_features(random, m);
    make_categories(random, m);
    for (uint32_t k = 0; k < m->n_outputs; k++)
        m->bias[k] = random_double(random);
    while (m->n_trees < 8) {
        m->start[m->n_trees] = m->n_splits;
        if (is_oblivious) {
            make_oblivious(random, m);
            continue;
        }
        make_node(random, m, 5);
        m->size[m->n_trees] = m->n_splits - m->start[m->n_trees];
        m->n_trees++;
    }
}

/* Scores a document as CatBoost does, with the bins and lists of a .cbm. */
/* A document's categories are indices of hashes, and MADE_HASHES for all others. */
static bool bin_holds(const struct made_model *m, uint32_t bin, const float *x) {
    const struct made_bin found = find_bin(m, bin);
    uint32_t i = found.feature;
    if (found.is_category)
        return x[m->category[i].column] == (float)found.place;
    bin = found.place;
    float value = x[m->feature[i].column];
    if (isnan(value) && m->feature[i].has_nans && m->feature[i].treatment == 2)
        value = INFINITY;
    return value > m->feature[i].border[bin];
}

static size_t oblivious_leaf(const struct made_model *m, uint32_t tree, const float *x) {
    size_t leaf = 0;
    for (uint32_t i = 0; i < m->size[tree]; i++)
        leaf |= (size_t)bin_holds(m, m->split[m->start[tree] + i], x) << i;
    return leaf * m->n_outputs;
}

static size_t other_leaf(const struct made_model *m, uint32_t tree, const float *x) {
    uint32_t node = m->start[tree], step;
    do {
        step = m->step[2 * node + bin_holds(m, m->split[node], x)];
        node += step;
    } while (step);
    return m->leaf[node];
}

static double expected_score(const struct made_model *m, const float *x, uint32_t output) {
    double sum = m->bias[output];
    size_t first = 0;
    for (uint32_t t = 0; t < m->n_trees; t++) {
        sum += m->value[(m->is_oblivious ? first + oblivious_leaf(m, t, x) : other_leaf(m, t, x)) +
                        output];
        first += (size_t)m->n_outputs << (m->is_oblivious ? m->size[t] : 0);
    }
    return sum;
}

/* Converts the document like a reader of tables: a category's index becomes the code of its
 * hash. */
static void code_categories(const struct made_model *m, const struct ensemble *e, const float *x,
                            float *coded) {
    memcpy(coded, x, 2 * MADE_FEATURES * sizeof *x);
    for (uint32_t i = 0; i < m->n_categories; i++) {
        const struct made_category *category = &m->category[i];
        uint32_t place = (uint32_t)x[category->column], code = 0;
        uint32_t n = categories_count(e->categories, category->column);
        while (code < n && place < category->n_hashes &&
               categories_number(e->categories, category->column, code) !=
                   (double)(uint32_t)category->hash[place])
            code++;
        coded[category->column] = code < n && place < category->n_hashes ? (float)code : NAN;
    }
}

static void compare_formats(struct random *random, const struct made_model *m) {
    struct ensemble *binary = read_made(m);
    char *text = make_json(m);
    struct ensemble *json = read_good("catboost", text);
    assert_true(same_ensemble(binary, json));
    for (int i = 0; i < 20; i++) {
        float x[2 * MADE_FEATURES], coded[2 * MADE_FEATURES];
        memset(x, 0, sizeof x);
        for (uint32_t c = 0; c < 2 * MADE_FEATURES; c++) {
            const struct made_feature *feature = &m->feature[c / 2];
            bool on_border = feature->n_borders && random_below(random, 2);
            x[c] = on_border ? feature->border[random_below(random, feature->n_borders)]
                             : 10 * random_float(random) - 5;
            if (random_below(random, 8) == 0)
                x[c] = NAN;
        }
        for (uint32_t c = 0; c < m->n_categories; c++)
            x[m->category[c].column] = (float)random_below(random, MADE_HASHES + 1);
        code_categories(m, binary, x, coded);
        for (uint32_t k = 0; k < m->n_outputs; k++) {
            double expected = expected_score(m, x, k);
            assert_true(score_by_walking(binary, coded, k) == expected);
            assert_true(score_by_walking(json, coded, k) == expected);
        }
    }
    ensemble_free(binary);
    ensemble_free(json);
    free(text);
}

static void test_json_says_the_same(void **state) {
    (void)state;
    struct random random;
    random_seed(&random, 12);
    for (int i = 0; i < 200; i++) {
        struct made_model m;
        make_model(&random, &m, i % 2 == 0);
        compare_formats(&random, &m);
    }
}

/* --- what is refused -------------------------------------------------------------------------- */

static void assert_cbm_refused(const struct made_file *f, const char *expected) {
    struct ensemble *e = NULL;
    struct error error = {""};
    if (read_copy("catboost", (const char *)f->bytes, f->size, &e, &error) == STATUS_OK)
        fail_msg("read without an error, should say %s", expected);
    assert_null(e);
    assert_memory_equal(error.text, "name: ", 6);
    if (!strstr(error.text, expected))
        fail_msg("'%s' does not say '%s'", error.text, expected);
}

static void test_other_features_are_refused(void **state) {
    (void)state;
    static struct made_file f;
    size_t trees = make_cbm(&f, &oblivious);
    put_list(&f, trees, 7, 1, 4, NULL);
    put_bytes(&f, 4, f.size - 8, 4);
    assert_cbm_refused(&f, "name: the trees test CTRs, but the file has no tables for them");
    trees = make_cbm(&f, &oblivious);
    put_list(&f, trees, 13, 1, 4, NULL);
    put_bytes(&f, 4, f.size - 8, 4);
    assert_cbm_refused(&f, "the trees test texts or embeddings");
}

/* Finds the tables of the float features. */
static size_t feature_table(const struct made_file *f, uint32_t feature) {
    struct flatbuffer buffer = {.name = "name", .bytes = f->bytes + 8, .size = f->size - 8};
    static const struct flatbuffer_field trees = {1, FLATBUFFER_TABLE, 0, 0};
    static const struct flatbuffer_field features = {5, FLATBUFFER_LIST, 0, 4};
    struct flatbuffer_table root, core, table;
    struct flatbuffer_list list;
    assert_int_equal(flatbuffer_root(&buffer, &core), STATUS_OK);
    assert_int_equal(flatbuffer_read(&buffer, &core, &trees, 1, &root), STATUS_OK);
    assert_int_equal(flatbuffer_read(&buffer, &root, &features, 1, &list), STATUS_OK);
    assert_int_equal(flatbuffer_item(&buffer, &list, feature, &table), STATUS_OK);
    return table.at + 8;
}

/* Lets a field of both features point to one list, so that they are larger than the file. */
static void share_list(struct made_file *f, unsigned field, size_t count, size_t item_size,
                       const void *items) {
    size_t first = feature_table(f, 0), second = feature_table(f, 1);
    size_t at = put_list(f, first, field, count, item_size, items) - 4;
    put_offset(f, put_field(f, second, field), at);
    put_bytes(f, 4, f->size - 8, 4);
}

static void test_shared_lists(void **state) {
    (void)state;
    enum { MANY = 1000 };
    static struct made_file f;
    static float borders[MANY];
    static char name[4 * MANY];
    for (size_t i = 0; i < MANY; i++)
        borders[i] = (float)i;
    memset(name, 'n', sizeof name);
    make_cbm(&f, &other);
    share_list(&f, 3, MANY, sizeof *borders, borders);
    assert_cbm_refused(&f, "the model has more borders than fit the file");
    make_cbm(&f, &other);
    share_list(&f, 4, sizeof name, 1, name);
    struct ensemble *e = read_cbm(&f);
    assert_null(e->feature_names);
    ensemble_free(e);
}

/* The list of biases is the last of the file. */
static void test_list_behind_the_end(void **state) {
    (void)state;
    static struct made_file f;
    make_cbm(&f, &oblivious);
    assert_int_equal(f.bytes[f.size - 12], 1);
    f.bytes[f.size - 12] = 2;
    assert_cbm_refused(&f, "a list exceeds the rest of the model");
}

/* A copy of a model with one number changed. */
static void test_bad_numbers(void **state) {
    (void)state;
    static struct made_file f;
    struct made_model m;
#define REFUSE(model, member, number, expected)                                                    \
    do {                                                                                           \
        m = (model);                                                                               \
        m.member = (number);                                                                       \
        make_cbm(&f, &m);                                                                          \
        assert_cbm_refused(&f, expected);                                                          \
    } while (0)
    REFUSE(oblivious, n_outputs, 0, "the number of outputs is 0, expected 1 to");
    REFUSE(oblivious, n_outputs, 2, "name: tree 0: the leaves do not fit the rest of the file");
    REFUSE(oblivious, n_trees, 0, "the model has no trees");
    REFUSE(oblivious, size[0], 4,
           "tree 0: the number of splits, 4, exceeds 24 or the rest of the file");
    REFUSE(oblivious, size[0], 2, "tree 1: starts at split 3, expected 2");
    REFUSE(oblivious, n_values, 7, "tree 0: the leaves do not fit the rest of the file");
    REFUSE(oblivious, split[1], 5,
           "tree 0: split 1: border 5 is out of range (the number of borders is 5)");
    REFUSE(oblivious, scale, INFINITY, "the scale of scores is not finite");
    REFUSE(oblivious, bias[0], NAN, "the base score of output 0 must be finite");
    REFUSE(oblivious, value[3], NAN, "the value of a leaf must be finite");
    REFUSE(oblivious, feature[0].column, 16000000,
           "FlatIndex of a feature: 16000000 is out of range (0 to");
    REFUSE(oblivious, feature[0].treatment, 3,
           "NanValueTreatment of a feature: 3 is out of range (0 to 2)");
    REFUSE(oblivious, feature[0].border[1], 0.5F, "borders must be increasing");
    REFUSE(oblivious, feature[0].border[1], INFINITY, "a border is not a number");
    REFUSE(other, step[0], 3, "tree 0: node 0: a child is outside the tree");
    REFUSE(other, step[2], 0, "name: tree 0, node 2: the node cannot be reached from the root");
    REFUSE(other, leaf[2], 7, "tree 0: node 2: the values of its leaf are outside the file");
    REFUSE(other, size[0], 5,
           "tree 0: the number of nodes, 5, is 0 or exceeds the rest of the file");
    REFUSE(other, split[1], 2,
           "tree 0: split 1: border 2 is out of range (the number of borders is");
    m = other;
    m.n_categories = 1;
    m.category[0] = (struct made_category){.column = 5, .n_hashes = 2, .hash = {4, 3}};
    make_cbm(&f, &m);
    assert_cbm_refused(&f, "the values of categories must be increasing");
    m.category[0].hash[1] = 5;
    m.split[1] = 4;
    make_cbm(&f, &m);
    assert_cbm_refused(&f,
                       "tree 0: split 1: border 4 is out of range (the number of borders is 4)");
    m = other; /* leaves that share values */
    m.n_values = 6;
    m.leaf[3] = 0;
    make_cbm(&f, &m);
    assert_cbm_refused(&f, "tree 1: node 3: the trees have more leaves than the file has values");
}

static void test_damaged_files(void **state) {
    (void)state;
    static struct made_file f, changed;
    make_cbm(&f, &other);
    for (size_t size = 8; size < f.size; size++) {
        changed = f;
        changed.size = size;
        assert_cbm_refused(&changed, "name: the file is shorter than its header states");
    }
    for (size_t i = 4; i < f.size; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            struct ensemble *e = NULL;
            struct error error = {""};
            changed = f;
            changed.bytes[i] ^= (unsigned char)(1U << bit);
            if (read_copy("catboost", (const char *)changed.bytes, f.size, &e, &error))
                assert_memory_equal(error.text, "name: ", 6);
            ensemble_free(e);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_size),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_oblivious_by_hand),
        cmocka_unit_test(test_other_trees_by_hand),
        cmocka_unit_test(test_json_says_the_same),
        cmocka_unit_test(test_other_features_are_refused),
        cmocka_unit_test(test_shared_lists),
        cmocka_unit_test(test_list_behind_the_end),
        cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_damaged_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
