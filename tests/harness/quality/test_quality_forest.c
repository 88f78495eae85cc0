/* The accuracy of a forest: against values worked out by hand, and as a line of quality.jsonl. */
#include "harness/quality/quality.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { TREES = 3, ROWS = 4 };

/* Trees of one test, x0 <= 0.5, with these leaves. */
static struct ensemble *make_trees(const double leaves[TREES][2], bool votes) {
    struct ensemble_builder *b = ensemble_builder_create();
    for (size_t t = 0; t < TREES; t++) {
        const struct inner_node node = {
            .feature = 0, .threshold = 0.5, .left = 1, .right = 2, .count = 1};
        ensemble_builder_add_tree(b, 0);
        ensemble_builder_add_inner(b, &node);
        ensemble_builder_add_leaf(b, leaves[t][0], 1);
        ensemble_builder_add_leaf(b, leaves[t][1], 1);
    }
    struct ensemble *e = NULL;
    const struct ensemble_shape shape = {
        .n_features = 1, .n_outputs = votes ? 2 : 1, .votes = votes};
    assert_int_equal(ensemble_builder_finish(b, &shape, &e, NULL), STATUS_OK);
    return e;
}

static struct matrix *make_documents(const float labels[ROWS]) {
    static const float values[ROWS] = {0, 0, 1, 1};
    struct matrix *m = NULL;
    assert_int_equal(matrix_create(ROWS, 1, &m, NULL), STATUS_OK);
    m->labels = malloc(ROWS * sizeof *m->labels);
    for (size_t row = 0; row < ROWS; row++) {
        matrix_row(m, row)[0] = values[row];
        m->labels[row] = labels[row];
    }
    return m;
}

static const struct workload asked = {
    .kind = "extra-trees", .data = "letter", .depth = 15, .trees = TREES, .seed = 1ull << 60};

/* Left of the test, two of three trees vote for class 1, but the shares say class 0. Right of it,
 * both say class 0. */
static struct quality make_quality(void) {
    struct trained trained = {
        .ensemble = make_trees((const double[TREES][2]){{1, 0}, {1, 0}, {0, 0}}, true),
        .shares =
            make_trees((const double[TREES][2]){{0.1, -0.5}, {0.1, -0.5}, {-0.9, -0.5}}, false)};
    trained.fold.train = make_documents((float[]){0, 1, 0, 1});
    trained.fold.test = make_documents((float[]){1, 0, 0, 1});
    struct quality quality;
    struct error error;
    if (quality_measure(&asked, &trained, &quality, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    trained_free(&trained);
    return quality;
}

static void votes_and_shares_are_counted(void **state) {
    (void)state;
    struct quality q = make_quality();
    assert_int_equal(q.right, 2);
    assert_int_equal(q.votes_only, 1);
    assert_int_equal(q.shares_only, 1);
    assert_int_equal(q.test.rows, ROWS);
    assert_int_equal(q.test.queries, 0);
    assert_null(q.of_queries);
    quality_free(&q);
}

static void what_is_written_is_read(void **state) {
    (void)state;
    struct quality written = make_quality(), read;
    struct error error;
    cJSON *json = quality_lines.to_json(&written);
    assert_non_null(json);
    if (quality_lines.from_json("name", json, &read, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(memcmp(&written.workload, &read.workload, sizeof read.workload), 0);
    assert_int_equal(read.right, 2);
    assert_int_equal(read.votes_only, 1);
    assert_int_equal(read.shares_only, 1);
    assert_int_equal(read.train.rows, ROWS);
    assert_int_equal(read.trees, TREES);
    cJSON_Delete(json);
}

static void check_refused(const char *key, const char *value, const char *words) {
    struct quality quality = make_quality(), read;
    struct error error = {""};
    cJSON *json = quality_lines.to_json(&quality);
    cJSON_DeleteItemFromObject(json, key);
    if (value)
        cJSON_AddItemToObject(json, key, cJSON_Parse(value));
    assert_int_equal(quality_lines.from_json("name:1", json, &read, &error), STATUS_INPUT);
    if (strncmp(error.text, "name:1: ", 8) != 0 || !strstr(error.text, words))
        fail_msg("'%s' is not in '%s'", words, error.text);
    cJSON_Delete(json);
}

static void other_lines_are_refused(void **state) {
    (void)state;
    check_refused("learner", "\"trained\"", "learner: \"trained\" is not random-forest");
    check_refused("learner", NULL, "max_leaves");
    check_refused("max_depth", "0", "max_depth");
    check_refused("right", "5", "right");
    check_refused("votes_only", "3", "votes_only");
    check_refused("shares_only", "3", "shares_only");
    check_refused("shares_only", NULL, "shares_only");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(votes_and_shares_are_counted),
                                       cmocka_unit_test(what_is_written_is_read),
                                       cmocka_unit_test(other_lines_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
