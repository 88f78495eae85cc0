/* The quality of a trained model: against values worked out by hand, and as lines of a file. */
#include "base/origin.h"
#include "harness/quality/quality.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- a model and documents ---------------------------------------------------------------------
 * Two trees over four features:
 *   x0 <= 0.5 ? (x1 <= 0.5 ? 3 : 2) : 1      and      x0 <= 0.5 ? 0 : (x2 <= 0.5 ? 0 : 0.5)
 * No tree tests x3. */
static struct ensemble *make_model(void) {
    struct ensemble_builder *b = ensemble_builder_create();
    ensemble_builder_add_tree(b, 0);
    ensemble_builder_add_inner(
        b,
        &(struct inner_node){
            .feature = 0, .threshold = 0.5, .left = 1, .right = 2, .nan_left = false, .count = 1});
    ensemble_builder_add_inner(
        b,
        &(struct inner_node){
            .feature = 1, .threshold = 0.5, .left = 3, .right = 4, .nan_left = false, .count = 1});
    ensemble_builder_add_leaf(b, 1, 1);
    ensemble_builder_add_leaf(b, 3, 1);
    ensemble_builder_add_leaf(b, 2, 1);
    ensemble_builder_add_tree(b, 0);
    ensemble_builder_add_inner(
        b,
        &(struct inner_node){
            .feature = 0, .threshold = 0.5, .left = 1, .right = 2, .nan_left = true, .count = 1});
    ensemble_builder_add_leaf(b, 0, 1);
    ensemble_builder_add_inner(
        b,
        &(struct inner_node){
            .feature = 2, .threshold = 0.5, .left = 3, .right = 4, .nan_left = false, .count = 1});
    ensemble_builder_add_leaf(b, 0, 1);
    ensemble_builder_add_leaf(b, 0.5, 1);
    struct ensemble *e = NULL;
    const struct ensemble_shape shape = {.n_features = 4,
                                         .note = "trained on a stand-in",
                                         .origin = ORIGIN_STAND_IN | ORIGIN_TRAINED};
    assert_int_equal(ensemble_builder_finish(b, &shape, &e, NULL), STATUS_OK);
    return e;
}

enum { ROWS = 4 };

/* Two queries of two documents. Scores: 3, 2 and 1.5, 1. */
static struct matrix *make_documents(const float labels[ROWS]) {
    static const float values[ROWS][4] = {{0, 0, 0, 9}, {0, 1, 0, 9}, {1, 0, 1, 9}, {1, 0, 0, 9}};
    struct matrix *m = NULL;
    assert_int_equal(matrix_create(ROWS, 4, &m, NULL), STATUS_OK);
    m->labels = malloc(ROWS * sizeof *m->labels);
    m->query_row = malloc(3 * sizeof *m->query_row);
    m->query_id = calloc(2, sizeof *m->query_id);
    m->n_queries = 2;
    for (size_t q = 0; q < 3; q++)
        m->query_row[q] = 2 * q;
    for (size_t row = 0; row < ROWS; row++) {
        memcpy(matrix_row(m, row), values[row], sizeof values[row]);
        m->labels[row] = labels[row];
    }
    return m;
}

static struct trained make_trained(void) {
    struct trained trained = {.ensemble = make_model()};
    trained.fold.train = make_documents((float[]){0, 1, 0, 1});
    trained.fold.validation = make_documents((float[]){0, 1, 0, 1});
    trained.fold.test = make_documents((float[]){0, 1, 0, 0});
    return trained;
}

static const struct workload asked = {.kind = "trained",
                                      .data = "mq2008",
                                      .trees = 7,
                                      .max_leaves = 3,
                                      .patience = 20,
                                      .features = 700,
                                      .documents = UINT64_MAX,
                                      .trial = 4,
                                      .seed = 1ull << 63};

static struct quality make_quality(void) {
    struct trained trained = make_trained();
    struct quality quality;
    struct error error;
    if (quality_measure(&asked, &trained, &quality, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    trained_free(&trained);
    return quality;
}

/* --- measuring -------------------------------------------------------------------------------- */

/* The first two documents' paths test x0 and x1, the others' x0 and x2: half of four features. A
 * NaN in x0 goes right in the first tree and left in the second: x0 alone. */
static void examined_features_are_counted_by_document(void **state) {
    (void)state;
    struct ensemble *e = make_model();
    struct matrix *m = make_documents((float[]){0, 0, 0, 0});
    assert_true(quality_share_examined(e, m) == 0.5);
    matrix_row(m, 0)[0] = NAN;
    assert_true(quality_share_examined(e, m) == 7.0 / 16);
    assert_true(ensemble_mean_depth(e) == 2);
    matrix_free(m);
    ensemble_free(e);
}

/* The relevant document of the first query is ranked second; the second query has none. */
static void ndcg_is_of_the_test_documents(void **state) {
    (void)state;
    struct quality q = make_quality();
    const double second = 1 / log2(3);
    static const int by_rank[QUALITY_RANKS] = {0, 1, 1, 1, 1, 1};
    for (size_t i = 0; i < QUALITY_RANKS; i++) {
        assert_true(fabs(q.of_queries[2 * i] - by_rank[i] * second) < 1e-12);
        assert_true(q.of_queries[2 * i + 1] == 0);
        assert_true(fabs(q.ndcg[i] - by_rank[i] * second / 2) < 1e-12);
    }
    assert_int_equal(q.trees, 2);
    assert_int_equal(q.features, 4);
    assert_int_equal(q.test.rows, 4);
    assert_int_equal(q.test.queries, 2);
    assert_string_equal(q.note, "trained on a stand-in");
    assert_int_equal(q.origin, ORIGIN_STAND_IN | ORIGIN_TRAINED);
    quality_free(&q);
}

/* --- lines ------------------------------------------------------------------------------------ */

static void assert_same(const struct quality *a, const struct quality *b) {
    assert_int_equal(memcmp(&a->workload, &b->workload, sizeof a->workload), 0);
    assert_string_equal(a->note, b->note);
    assert_int_equal(a->origin, b->origin);
    assert_int_equal(memcmp(a->ndcg, b->ndcg, sizeof a->ndcg), 0);
    assert_int_equal(
        memcmp(a->of_queries, b->of_queries, QUALITY_RANKS * 2 * sizeof *a->of_queries), 0);
    assert_int_equal(memcmp(&a->train, &b->train, sizeof a->train), 0);
    assert_int_equal(memcmp(&a->test, &b->test, sizeof a->test), 0);
    assert_int_equal(a->trees, b->trees);
    assert_true(a->examined == b->examined && a->mean_tree_depth == b->mean_tree_depth);
}

static void what_is_written_is_read(void **state) {
    (void)state;
    struct quality written = make_quality(), read;
    cJSON *json = quality_lines.to_json(&written);
    struct error error;
    if (quality_lines.from_json("name", json, &read, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_same(&written, &read);
    quality_free(&read);
    quality_free(&written);
    cJSON_Delete(json);
}

/* Lines of schema 1 have a note alone. */
static void lines_of_the_first_schema_are_read(void **state) {
    (void)state;
    struct quality written = make_quality(), read;
    cJSON *json = quality_lines.to_json(&written);
    struct error error;
    cJSON_DeleteItemFromObject(json, "origin");
    cJSON_SetNumberValue(cJSON_GetObjectItem(json, "schema"), 1);
    if (quality_lines.from_json("name", json, &read, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_same(&written, &read);
    quality_free(&read);
    quality_free(&written);
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
    quality_free(&quality);
    cJSON_Delete(json);
}

static void other_lines_are_refused(void **state) {
    (void)state;
    check_refused("schema", "3", "schema 3 is not supported");
    check_refused("schema", NULL, "\"schema\": 2");
    check_refused("colour", "1", "colour: unknown key");
    check_refused("trees", NULL, "trees");
    check_refused("seed", "\"-1\"", "seed: \"-1\" is not an integer");
    check_refused("features_examined", "1.5", "features_examined");
    check_refused("test", "{\"rows\":9,\"queries\":1000000}", "queries");
    check_refused("test", "{\"rows\":9,\"queries\":3}", "one number for each test query");
    check_refused("ndcg_of_queries", "{\"1\":[0,1],\"3\":[0,2]}", "numbers from 0 to 1");
    check_refused("ndcg_of_queries", "{\"1\":[0,1],\"3\":[0]}", "must have 2 numbers");
}

/* --- the file --------------------------------------------------------------------------------- */

static char folder[] = "/tmp/test_quality.XXXXXX";

static int set_up(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/test_quality.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "%s/quality.jsonl", folder);
    unlink(path);
    return rmdir(folder);
}

static void append(bool resume, uint32_t trial) {
    struct quality quality = make_quality();
    struct json_store store;
    struct error error;
    quality.workload.trial = trial;
    if (json_store_open(&quality_lines, folder, resume, &store, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_null(quality_find(&store.found, &quality.workload));
    assert_int_equal(json_store_append(&store, &quality, NULL), STATUS_OK);
    json_store_close(&store);
    quality_free(&quality);
}

static size_t count_lines(void) {
    struct json_list list;
    struct error error;
    if (json_list_load(&quality_lines, folder, &list, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    size_t count = list.count;
    for (size_t i = 0; i < count; i++) {
        struct workload workload = asked;
        workload.trial = (uint32_t)i;
        assert_ptr_equal(quality_find(&list, &workload), &((struct quality *)list.list)[i]);
        workload.trees++;
        assert_null(quality_find(&list, &workload));
    }
    json_list_free(&quality_lines, &list);
    return count;
}

static void a_torn_line_is_cut_off(void **state) {
    (void)state;
    char path[64];
    assert_int_equal(count_lines(), 0);
    append(false, 0);
    append(true, 1);
    assert_int_equal(count_lines(), 2);
    snprintf(path, sizeof path, "%s/quality.jsonl", folder);
    FILE *stream = fopen(path, "a");
    fputs("{\"schema\":1,\"data", stream);
    fclose(stream);
    assert_int_equal(count_lines(), 2);
    append(true, 2);
    assert_int_equal(count_lines(), 3);
}

static void it_is_not_mixed_with_another_run(void **state) {
    (void)state;
    struct json_store store, second;
    struct error error;
    append(false, 0);
    assert_int_equal(json_store_open(&quality_lines, folder, false, &store, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "--resume"));
    assert_int_equal(json_store_open(&quality_lines, folder, true, &store, &error), STATUS_OK);
    assert_int_equal(json_store_open(&quality_lines, folder, true, &second, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "another run is writing here"));
    json_store_close(&store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examined_features_are_counted_by_document),
        cmocka_unit_test(ndcg_is_of_the_test_documents),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(lines_of_the_first_schema_are_read),
        cmocka_unit_test(other_lines_are_refused),
        cmocka_unit_test_setup_teardown(a_torn_line_is_cut_off, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_is_not_mixed_with_another_run, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
