/* treebench's JSON, written and read. */
#include "base/files/file.h"
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/categories.h"
#include "tests/models/reading.h"
#include "tests/models/same.h"

static char *write_text(const struct ensemble *e) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_int_equal(format_named("treebench")->write(e, stream, NULL), STATUS_OK);
    fclose(stream);
    return text;
}

/* --- random ensembles with everything in them ------------------------------------------------- */

/* Any bit pattern except NaN. Subnormals, infinities and both zeros are frequent enough. */
static float random_threshold(struct random *random) {
    static const float special[] = {0, -0.0F, INFINITY, -INFINITY, 1e-45F, -1e-45F, 3.4028235e38F};
    uint64_t draw = random_below(random, 40);
    if (draw < sizeof special / sizeof *special)
        return special[draw];
    float value = NAN;
    while (isnan(value)) {
        uint32_t bits = (uint32_t)random_u64(random);
        memcpy(&value, &bits, sizeof value);
    }
    return value;
}

static double random_value(struct random *random) {
    double value = NAN;
    while (!isfinite(value)) {
        uint64_t bits = random_u64(random);
        memcpy(&value, &bits, sizeof value);
    }
    return value;
}

/* The children of node i are 2i+1 and 2i+2 or, with equal probability, nodes form a chain. */
static void add_random_tree(struct ensemble_builder *b, struct random *random, uint32_t n_outputs,
                            bool counts, bool nan_left) {
    uint32_t n_inner = (uint32_t)random_below(random, 20);
    bool chain = random_below(random, 2) == 0;
    ensemble_builder_add_tree(b, (uint32_t)random_below(random, n_outputs));
    for (uint32_t i = 0; i < n_inner; i++) {
        uint32_t left = chain ? n_inner + i : 2 * i + 1;
        uint32_t right = chain ? (i + 1 < n_inner ? i + 1 : 2 * n_inner) : 2 * i + 2;
        ensemble_builder_add_inner(
            b, &(struct inner_node){.feature = (uint32_t)random_below(random, 9),
                                    .threshold = random_threshold(random),
                                    .left = left,
                                    .right = right,
                                    .nan_left = nan_left && random_below(random, 2),
                                    .count = counts ? random_u64(random) >>
                                                          (11 + random_below(random, 53))
                                                    : ENSEMBLE_NO_COUNT});
    }
    for (uint32_t i = 0; i <= n_inner; i++)
        ensemble_builder_add_leaf(b, random_value(random),
                                  counts ? random_below(random, 100) : ENSEMBLE_NO_COUNT);
}

static struct ensemble *random_ensemble(uint64_t seed) {
    struct random random;
    random_seed(&random, seed);
    struct ensemble_builder *b = ensemble_builder_create();
    uint32_t n_outputs = 1 + (uint32_t)random_below(&random, 3);
    const double base[3] = {random_value(&random), random_value(&random), random_value(&random)};
    uint64_t kind = random_below(&random, 4);
    for (uint64_t t = 1 + random_below(&random, 5); t > 0; t--)
        add_random_tree(b, &random, n_outputs, kind & 1, kind & 2);
    struct ensemble *e = NULL;
    struct error error;
    const struct ensemble_shape shape = {.n_features = 9, .n_outputs = n_outputs, .base = base};
    if (ensemble_builder_finish(b, &shape, &e, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return e;
}

static void test_round_trip(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct ensemble *e = random_ensemble(seed);
        char *text = write_text(e);
        struct ensemble *back = read_good("treebench", text);
        char *again = write_text(back);
        assert_true(same_ensemble(e, back));
        assert_string_equal(text, again);
        free(text);
        free(again);
        ensemble_free(e);
        ensemble_free(back);
    }
}

static void test_thresholds_survive(void **state) {
    (void)state;
    enum { THRESHOLDS = 100 * 1000 };
    struct random random;
    random_seed(&random, 1);
    struct ensemble_builder *b = ensemble_builder_create();
    for (int t = 0; t < THRESHOLDS; t++) {
        ensemble_builder_add_tree(b, 0);
        ensemble_builder_add_inner(b, &(struct inner_node){.threshold = random_threshold(&random),
                                                           .left = 1,
                                                           .right = 2,
                                                           .count = ENSEMBLE_NO_COUNT});
        ensemble_builder_add_leaf(b, 0, ENSEMBLE_NO_COUNT);
        ensemble_builder_add_leaf(b, 1, ENSEMBLE_NO_COUNT);
    }
    struct ensemble *e = NULL;
    assert_int_equal(ensemble_builder_finish(b, &(struct ensemble_shape){0}, &e, NULL), STATUS_OK);
    char *text = write_text(e);
    struct ensemble *back = read_good("treebench", text);
    assert_true(same_ensemble(e, back));
    free(text);
    ensemble_free(e);
    ensemble_free(back);
}

static void test_counts_over_2_53_are_refused(void **state) {
    (void)state;
    struct ensemble_builder *b = ensemble_builder_create();
    ensemble_builder_add_tree(b, 0);
    ensemble_builder_add_leaf(b, 0, ((uint64_t)1 << 53) + 1);
    struct ensemble *e = NULL;
    assert_int_equal(ensemble_builder_finish(b, &(struct ensemble_shape){0}, &e, NULL), STATUS_OK);
    assert_int_equal(format_named("treebench")->write(e, stdout, NULL), STATUS_UNSUPPORTED);
    ensemble_free(e);
}

/* --- the documentation's example -------------------------------------------------------------- */

/* The block ```json ... ``` of docs/formats.md; tests run in the root of the source tree. */
static char *documented_example(void) {
    static const char begin[] = "```json\n";
    struct file_text page;
    struct error error;
    if (file_read("docs/formats.md", &page, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    const char *example = strstr(page.data, begin);
    assert_non_null(example);
    example += sizeof begin - 1;
    const char *end = strstr(example, "```");
    assert_non_null(end);
    char *text = strndup(example, (size_t)(end - example));
    file_text_free(&page);
    return text;
}

static void test_documented_example(void **state) {
    (void)state;
    char *text = documented_example();
    struct ensemble *e = read_good("treebench", text);
    assert_true(score_by_walking(e, (float[]){7, 7, 0.1F}, 0) == 2.5);
    assert_true(score_by_walking(e, (float[]){7, 7, NAN}, 0) == 2.5);
    assert_true(score_by_walking(e, (float[]){7, 7, 0.11F}, 0) == 3.5);
    assert_true(score_by_walking(e, (float[]){-INFINITY, 7, 0}, 0) == 1.5);
    assert_true(score_by_walking(e, (float[]){7, 7, 0.1F}, 1) == 3.25);
    assert_int_equal(e->node_count[1], 4);
    assert_int_equal(e->leaf_count[2], 6);
    char *again = write_text(e);
    assert_string_equal(text, again);
    free(again);
    free(text);
    ensemble_free(e);
}

static void test_cut_anywhere(void **state) {
    (void)state;
    char *text = documented_example();
    assert_cut_anywhere("treebench", text);
    free(text);
}

/* --- bad files -------------------------------------------------------------------------------- */

#define HEADER "\"format\":\"treebench\",\"version\":1,\"features\":3,\"outputs\":1,\"base\":[0]"
#define TREES(trees) "{" HEADER ",\"trees\":[" trees "]}"
#define SPLIT(feature, threshold, left, right, value)                                              \
    TREES("{\"output\":0,\"feature\":[" feature "],\"threshold\":[" threshold "],\"left\":[" left  \
          "],\"right\":[" right "],\"value\":[" value "]}")
#define STUMP_WITH(more)                                                                           \
    TREES("{\"output\":0,\"feature\":[0],\"threshold\":[1],\"left\":[-1],\"right\":[-2],"          \
          "\"value\":[1,2]" more "}")

static void test_bad_files(void **state) {
    (void)state;
    static const struct bad_text bad[] = {
        {"", "name:1:"},
        {"[]", "name:1: expected a JSON object"},
        {"{\"version\":1}", "name:1: format: missing"},
        {"{\"format\":\"xgboost\"}", "name:1: format: expected \"treebench\", found \"xgboost\""},
        {"{\"format\":\"treebench\"}", "name:1: version: missing"},
        {"{\"format\":\"treebench\",\"version\":2}", "name:1: version: 2 is not supported"},
        {"{" HEADER "}", "name:1: trees: missing"},
        {"{" HEADER ",\"trees\":[],\"hue\":1}", "name:1: hue: unknown"},
        {TREES(""), "name: the model has no trees"},
        {TREES("1"), "name:1: trees: expected an array of objects"},
        {TREES("{}"), "name:1: tree 0: output: missing"},
        {TREES("{\"output\":1}"), "name:1: tree 0: output:"},
        {TREES("{\"output\":0}"), "name:1: tree 0: feature: missing"},
        {STUMP_WITH(",\"left\":[-1]"), "name:1: tree 0: left: duplicate key"},
        {STUMP_WITH(",\"Left\":[1]"), "name:1: tree 0: Left: unknown"},
        {STUMP_WITH(",\"nan_left\":[1,0]"), "name:1: tree 0: nan_left: length is 2, expected"},
        {STUMP_WITH(",\"nan_left\":[2]"),
         "name:1: tree 0: nan_left: entry 1: expected an integer from 0 to 1"},
        {STUMP_WITH(",\"nan_left\":[true]"), "name:1: tree 0: nan_left: entry 1"},
        {STUMP_WITH(",\"leaf_count\":[1,2]"), "name:1: tree 0: node_count: missing"},
        {STUMP_WITH(",\"node_count\":[1]"), "name:1: tree 0: leaf_count: missing"},
        {STUMP_WITH(",\"node_count\":[-1],\"leaf_count\":[1,2]"),
         "name:1: tree 0: node_count: entry 1"},
        {STUMP_WITH(",\"node_count\":[1],\"leaf_count\":[1,2.5]"),
         "name:1: tree 0: leaf_count: entry 2"},
        {SPLIT("3", "1", "-1", "-2", "1,2"),
         "name: tree 0, node 0: feature 3 is out of range (0 to 2)"},
        {SPLIT("0,1", "1", "-1", "-2", "1,2"), "name:1: tree 0: threshold: length is 1, expected"},
        {SPLIT("0", "1e39", "-1", "-2", "1,2"), "name:1: tree 0: threshold: entry 1: expected"},
        {SPLIT("0", "\"nan\"", "-1", "-2", "1,2"), "name:1: tree 0: threshold: entry 1: expected"},
        {SPLIT("0", "null", "-1", "-2", "1,2"), "name:1: tree 0: threshold: entry 1: expected"},
        {SPLIT("0", "1", "1", "-2", "1,2"),
         "name:1: tree 0: left: entry 1: expected an integer from -2 to 0"},
        {SPLIT("0", "1", "-1", "-3", "1,2"),
         "name:1: tree 0: right: entry 1: expected an integer from -2 to 0"},
        {SPLIT("0", "1", "-1", "-1", "1,2"), "name: tree 0, node 0: its child 1"},
        {SPLIT("0", "1", "-1", "-2", "1"), "name:1: tree 0: value: length is 1, expected 2"},
        {SPLIT("0", "1", "-1", "-2", "1,1e999"), "name:1: tree 0: value: entry 2: expected"},
        {SPLIT("0.5", "1", "-1", "-2", "1,2"), "name:1: tree 0: feature: entry 1: expected"},
        {"{\"format\":\"treebench\",\"version\":1,\"features\":0,\"outputs\":1}",
         "name:1: features: expected an integer from 1 to 16000000"},
        {"{\"format\":\"treebench\",\"version\":1,\"features\":1,\"outputs\":2,\"base\":[0],"
         "\"trees\":[]}",
         "name:1: base: length is 1, expected 2"},
        {"{\"format\":\"treebench\",\"version\":1,\"features\":1,\"outputs\":1,\"base\":[\"0\"]}",
         "name:1: base: entry 1: expected a finite number"},
    };
    assert_refused("treebench", bad, sizeof bad / sizeof *bad);
}

/* Facts about documents, which change scores: written, and read again. */
static void test_facts_survive(void **state) {
    (void)state;
    static const char *const unknown[] = {"missing", "refused"};
    for (int refused = 0; refused < 2; refused++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "{\"format\":\"treebench\",\"version\":1,\"features\":1,\"outputs\":1,\"base\":[0],"
            "\"first_feature_is_empty\":1,\"unknown_category\":\"%s\","
            "\"categories\":{\"0\":[\"x\"]},"
            "\"trees\":[{\"output\":0,\"feature\":[],\"threshold\":[],\"left\":[],\"right\":[],"
            "\"value\":[1]}]}",
            unknown[refused]);
        struct ensemble *e = read_good("treebench", text);
        char *written = write_text(e);
        struct ensemble *back = read_good("treebench", written);
        assert_true(e->first_is_empty && back->first_is_empty);
        assert_int_equal(categories_refuse_unknown(e->categories), refused);
        assert_int_equal(categories_refuse_unknown(back->categories), refused);
        ensemble_free(back);
        ensemble_free(e);
        free(written);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_thresholds_survive),
        cmocka_unit_test(test_counts_over_2_53_are_refused),
        cmocka_unit_test(test_facts_survive),
        cmocka_unit_test(test_documented_example),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
