/* The documents of a fold, from each place where a data set may be stored. */
#include "datasets/folds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/file.h"
#include "datasets/data.h"
#include "tests/datasets/own_folder.h"

static void name_path(char path[1024], const char *file) {
    snprintf(path, 1024, "%s/%s", folder, file);
}

/* A file with two documents of one query. The query number is also the value of the first
 * feature. */
static void write_noted(const char *file, const char *note, int query) {
    char path[1024], directory[1024];
    name_path(path, file);
    snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(path, '/') - path), path);
    assert_int_equal(file_make_directories(directory, NULL), STATUS_OK);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    if (*note)
        fprintf(stream, "# note: %s\n", note);
    fprintf(stream, "0 qid:%d 1:%d 46:1\n2 qid:%d 1:%d 46:0\n", query, query, query, query);
    fclose(stream);
}

static void write_part(const char *file, int query) {
    write_noted(file, "", query);
}

static const struct data_set *find(const char *name) {
    const struct data_set *set;
    assert_int_equal(data_set_find(name, &set, NULL), STATUS_OK);
    return set;
}

static void read_fold(const char *name, uint32_t index, struct fold *fold) {
    struct error error;
    if (fold_read(find(name), index, FOLD_ALL, fold, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

/* Checks the queries of a part, in this order, with two rows each. */
static void check_part(const struct matrix *part, const char *queries) {
    size_t n = strlen(queries);
    assert_non_null(part);
    assert_int_equal(part->n_queries, n);
    assert_int_equal(part->n_rows, 2 * n);
    assert_int_equal(part->n_features, 46);
    assert_int_equal(part->query_row[n], 2 * n);
    for (size_t q = 0; q < n; q++) {
        assert_int_equal(part->query_id[q], queries[q] - '0');
        assert_int_equal(part->query_row[q], 2 * q);
        assert_true(matrix_row(part, 2 * q)[0] == (float)(queries[q] - '0'));
        assert_true(matrix_row(part, 2 * q + 1)[0] == (float)(queries[q] - '0'));
        assert_true(part->labels[2 * q] == 0 && part->labels[2 * q + 1] == 2);
    }
}

static void check_fold(const struct fold *fold, const char *train, const char *validation,
                       const char *test) {
    check_part(fold->train, train);
    check_part(fold->validation, validation);
    check_part(fold->test, test);
}

static void write_owners(const char *fold, int first) {
    char file[64];
    static const char *const roles[] = {"train", "vali", "test"};
    for (int i = 0; i < 3; i++) {
        snprintf(file, sizeof file, "mq2008/%s/%s.txt", fold, roles[i]);
        write_part(file, first + i);
    }
}

static void write_collection(void) {
    char file[64];
    for (int i = 1; i <= 5; i++) {
        snprintf(file, sizeof file, "ltr/mq2008/S%d.txt.gz", i);
        write_part(file, i);
    }
    setenv("TREEBENCH_DATA", folder, 1);
}

static void the_owners_files_are_read(void **state) {
    (void)state;
    write_owners("Fold2", 4);
    struct fold fold;
    read_fold("mq2008", 1, &fold);
    check_fold(&fold, "4", "5", "6");
    assert_string_equal(fold.test->note, "");
    fold_free(&fold);
    read_fold("mq2008", 0, &fold); /* Fold1 does not exist */
    assert_true(!fold.train && !fold.validation && !fold.test);
}

static void caches_are_preferred(void **state) {
    (void)state;
    write_owners("Fold1", 1);
    char text[1024], cache[1024];
    write_part("other.txt", 9);
    name_path(text, "other.txt");
    name_path(cache, "mq2008/Fold1.vali.cache");
    struct matrix *other;
    assert_int_equal(data_read(text, &(struct data_reading){0}, &other, NULL), STATUS_OK);
    assert_int_equal(data_write(other, cache, NULL, NULL), STATUS_OK);
    matrix_free(other);
    struct fold fold;
    read_fold("mq2008", 0, &fold);
    check_fold(&fold, "1", "9", "3");
    fold_free(&fold);
}

static void the_collections_parts_rotate(void **state) {
    (void)state;
    write_collection();
    static const char *const expected[5][3] = {{"123", "4", "5"},
                                               {"234", "5", "1"},
                                               {"345", "1", "2"},
                                               {"451", "2", "3"},
                                               {"512", "3", "4"}};
    for (uint32_t i = 0; i < 5; i++) {
        struct fold fold;
        read_fold("mq2008", i, &fold);
        check_fold(&fold, expected[i][0], expected[i][1], expected[i][2]);
        fold_free(&fold);
    }
    struct fold fold;
    read_fold("mq2008", 5, &fold);
    assert_null(fold.train);
}

static void the_test_documents_are_read_alone(void **state) {
    (void)state;
    write_collection();
    struct fold fold;
    assert_int_equal(fold_read(find("mq2008"), 1, FOLD_TEST, &fold, NULL), STATUS_OK);
    assert_true(!fold.train && !fold.validation);
    check_part(fold.test, "1");
    fold_free(&fold);
    write_owners("Fold1", 6);
    assert_int_equal(fold_read(find("mq2008"), 0, FOLD_TEST, &fold, NULL), STATUS_OK);
    assert_true(!fold.train && !fold.validation);
    check_part(fold.test, "8");
    fold_free(&fold);
}

static void the_owners_files_come_first(void **state) {
    (void)state;
    write_collection();
    write_owners("Fold1", 6);
    struct fold fold;
    read_fold("mq2008", 0, &fold);
    check_fold(&fold, "6", "7", "8");
    fold_free(&fold);
}

static void what_is_not_there_is_no_error(void **state) {
    (void)state;
    struct fold fold;
    read_fold("mq2008", 0, &fold);
    assert_null(fold.train);
    read_fold("istella", 0, &fold); /* has no validation documents */
    assert_null(fold.train);
    setenv("TREEBENCH_DATA", "", 1);
    read_fold("mq2008", 0, &fold);
    assert_null(fold.train);
}

static void check_refused(const char *words) {
    struct fold fold;
    struct error error;
    assert_int_equal(fold_read(find("mq2008"), 0, FOLD_ALL, &fold, &error), STATUS_INPUT);
    if (!strstr(error.text, words))
        fail_msg("'%s' is not in '%s'", words, error.text);
    assert_true(!fold.train && !fold.validation && !fold.test);
}

static void expect_origin(const char *name, uint32_t index, enum fold_origin expected) {
    enum fold_origin origin;
    struct error error;
    assert_int_equal(fold_find(find(name), index, &origin, &error), STATUS_OK);
    assert_int_equal(origin, expected);
}

static void origins_are_told_without_reading(void **state) {
    (void)state;
    expect_origin("mq2008", 0, FOLD_ABSENT);
    write_collection();
    write_part("ltr/mslr-web30k-sample/fold1.train.txt.gz", 1);
    expect_origin("mq2008", 4, FOLD_REAL);
    expect_origin("mq2008", 5, FOLD_ABSENT);
    expect_origin("mslr-web10k", 0, FOLD_SAMPLE);
    expect_origin("mslr-web10k", 1, FOLD_ABSENT);
}

/* Makes a cache of an earlier version: it has a note, but no origin. */
static void make_older(const char *cache) {
    enum { FLAGS_AT = 52, HAS_ORIGIN = 8 };
    uint32_t flags;
    FILE *stream = fopen(cache, "r+b");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, FLAGS_AT, SEEK_SET), 0);
    assert_int_equal(fread(&flags, sizeof flags, 1, stream), 1);
    assert_true(flags & HAS_ORIGIN);
    flags &= ~(uint32_t)HAS_ORIGIN;
    assert_int_equal(fseek(stream, FLAGS_AT, SEEK_SET), 0);
    assert_int_equal(fwrite(&flags, sizeof flags, 1, stream), 1);
    assert_int_equal(fclose(stream), 0);
}

/* Files in the place of the owners' may say that they are not theirs. */
static void files_say_what_they_are(void **state) {
    (void)state;
    static const struct {
        const char *note;
        enum fold_origin origin;
    } cases[] = {{"synthetic", FOLD_STAND_IN},
                 {"synthetic stand-in for mq2008, seed 1", FOLD_STAND_IN},
                 {"a sample of MQ2008", FOLD_SAMPLE},
                 {"as published", FOLD_UNKNOWN}};
    static const char *const files[] = {"mq2008/Fold1/train.txt", "mq2008/Fold1/vali.txt",
                                        "mq2008/Fold1/test.txt"};
    char text[1024], cache[1024];
    name_path(text, "other.txt");
    name_path(cache, "mq2008/Fold1.test.cache");
    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k < 3; k++) {
            write_owners("Fold1", 1);
            write_noted(files[k], cases[i].note, 1);
            expect_origin("mq2008", 0, cases[i].origin);
        }
        write_owners("Fold1", 1);
        write_noted("other.txt", cases[i].note, 1);
        struct matrix *noted;
        assert_int_equal(data_read(text, &(struct data_reading){0}, &noted, NULL), STATUS_OK);
        assert_int_equal(data_write(noted, cache, NULL, NULL), STATUS_OK);
        matrix_free(noted);
        expect_origin("mq2008", 0, cases[i].origin);
        make_older(cache);
        expect_origin("mq2008", 0, cases[i].origin);
        assert_int_equal(unlink(cache), 0);
    }
}

static void a_variable_that_names_no_folder_is_refused(void **state) {
    (void)state;
    static const char *const variables[] = {"TREEBENCH_DATA", "TREEBENCH_DATA_SETS"};
    char path[1024];
    name_path(path, "none");
    for (size_t i = 0; i < 2; i++) {
        setenv(variables[i], path, 1);
        check_refused("none: this folder does not exist");
        unsetenv(variables[i]);
    }
}

static void damaged_parts_are_refused(void **state) {
    (void)state;
    char path[1024];
    write_collection();
    name_path(path, "ltr/mq2008/S4.txt.gz");
    FILE *stream = fopen(path, "w");
    fputs("1 1:1 46:1\n", stream);
    fclose(stream);
    check_refused("S4.txt.gz: expected documents with labels and queries (qid:)");
    stream = fopen(path, "w");
    fputs("1 qid:1 47:1\n", stream);
    fclose(stream);
    check_refused("S4.txt.gz: the number of features is 47, but mq2008 has 46");
}

/* --- real data -------------------------------------------------------------------------------- */

static char *collection; /* TREEBENCH_DATA at the start, or NULL */

static void need_collection(void) {
    if (!collection || !*collection) {
        print_message("TREEBENCH_DATA is unset: no real data\n");
        skip();
    }
    setenv("TREEBENCH_DATA", collection, 1);
}

static void the_collections_folds_are_whole(void **state) {
    (void)state;
    need_collection();
    static const struct {
        const char *name;
        uint32_t n_folds;
        size_t rows, queries;
        const char *note;
    } sets[] = {{"mq2008", 5, 15211, 784, ""},
                {"ohsumed", 5, 16140, 106, ""},
                {"mslr-web10k", 1, 9189, 90, "a sample of MSLR-WEB30K"}};
    for (size_t s = 0; s < 3; s++)
        for (uint32_t i = 0; i < sets[s].n_folds; i++) {
            struct fold fold;
            read_fold(sets[s].name, i, &fold);
            assert_non_null(fold.test);
            assert_int_equal(fold.train->n_rows + fold.validation->n_rows + fold.test->n_rows,
                             sets[s].rows);
            assert_int_equal(fold.train->n_queries + fold.validation->n_queries +
                                 fold.test->n_queries,
                             sets[s].queries);
            assert_memory_equal(fold.test->note, sets[s].note,
                                strlen(sets[s].note) + 1 - (*sets[s].note != '\0'));
            fold_free(&fold);
        }
}

/* LETOR's own folds of OHSUMED: the first query of the training, validation and test parts of
 * each. */
static void the_folds_of_ohsumed_are_the_owners(void **state) {
    (void)state;
    need_collection();
    struct fold first, second;
    read_fold("ohsumed", 0, &first);
    read_fold("ohsumed", 1, &second);
    assert_int_equal(first.test->query_id[0], 85);
    assert_int_equal(second.validation->query_id[0], 85); /* S5 is the validation part of fold 2 */
    assert_int_equal(first.train->query_id[0], second.test->query_id[0]); /* S1 is its test part */
    fold_free(&first);
    fold_free(&second);
}

int main(void) {
    const char *data = getenv("TREEBENCH_DATA");
    collection = data ? strdup(data) : NULL;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_owners_files_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(caches_are_preferred, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_collections_parts_rotate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_test_documents_are_read_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_owners_files_come_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_there_is_no_error, set_up, tear_down),
        cmocka_unit_test_setup_teardown(origins_are_told_without_reading, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_say_what_they_are, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_variable_that_names_no_folder_is_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(damaged_parts_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_collections_folds_are_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_folds_of_ohsumed_are_the_owners, set_up, tear_down),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(collection);
    return failed;
}
