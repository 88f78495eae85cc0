#include "base/files/file.h"
#include "base/random.h"
#include "datasets/data.h"
#include "datasets/format.h"

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
#include <unistd.h>

static const struct data_reading PLAIN = {0};

/* Reads a copy without a NUL after it, so that AddressSanitizer detects reads past the end. */
static enum status read_text(const char *text, const struct data_reading *reading,
                             struct matrix **matrix, struct error *error) {
    size_t size = strlen(text);
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    enum status status = data_format_svmlight.read("f", copy, size, reading, matrix, error);
    free(copy);
    return status;
}

static struct matrix *read_good(const char *text, const struct data_reading *reading) {
    struct matrix *matrix;
    struct error error = {""};
    if (read_text(text, reading, &matrix, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return matrix;
}

static void assert_row(const struct matrix *matrix, size_t row, const float *expected) {
    const float *values = matrix_row(matrix, row);
    for (uint32_t i = 0; i < matrix->n_features; i++)
        if (values[i] != expected[i] && !(isnan(values[i]) && isnan(expected[i])))
            fail_msg("row %zu, feature %u: %g instead of %g", row, i + 1, (double)values[i],
                     (double)expected[i]);
    for (size_t i = matrix->n_features; i < matrix->stride; i++)
        assert_true(values[i] == 0);
}

/* --- good text -------------------------------------------------------------------------------- */
static void documents_are_read(void **state) {
    (void)state;
    struct matrix *m = read_good("# a comment\n"
                                 "2 qid:7 1:0.5 3:-1e-3 # docid = 12:3 #\r\n"
                                 "\n"
                                 "  0 qid:7\t2:3  3:nan\t\n"
                                 "-1.5 qid:-9223372036854775808 #1:1\n"
                                 "1 qid:8 1:-inf 3:+7",
                                 &PLAIN);
    assert_int_equal(m->n_rows, 4);
    assert_int_equal(m->n_features, 3);
    assert_int_equal(m->stride, 16);
    assert_int_equal((uintptr_t)m->values % 64, 0);
    assert_row(m, 0, (const float[]){0.5f, 0, -1e-3f});
    assert_row(m, 1, (const float[]){0, 3, NAN});
    assert_row(m, 2, (const float[]){0, 0, 0});
    assert_row(m, 3, (const float[]){-INFINITY, 0, 7});
    assert_memory_equal(m->labels, ((const float[]){2, 0, -1.5f, 1}), 4 * sizeof(float));
    assert_int_equal(m->n_queries, 3);
    assert_memory_equal(m->query_row, ((const size_t[]){0, 2, 3, 4}), 4 * sizeof(size_t));
    assert_memory_equal(m->query_id, ((const int64_t[]){7, INT64_MIN, 8}), 3 * sizeof(int64_t));
    matrix_free(m);
}

static void documents_without_queries_have_none(void **state) {
    (void)state;
    struct matrix *m = read_good("1 2:5\n0\n", &PLAIN);
    assert_int_equal(m->n_rows, 2);
    assert_int_equal(m->n_queries, 0);
    assert_null(m->query_row);
    assert_null(m->query_id);
    assert_row(m, 0, (const float[]){0, 5});
    matrix_free(m);
}

static void absent_features_are_what_is_asked_for(void **state) {
    (void)state;
    struct matrix *m = read_good("1 2:5\n0 1:0 \n", &(struct data_reading){.missing = NAN});
    assert_row(m, 0, (const float[]){NAN, 5});
    assert_row(m, 1, (const float[]){0, NAN});
    matrix_free(m);

    m = read_good("1 2:5", &(struct data_reading){.missing = NAN, .n_features = 17});
    assert_int_equal(m->n_features, 17);
    assert_int_equal(m->n_named, 2);
    assert_int_equal(m->stride, 32);
    assert_true(isnan(matrix_row(m, 0)[16]) && matrix_row(m, 0)[17] == 0);
    matrix_free(m);

    m = read_good("1 2:5", &(struct data_reading){.n_features = 1}); /* at least */
    assert_int_equal(m->n_features, 2);
    matrix_free(m);
}

static void features_are_numbered_from_zero_where_told_so(void **state) {
    (void)state;
    const struct data_reading zero = {.from_zero = true};
    struct matrix *m = read_good("1 0:5 2:6\n0 1:7\n", &zero);
    assert_int_equal(m->n_features, 3);
    assert_row(m, 0, (const float[]){5, 0, 6});
    assert_row(m, 1, (const float[]){0, 7, 0});
    matrix_free(m);

    m = read_good("2 3\n1 2:5\n0 0:1\n", &zero); /* documents and features */
    assert_int_equal(m->n_features, 3);
    assert_true(matrix_row(m, 0)[2] == 5 && matrix_row(m, 1)[0] == 1);
    matrix_free(m);

    static const struct {
        const char *text, *expected;
    } bad[] = {
        {"1 0:5 0:6\n", "f:1:7: feature 0 after feature 0: features must be in increasing order"},
        {"2 3\n1 3:5\n0 0:1\n",
         "f:2:3: feature 3 exceeds the number of features that the first line announces (3)"},
        {"1 1 \n1 1:5\n",
         "f:2:3: feature 1 exceeds the number of features that the first line announces (1)"},
        {"1 0\n1 0:5\n",
         "f:2:3: feature 0 exceeds the number of features that the first line announces (0)"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error error = {""};
        assert_int_equal(read_text(bad[i].text, &zero, &m, &error), STATUS_INPUT);
        assert_string_equal(error.text, bad[i].expected);
    }
}

/* Without values of feature 0 in training, LightGBM's text has feature numbers below the model's
 * number of features. A text with that number is in doubt. */
static void an_empty_first_feature_tells_the_numbering(void **state) {
    (void)state;
    const struct data_reading reading = {
        .n_features = 3, .from_either = true, .first_is_empty = true};
    struct matrix *m = read_good("1 1:5 2:6\n", &reading);
    assert_true(m->from_zero);
    assert_row(m, 0, (const float[]){0, 5, 6});
    matrix_free(m);
    struct error error = {""};
    assert_int_equal(read_text("1 1:5 3:6\n", &reading, &m, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "It is unclear whether numbering begins at 1"));
}

static void absent_features_are_noticed(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t wanted;
        bool any;
    } cases[] = {{"1 1:0 2:0\n0 1:3 2:nan\n", 0, false},
                 {"1 1:0 2:0\n0 2:3\n", 0, true},
                 {"1 1:0 2:0\n", 3, true},
                 {"1\n", 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct matrix *m =
            read_good(cases[i].text, &(struct data_reading){.n_features = cases[i].wanted});
        assert_int_equal(m->any_absent, cases[i].any);
        matrix_free(m);
    }
}

static void a_first_line_may_tell_the_shape(void **state) {
    (void)state;
    struct matrix *m = read_good("2 5\n1 2:5\n0 1:1\n", &PLAIN);
    assert_int_equal(m->n_rows, 2);
    assert_int_equal(m->n_features, 5);
    assert_row(m, 0, (const float[]){0, 5, 0, 0, 0});
    matrix_free(m);
}

/* --- bad text --------------------------------------------------------------------------------- */
static void bad_text_is_refused_with_its_position(void **state) {
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "f:1:1: there are no documents"},
        {"# nothing\n\n", "f:1:1: there are no documents"},
        {"1 1:1\nx 1:1\n", "f:2:1: 'x' is not a label"},
        {"1 1:1\n  1:1\n", "f:2:3: '1:1' is not a label"},
        {"nan 1:1\n", "f:1:1: 'nan' is not a label"},
        {"1e39 1:1\n", "f:1:1: '1e39' is not a label"},
        {"1\x01 1:1\n", "f:1:1: '1?' is not a label"},
        {"1 1:1 2\n", "f:1:7: '2' is not FEATURE:VALUE"},
        {"1 1:1 a:2 3:1\n", "f:1:7: 'a:2' is not FEATURE:VALUE"},
        {"1 1:1 :2\n", "f:1:7: ':2' is not FEATURE:VALUE"},
        {"1 1:1 -2:2\n", "f:1:7: '-2:2' is not FEATURE:VALUE"},
        {"1 1:1 99999999999:2\n", "f:1:7: feature 99999999999 exceeds the limit of 16000000"},
        {"1 1:\n", "f:1:5: '' is not a value for feature 1"},
        {"1 1: 2\n", "f:1:5: '' is not a value for feature 1"},
        {"1 1:x\n", "f:1:5: 'x' is not a value for feature 1"},
        {"1 1:2x 2:3\n", "f:1:5: '2x' is not a value for feature 1"},
        {"1 1:2:3\n", "f:1:5: '2:3' is not a value for feature 1"},
        {"1 1:1e39\n", "f:1:5: '1e39' is not a value for feature 1"},
        {"1 1:0x1p3\n", "f:1:5: '0x1p3' is not a value for feature 1"},
        {"1 1:1,5\n", "f:1:5: '1,5' is not a value for feature 1"},
        {"1 0:1\n", "f:1:3: feature 0 is below 1"},
        {"1 1:1\n1 2:1 2:3\n",
         "f:2:7: feature 2 after feature 2: features must be in increasing order"},
        {"1 1:1\r\n1 1:1 9:1 3:1\r\n",
         "f:2:11: feature 3 after feature 9: features must be in increasing order"},
        {"1 1:1 16000001:1\n", "f:1:7: feature 16000001 exceeds the limit of 16000000"},
        {"1 qid:x 1:1\n", "f:1:7: 'x' is not a query number (a 64-bit integer)"},
        {"1 qid: 1:1\n", "f:1:7: '' is not a query number (a 64-bit integer)"},
        {"1 qid:9223372036854775808 1:1\n",
         "f:1:7: '9223372036854775808' is not a query number (a 64-bit integer)"},
        {"1 1:1 qid:3\n", "f:1:7: 'qid:3' is not FEATURE:VALUE"},
        {"1 qid:1 1:1\n1 1:1\n", "f:2:3: this document has no qid, but earlier ones have one"},
        {"1 qid:1 1:1\n1\n", "f:2:2: this document has no qid, but earlier ones have one"},
        {"1 1:1\n1 qid:1 1:1\n", "f:2:3: this document has a qid, but earlier ones have none"},
        {"1 qid:1 1:1\n1 qid:2 1:1\n1 qid:3\n1 qid:2\n1 qid:1\n",
         "f:4:3: the documents of query 2 are not adjacent"},
        {"3 5\n1 2:5\n0 1:1\n", "f:1:1: the first line announces 3 documents, but the file has 2"},
        {"2 5\n1 2:5\n0 6:1\n",
         "f:3:3: feature 6 exceeds the number of features that the first line announces (5)"},
        {"1 99999999\n1 2:5\n", "f:1:1: the first line announces 99999999 features"},
        {"1 2\n", "f:1:1: there are no documents"},
        {"1 1 1\n", "f:1:3: '1' is not FEATURE:VALUE"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct matrix *matrix;
        struct error error = {""};
        enum status status = read_text(cases[i].text, &PLAIN, &matrix, &error);
        assert_null(matrix);
        if (status != STATUS_INPUT || strncmp(error.text, cases[i].error, strlen(cases[i].error)))
            fail_msg("'%s' gives '%s' instead of '%s'", cases[i].text, error.text, cases[i].error);
    }
}

static void a_nul_byte_is_refused(void **state) {
    (void)state;
    static const char text[] = "1 1:1\n1 1:\0002\n";
    struct matrix *matrix;
    struct error error;
    assert_int_equal(data_format_svmlight.read("f", text, sizeof text - 1, &PLAIN, &matrix, &error),
                     STATUS_INPUT);
    assert_non_null(strstr(error.text, "f:2:5: '?2' is not a value for feature"));
}

/* A few bytes must not request gigabytes. */
static void absurdly_sparse_text_is_refused(void **state) {
    (void)state;
    char text[4000] = "";
    for (int i = 0; i < 200; i++)
        strcat(text, "1 9999999:1\n");
    struct matrix *matrix;
    struct error error;
    assert_int_equal(read_text(text, &PLAIN, &matrix, &error), STATUS_MEMORY);
    assert_null(matrix);
    assert_non_null(strstr(error.text, "200 documents of 9999999 features would take more memory"));
}

/* --- files ------------------------------------------------------------------------------------ */
/* A new file for each use. The caller removes it. */
static void make_path(char path[static 64]) {
    strcpy(path, "/tmp/treebench-test-XXXXXX");
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
}

static void what_is_no_svmlight_is_named_so(void **state) {
    (void)state;
    static const char *const texts[] = {"{\"label\": 1}\n", "<a/>\n", "{\"a\": 1, \"b\": 2}\n",
                                        "[1, 2]\n", "hello\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char path[64];
        make_path(path);
        FILE *stream = fopen(path, "w");
        assert_non_null(stream);
        fputs(texts[i], stream);
        fclose(stream);
        struct matrix *matrix;
        struct error error;
        assert_int_equal(data_read(path, &PLAIN, &matrix, &error), STATUS_INPUT);
        assert_null(matrix);
        assert_non_null(strstr(error.text, ":1: unknown data format"));
        unlink(path);
    }
}

/* Some editors and spreadsheets begin UTF-8 text with a byte order mark. */
static void byte_order_marks_are_dropped(void **state) {
    (void)state;
    static const char *const texts[] = {"\xef\xbb\xbf"
                                        "7 1:1 2:2\r\n8 1:2 2:3\r\n",
                                        "\xef\xbb\xbftarget,a,b\r\n7,1,2\r\n8,2,3\r\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char path[64];
        make_path(path);
        FILE *stream = fopen(path, "w");
        assert_non_null(stream);
        fputs(texts[i], stream);
        fclose(stream);
        struct matrix *matrix;
        struct error error;
        if (data_read(path, &PLAIN, &matrix, &error) != STATUS_OK)
            fail_msg("%s", error.text);
        assert_int_equal(matrix->n_rows, 2);
        assert_true(matrix->labels[0] == 7 && matrix->values[0] == 1 && matrix->values[1] == 2);
        assert_true(matrix->values[matrix->stride + 1] == 3);
        matrix_free(matrix);
        unlink(path);
    }
}

static struct matrix *write_and_read(const struct matrix *matrix) {
    char path[64];
    make_path(path);
    struct error error = {""};
    struct matrix *read = NULL;
    if (data_write(matrix, path, NULL, &error) != STATUS_OK ||
        data_read(path, &PLAIN, &read, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    unlink(path);
    return read;
}

static void assert_same(const struct matrix *a, const struct matrix *b) {
    assert_int_equal(a->n_rows, b->n_rows);
    assert_int_equal(a->n_features, b->n_features);
    assert_int_equal(a->n_queries, b->n_queries);
    assert_memory_equal(a->values, b->values, a->n_rows * a->stride * sizeof(float));
    assert_memory_equal(a->labels, b->labels, a->n_rows * sizeof(float));
    if (a->n_queries) {
        assert_memory_equal(a->query_row, b->query_row, (a->n_queries + 1) * sizeof(size_t));
        assert_memory_equal(a->query_id, b->query_id, a->n_queries * sizeof(int64_t));
    }
}

/* Any float, bit for bit, except the payload of a NaN, which has no text. */
static float any_float(struct random *random) {
    uint32_t bits = random_below(random, 4) ? (uint32_t)random_u64(random) : 0;
    float value;
    memcpy(&value, &bits, sizeof value);
    return isnan(value) ? NAN : value;
}

static void written_documents_read_back(void **state) {
    (void)state;
    struct matrix *matrix;
    assert_int_equal(matrix_create(50, 20, &matrix, NULL), STATUS_OK);
    struct random random;
    random_seed(&random, 5);
    matrix->labels = calloc(matrix->n_rows, sizeof *matrix->labels);
    assert_non_null(matrix->labels);
    for (size_t row = 0; row < matrix->n_rows; row++) {
        matrix->labels[row] = random_float(&random);
        for (uint32_t i = 0; i < matrix->n_features - 1; i++) /* the last one stays zero */
            matrix_row(matrix, row)[i] = any_float(&random);
    }
    matrix_row(matrix, 1)[0] = -0.f;
    matrix_row(matrix, 1)[1] = -INFINITY;
    struct matrix *read = write_and_read(matrix);
    assert_same(matrix, read);
    matrix_free(read);
    matrix_free(matrix);

    matrix = read_good("1 qid:3 2:1\n0 qid:3 1:4\n0 qid:-1 1:2\n", &PLAIN);
    read = write_and_read(matrix);
    assert_same(matrix, read);
    matrix_free(read);
    matrix_free(matrix);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_read),
        cmocka_unit_test(documents_without_queries_have_none),
        cmocka_unit_test(absent_features_are_what_is_asked_for),
        cmocka_unit_test(features_are_numbered_from_zero_where_told_so),
        cmocka_unit_test(an_empty_first_feature_tells_the_numbering),
        cmocka_unit_test(absent_features_are_noticed),
        cmocka_unit_test(a_first_line_may_tell_the_shape),
        cmocka_unit_test(bad_text_is_refused_with_its_position),
        cmocka_unit_test(a_nul_byte_is_refused),
        cmocka_unit_test(absurdly_sparse_text_is_refused),
        cmocka_unit_test(what_is_no_svmlight_is_named_so),
        cmocka_unit_test(byte_order_marks_are_dropped),
        cmocka_unit_test(written_documents_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
