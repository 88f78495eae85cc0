/* Grown trees and copies: shapes, thresholds from the documents, counts, notes, identical bytes. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/hash.h"
#include "models/format.h"
#include "synth/grown.h"
#include "synth/standin.h"
#include "synth/synth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Computed once. Update it, and mention it, if the meaning of a seed changes. */
#define GOLDEN_GROWN 0x48833d3814e5c98fu

static struct matrix *make_documents(size_t n_rows) {
    const struct data_set *set;
    struct matrix *matrix = NULL;
    struct error error = {""};
    if (data_set_find("mq2008", &set, &error) || synth_standin(set, n_rows, 1, &matrix, &error))
        fail_msg("%s", error.text);
    return matrix;
}

static struct ensemble *grow(const struct matrix *documents, uint32_t n_trees, uint32_t leaves,
                             uint64_t seed) {
    struct ensemble *ensemble = NULL;
    struct error error = {""};
    if (synth_grown(documents, &(struct grown_shape){n_trees, leaves}, seed, &ensemble, &error))
        fail_msg("%s", error.text);
    return ensemble;
}

static void the_same_seed_gives_the_same_bytes(void **state) {
    (void)state;
    struct matrix *documents = make_documents(2000);
    struct ensemble *e = grow(documents, 5, 31, 7);
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < e->n_nodes; i++) {
        uint32_t bits;
        memcpy(&bits, &e->threshold[i], sizeof bits);
        hash = (hash ^ bits ^ ((uint64_t)e->feature[i] << 32)) * 0x100000001b3u;
    }
    if (hash != GOLDEN_GROWN)
        fail_msg("0x%llx", (unsigned long long)hash);
    ensemble_free(e);
    matrix_free(documents);
}

/* A tree has documents for all requested leaves, if there are enough. */
static void large_trees_have_the_leaves_that_are_asked_for(void **state) {
    (void)state;
    struct matrix *documents = make_documents(GROWN_ROWS);
    struct ensemble *e = grow(documents, 2, 512, 7);
    assert_int_equal(e->n_leaves, 2 * 512);
    ensemble_free(e);
    matrix_free(documents);
}

static void fewer_trees_are_the_beginning_of_more(void **state) {
    (void)state;
    struct matrix *documents = make_documents(2000);
    struct ensemble *few = grow(documents, 4, 31, 7), *more = grow(documents, 9, 31, 7);
    assert_true(more->n_nodes > few->n_nodes);
    ensemble_keep_first(more, 4);
    assert_int_equal(more->n_trees, few->n_trees);
    assert_int_equal(more->n_nodes, few->n_nodes);
    assert_int_equal(more->n_leaves, few->n_leaves);
    assert_memory_equal(more->feature, few->feature, few->n_nodes * sizeof *few->feature);
    assert_memory_equal(more->threshold, few->threshold, few->n_nodes * sizeof *few->threshold);
    assert_memory_equal(more->value, few->value, few->n_leaves * sizeof *few->value);
    ensemble_keep_first(more, 5); /* the model has no more */
    assert_int_equal(more->n_trees, 4);
    ensemble_free(few);
    ensemble_free(more);
    matrix_free(documents);
}

/* LambdaMART's trees of 30 leaves have a mean depth of 11.3 (asadi2014, Table 3). XGBoost's of 32
 * leaves on the MSLR-WEB30K sample have 10.9, and a document takes 6.9 decisions. Trees of C14 are
 * deeper: 19.8 with 70 leaves, against 18.0 of MSLR-WEB10K. */
static void trees_have_the_shapes_of_trained_ones(void **state) {
    (void)state;
    struct matrix *documents = make_documents(5000);
    struct ensemble *e = grow(documents, 50, 31, 1);
    struct ensemble_stats stats;
    assert_int_equal(ensemble_compute_stats(e, &stats, NULL), STATUS_OK);
    assert_int_equal(stats.trees, 50);
    assert_int_equal(stats.leaves_max, 31);
    assert_true(stats.leaves_mean > 30);
    assert_true(stats.depth_mean > 10 && stats.depth_mean < 15);
    assert_true(stats.path_mean > 6.5 && stats.path_mean < 8.5);
    assert_true(stats.path_weighted > 5 && stats.path_weighted < 7.5);
    ensemble_free(e);
    matrix_free(documents);
}

/* In trained models, few nodes are false: 14 % in RankLib's LambdaMART on MSLR-WEB10K. The
 * branches of lettich2018, Table 5, allow 11 %. */
static void few_nodes_are_false(void **state) {
    (void)state;
    struct matrix *documents = make_documents(5000);
    static const uint32_t leaves[] = {10, 32, 64};
    for (size_t i = 0; i < 3; i++) {
        struct ensemble *e = grow(documents, 100, leaves[i], 3);
        uint64_t falses = 0;
        for (size_t row = 0; row < 500; row++)
            for (size_t node = 0; node < e->n_nodes; node++)
                falses +=
                    !ensemble_goes_left(e, node, matrix_row(documents, row)[e->feature[node]]);
        double share = (double)falses / (500.0 * (double)e->n_nodes);
        if (share < 0.07 || share > 0.15)
            fail_msg("%u leaves: %g", leaves[i], share);
        ensemble_free(e);
    }
    matrix_free(documents);
}

/* If every threshold sends half of the documents right, trees grow all the same. */
static void halves_are_split_if_there_is_nothing_else(void **state) {
    (void)state;
    struct matrix *documents;
    assert_int_equal(matrix_create(256, 8, &documents, NULL), STATUS_OK);
    for (size_t row = 0; row < 256; row++)
        for (size_t f = 0; f < 8; f++)
            matrix_row(documents, row)[f] = (float)(row >> f & 1);
    struct ensemble *e = grow(documents, 10, 16, 1);
    assert_int_equal(e->n_leaves, 10 * 16);
    ensemble_free(e);
    matrix_free(documents);
}

/* Both sides of every threshold have documents, and counts add up. */
static void thresholds_lie_among_the_documents(void **state) {
    (void)state;
    struct matrix *documents = make_documents(3000);
    struct ensemble *e = grow(documents, 10, 20, 1);
    for (size_t i = 0; i < e->n_nodes; i++) {
        size_t left = 0;
        for (size_t row = 0; row < documents->n_rows; row++)
            left += matrix_row(documents, row)[e->feature[i]] <= e->threshold[i];
        assert_in_range(left, 1, documents->n_rows - 1);
    }
    for (size_t i = 0; i < e->n_leaves; i++)
        assert_true(e->leaf_count[i] >= 1);
    for (uint32_t t = 0; t < e->n_trees; t++) {
        uint64_t sum = 0;
        for (size_t i = e->tree_leaf[t]; i < e->tree_leaf[t + 1]; i++)
            sum += e->leaf_count[i];
        assert_int_equal(sum, e->node_count[e->tree_node[t]]);
    }
    ensemble_free(e);
    matrix_free(documents);
}

/* NaN, infinities, constants and single steps: every tree is valid, whatever the documents. */
static void odd_documents_are_fine(void **state) {
    (void)state;
    struct matrix *documents;
    assert_int_equal(matrix_create(100, 5, &documents, NULL), STATUS_OK);
    for (size_t row = 0; row < 100; row++) {
        float *values = matrix_row(documents, row);
        values[0] = row % 3 == 0 ? NAN : row % 3 == 1 ? INFINITY : -INFINITY;
        values[1] = 5;
        values[2] = NAN;
        values[3] = row < 50 ? 1 : nextafterf(1, 2);
        values[4] = row % 2 ? -3e38f : 3e38f;
    }
    struct ensemble *e = grow(documents, 30, 8, 1);
    for (size_t i = 0; i < e->n_nodes; i++) {
        assert_true(e->feature[i] != 1 && e->feature[i] != 2);
        if (e->feature[i] == 3)
            assert_true(e->threshold[i] == 1);
    }
    ensemble_free(e);

    for (size_t row = 0; row < 100; row++) /* all documents are equal: single leaves */
        memset(matrix_row(documents, row), 0, 5 * sizeof(float));
    e = grow(documents, 3, 8, 1);
    assert_int_equal(e->n_nodes, 0);
    assert_int_equal(e->n_leaves, 3);
    ensemble_free(e);
    matrix_free(documents);
}

static void absurd_shapes_are_refused(void **state) {
    (void)state;
    struct matrix *documents = make_documents(100), *few = make_documents(1);
    static const struct grown_shape shapes[] = {{0, 8}, {1, 1}, {1, 4097}, {20000000, 8}};
    struct ensemble *e = NULL;
    struct error error;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        assert_int_equal(synth_grown(documents, &shapes[i], 1, &e, &error), STATUS_INPUT);
        assert_non_null(strstr(error.text, "1 to 10000000 trees and 2 to 4096 leaves"));
    }
    assert_int_equal(synth_grown(few, &(struct grown_shape){1, 8}, 1, &e, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "too few documents (1) or features (46); at least 2"));
    assert_null(e);
    matrix_free(documents);
    matrix_free(few);
}

static void notes_say_what_it_is_and_are_kept(void **state) {
    (void)state;
    struct matrix *documents = make_documents(100);
    struct ensemble *e = grow(documents, 2, 4, 9), *read = NULL, *copies = NULL;
    const char *note = "random trees grown on quantiles, not trained, seed 9; documents: synthetic "
                       "stand-in for mq2008, seed 1";
    assert_string_equal(e->note, note);
    char path[] = "/tmp/treebench-test-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(model_write(e, path, NULL, NULL), STATUS_OK);
    assert_int_equal(model_read(path, &read, NULL), STATUS_OK);
    unlink(path);
    assert_string_equal(read->note, note);
    assert_int_equal(synth_copies(read, 4, &copies, NULL), STATUS_OK);
    assert_memory_equal(copies->note, "bagging copies of a model of 2 trees; model: random trees",
                        57);
    ensemble_free(copies);
    ensemble_free(read);
    ensemble_free(e);
    matrix_free(documents);
}

/* The model's note is plain, as JSON requires, whatever the note of the text file contains. */
static void notes_are_made_plain(void **state) {
    (void)state;
    struct matrix *documents = make_documents(100);
    struct ensemble *e = grow(documents, 1, 2, 1);
    ensemble_set_note(e, "a \"b\\c\n\xc3\xa9");
    assert_string_equal(e->note, "a ?b?c???");
    char longer[2 * ENSEMBLE_NOTE_SIZE];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    ensemble_set_note(e, longer);
    assert_int_equal(strlen(e->note), ENSEMBLE_NOTE_SIZE - 1);
    ensemble_free(e);
    matrix_free(documents);
}

/* --- copies ----------------------------------------------------------------------------------- */
static void copies_score_as_the_model(void **state) {
    (void)state;
    struct ensemble *e = NULL, *copies = NULL;
    const struct synth_shape shape = {.depth = 2, .n_features = 3, .n_trees = 5};
    struct error error = {""};
    assert_int_equal(synth_trees(&shape, 1, &e, NULL), STATUS_OK);
    e->base[0] = 0.5;
    assert_int_equal(synth_copies(e, 20, &copies, &error), STATUS_OK);
    assert_int_equal(copies->n_trees, 20);
    assert_true(copies->base[0] == 0.5);
    for (uint32_t t = 0; t < 20; t++) { /* four copies, each a quarter */
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(copies->feature[3 * t + i], e->feature[3 * (t % 5) + i]);
            assert_true(copies->threshold[3 * t + i] == e->threshold[3 * (t % 5) + i]);
        }
        for (size_t i = 0; i < 4; i++)
            assert_true(copies->value[4 * t + i] == e->value[4 * (t % 5) + i] / 4);
    }
    ensemble_free(copies);
    copies = NULL;
    assert_int_equal(synth_copies(e, 4, &copies, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "4 trees were requested, but the model already has 5"));
    assert_null(copies);
    ensemble_free(e);
}

/* Members of different sizes: all their trees, in order, each counted by the number of members. */
static void a_bag_has_all_trees_of_its_members(void **state) {
    (void)state;
    struct ensemble *members[2], *bag;
    const struct synth_shape shapes[] = {{.depth = 2, .n_features = 3, .n_trees = 2},
                                         {.depth = 2, .n_features = 3, .n_trees = 1}};
    for (uint64_t i = 0; i < 2; i++)
        assert_int_equal(synth_trees(&shapes[i], i, &members[i], NULL), STATUS_OK);
    assert_int_equal(synth_bag((const struct ensemble *const *)members, 2, &bag, NULL), STATUS_OK);
    assert_int_equal(bag->n_trees, 3);
    for (size_t i = 0; i < 12; i++) {
        double value = i < 8 ? members[0]->value[i] : members[1]->value[i - 8];
        assert_true(bag->value[i] == value / 2);
    }
    assert_true(bag->threshold[8] == members[1]->threshold[2]);
    ensemble_free(members[0]);
    ensemble_free(members[1]);
    ensemble_free(bag);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(large_trees_have_the_leaves_that_are_asked_for),
        cmocka_unit_test(fewer_trees_are_the_beginning_of_more),
        cmocka_unit_test(trees_have_the_shapes_of_trained_ones),
        cmocka_unit_test(few_nodes_are_false),
        cmocka_unit_test(halves_are_split_if_there_is_nothing_else),
        cmocka_unit_test(thresholds_lie_among_the_documents),
        cmocka_unit_test(odd_documents_are_fine),
        cmocka_unit_test(absurd_shapes_are_refused),
        cmocka_unit_test(notes_say_what_it_is_and_are_kept),
        cmocka_unit_test(notes_are_made_plain),
        cmocka_unit_test(copies_score_as_the_model),
        cmocka_unit_test(a_bag_has_all_trees_of_its_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
