/* The reader of tables: CSV, TSV and similar. */
#include "datasets/data.h"
#include "datasets/format.h"
#include "models/categories.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct data_reading PLAIN = {0};

/* Reads a copy without a NUL after it, so that AddressSanitizer detects reads past the end. */
static enum status read_text(const char *text, size_t size, const struct data_reading *reading,
                             struct matrix **matrix, struct error *error) {
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    enum status status = data_format_csv.read("f", copy, size, reading, matrix, error);
    free(copy);
    return status;
}

static struct matrix *read_good(const char *text, const struct data_reading *reading) {
    struct matrix *matrix;
    struct error error = {""};
    if (read_text(text, strlen(text), reading, &matrix, &error) != STATUS_OK)
        fail_msg("%s: %s", text, error.text);
    return matrix;
}

static void assert_values(const float *values, const float *expected, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (values[i] != expected[i] && !(isnan(values[i]) && isnan(expected[i])))
            fail_msg("value %zu: %g instead of %g", i, (double)values[i], (double)expected[i]);
    }
}

/* `labels` is NULL if there must be none. */
static void assert_reads(const char *text, const struct data_reading *reading, size_t rows,
                         uint32_t features, const float *values, const float *labels) {
    struct matrix *m = read_good(text, reading);
    assert_int_equal(m->n_rows, rows);
    assert_int_equal(m->n_features, features);
    for (size_t row = 0; row < rows; row++)
        assert_values(matrix_row(m, row), values + row * features, features);
    assert_int_equal(m->labels != NULL, labels != NULL);
    if (labels)
        assert_values(m->labels, labels, rows);
    matrix_free(m);
}

static void test_separators(void **state) {
    (void)state;
    static const char *const texts[] = {"1,2\n3,4\n",   "1;2\r\n\r\n3;4",      "\n1\t2\n\n3\t4\n\n",
                                        "1 2\n3  4 \n", " \"1\" , \"2\"\n3,4", "+1,2e0\n 3 ,4.0"};
    const float values[] = {1, 2, 3, 4};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_reads(texts[i], &PLAIN, 2, 2, values, NULL);
}

/* There is a header if a column of numbers begins with text. */
static void test_header(void **state) {
    (void)state;
    const float values[] = {1, 0, 2, 1}, labels[] = {7, 8};
    assert_reads("a,b\n1,x\n2,y\n", &PLAIN, 2, 2, values, NULL);
    assert_reads("a,0\n1,0\n2,1\n", &PLAIN, 2, 2, values, NULL); /* a name may be a number */
    assert_reads("a,target,b\n1,7,x\n2,8,y\n", &PLAIN, 2, 2, values, labels);
    assert_reads("a,b,label\n1,x,7\n2,y,8\n", &PLAIN, 2, 2, values, labels);
    assert_reads("1,x\n2,y\n", &PLAIN, 2, 2, values, NULL);
    const float categories[] = {0, 0, 1, 1};
    assert_reads("a,b\nx,y\n", &PLAIN, 2, 2, categories, NULL); /* no numbers, so no header */
}

static void test_labels(void **state) {
    (void)state;
    static const char table[] = "a,b,1\n5,x,6\n7,y,8\n";
    static const struct {
        const char *label;
        float values[4], labels[2];
    } cases[] =
        {
            {"a", {0, 6, 1, 8}, {5, 7}}, {"b", {5, 6, 7, 8}, {0, 1}},
            {"2", {5, 6, 7, 8}, {0, 1}}, {"last", {5, 0, 7, 1}, {6, 8}},
            {"1", {5, 0, 7, 1}, {6, 8}}, /* a name takes precedence over a number */
        };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_reads(table, &(struct data_reading){.label = cases[i].label}, 2, 2, cases[i].values,
                     cases[i].labels);
}

/* --- columns by the names of a model's features ----------------------------------------------- */

#define NAMED(names, count)                                                                        \
    (&(struct data_reading){.feature_names = (names), .n_features = (count)})

static void assert_columns(const char *text, const struct data_reading *reading,
                           enum matrix_columns columns, uint32_t n_left_out) {
    struct matrix *m = read_good(text, reading);
    if (m->columns != columns || m->n_left_out != n_left_out)
        fail_msg("%s: %d, %u left out", text, m->columns, m->n_left_out);
    matrix_free(m);
}

static void test_columns_are_taken_by_name(void **state) {
    (void)state;
    const float values[] = {1, 2, 3, 4}, labels[] = {7, 8};
    const struct data_reading *xy = NAMED("x\0y", 2);
    assert_reads("x,y\n1,2\n3,4\n", xy, 2, 2, values, NULL);
    assert_reads("y,x\n2,1\n4,3\n", xy, 2, 2, values, NULL);
    assert_columns("y,x\n2,1\n4,3\n", xy, COLUMNS_BY_NAME, 0);
    assert_reads("y,id,label,\"x\"\n2,q,7,1\n4,9,8,3\n", xy, 2, 2, values, labels);
    assert_columns("y,id,label,\"x\"\n2,q,7,1\n4,9,8,3\n", xy, COLUMNS_BY_NAME, 1);
    /* A feature that is named like a label column stays a feature. */
    assert_reads("label,y,target\n2,1,7\n4,3,8\n", NAMED("y\0label", 2), 2, 2, values, labels);
    assert_reads("label,y\n2,1\n4,3\n", NAMED("y\0label", 2), 2, 2, values, NULL);
    /* LightGBM replaces spaces by underscores. */
    assert_reads("b c,a b\n2,1\n4,3\n", NAMED("a_b\0b c", 2), 2, 2, values, NULL);
}

/* Words alone or numbers alone do not show that the first line is a header; names do. */
static void test_names_tell_a_header(void **state) {
    (void)state;
    const float codes[] = {1, 1, 0, 0}, values[] = {7, 8, 9};
    assert_reads("y,x\nu,v\nr,s\n", NAMED("x\0y", 2), 2, 2, codes, NULL);
    assert_reads("2,0,1\n9,7,8\n",
                 NAMED("0\0"
                       "1\0"
                       "2",
                       3),
                 1, 3, values, NULL);
    const float document[] = {0, 1, 7, 8};
    assert_reads("0,1\n7,8\n",
                 NAMED("0\0"
                       "1",
                       2),
                 2, 2, document, NULL);
    assert_columns("0,1\n7,8\n",
                   NAMED("0\0"
                         "1",
                         2),
                   COLUMNS_BY_POSITION, 0);
}

static void test_columns_named_otherwise_are_taken_by_position(void **state) {
    (void)state;
    const float values[] = {2, 1, 4, 3};
    const struct data_reading *names = NAMED("Column_0\0Column_1", 2);
    assert_reads("y,x\n2,1\n4,3\n", names, 2, 2, values, NULL);
    assert_columns("y,x\n2,1\n4,3\n", names, COLUMNS_NAMED_ELSE, 0);
    assert_columns("2,1\n4,3\n", names, COLUMNS_BY_POSITION, 0);
    assert_columns("y,x\n2,1\n4,3\n", &PLAIN, COLUMNS_BY_POSITION, 0);
}

static void test_doubtful_names_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *names, *label, *expected;
    } bad[] = {
        {"x,z\n1,2\n", "x\0y", NULL,
         "f:1:1: the table has columns for some of the model's features, but not for 'y' (feature "
         "1)"},
        {"y,target\n1,2\n", "x\0y", NULL,
         "f:1:1: the table has columns for some of the model's features, but not for 'x' (feature "
         "0)"},
        {"x,y,x\n1,2,3\n", "x\0y", NULL,
         "f:1:1: 'x' is the name of two columns, or of two features"},
        {"a,y,y\n1,2,3\n", "a\0y", NULL, "f:1:1: 'y' is the name of two columns"},
        {"a b,y,a_b\n1,2,3\n", "a_b\0y", NULL, "f:1:1: 'a_b' is the name of two columns"},
        {"x,y\n1,2\n", "x\0x", NULL, "f:1:1: 'x' is the name of two columns, or of two features"},
        {"x,y\n1,2\n", "x\0y", "y", "f:1:3: --label: the column 'y' is a feature of the model"},
        {"x,y\n1,2\n3,q\n", "x\0y", NULL, "f:3:3: column 2 contains both numbers and text ('q')"},
        {"x,y\n", "x\0y", NULL, "f:1:1: the table has no documents: its only line contains text"},
        {"0,1,2\n",
         "0\0"
         "1\0"
         "2",
         NULL, "f:1:1: the table has no documents: its only line contains text"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct matrix *m;
        struct error error = {""};
        struct data_reading reading = {.feature_names = bad[i].names,
                                       .n_features = bad[i].names[0] == '0' ? 3 : 2,
                                       .label = bad[i].label};
        assert_int_equal(read_text(bad[i].text, strlen(bad[i].text), &reading, &m, &error),
                         STATUS_INPUT);
        assert_null(m);
        if (strncmp(error.text, bad[i].expected, strlen(bad[i].expected)) != 0)
            fail_msg("'%s' does not begin with '%s'", error.text, bad[i].expected);
    }
}

/* The same words have the same codes in any order of lines. */
static void test_words_are_coded_in_sorted_order(void **state) {
    (void)state;
    const float values[] = {2, 1, 0, NAN, 1, 0}, labels[] = {1, 2, 0};
    assert_reads("c,5,y\n\"a\",,z\nab,7,x\n", &(struct data_reading){.label = "last"}, 3, 2,
                 (const float[]){2, 5, 0, NAN, 1, 7}, labels);
    assert_reads("c,b\na,\nab,a\n", &PLAIN, 3, 2, values, NULL);
    assert_reads("ab,a\nc,b\na,\n", &PLAIN, 3, 2, (const float[]){1, 0, 2, 1, 0, NAN}, NULL);
}

static void assert_words(const char *text, const char *expected) {
    struct matrix *m = read_good(text, &PLAIN);
    assert_string_equal(m->words, expected);
    matrix_free(m);
}

static void test_columns_of_words_are_told(void **state) {
    (void)state;
    assert_words("a,b\n1,2\n", "");
    assert_words("a,b\n1,x\n", "'b'");
    assert_words("1,x\n2,x\n", "column 2");
    assert_words("a,b,label\n1,x,y\n", "'b' and 1 more column");
    assert_words("u,v,w\nu,v,w\n", "column 1 and 2 more columns");
}

/* pandas and R read such columns as truth values, and libraries take these as 1 and 0. */
static void test_truth_values(void **state) {
    (void)state;
    const struct data_reading scored = {.words = WORDS_LABELS_ONLY},
                              judged = {.words = WORDS_REFUSED};
    const float values[] = {1, 5, 0, 6, NAN, 7, 1, 8, 0, 9, 0, 10}, labels[] = {0, 1};
    static const char rows[] = "TRUE,5\nFalse,6\n,7\n\"true\",8\nfalse,9\nFALSE,10\n";
    char with_header[sizeof rows + 8];
    snprintf(with_header, sizeof with_header, "a,b\n%s", rows);
    assert_reads(rows, &PLAIN, 6, 2, values, NULL);
    assert_reads(rows, &scored, 6, 2, values, NULL);
    assert_reads(with_header, &judged, 6, 2, values, NULL);
    assert_reads("True\n", &scored, 1, 1, (const float[]){1}, NULL);
    assert_reads("a,target\n3,FALSE\n4,TRUE\n", &judged, 2, 1, (const float[]){3, 4}, labels);
    assert_reads("a,b\nTRUE,FALSE\n", &scored, 1, 2, (const float[]){1, 0}, NULL); /* a header */
    assert_words("a,b\n1,TRUE\n2,FALSE\n", "");
}

/* Beside other words, TRUE is a word. */
static void test_truth_values_among_words(void **state) {
    (void)state;
    assert_reads("TRUE\nmaybe\nFALSE\nTRUE\n", &PLAIN, 4, 1, (const float[]){1, 2, 0, 1}, NULL);
    assert_reads("a,b\nT,1\nF,2\n", &PLAIN, 2, 2, (const float[]){1, 1, 0, 2}, NULL);
    assert_words("a,b\nT,1\nF,2\n", "'a'");
}

/* A model knows no words: neither in features, nor in labels that are used. */
static void test_words_are_refused_where_they_mean_nothing(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum data_words words;
        const char *expected; /* NULL if there is none */
    } cases[] = {
        {"a,label\n1,x\n2,y\n", WORDS_LABELS_ONLY, NULL},
        {"a,label\n1,x\n2,y\n", WORDS_REFUSED, "f:2:3: column 2 contains text ('x')"},
        {"a,b\n1,TRUE\n2,x\n", WORDS_LABELS_ONLY, "f:3:3: column 2 contains text ('x')"},
        {"a,b\n1,\n2,\"y\"\n", WORDS_LABELS_ONLY, "f:3:4: column 2 contains text ('y')"},
        {"a,b\n1,\n2,3\n", WORDS_REFUSED, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct matrix *m;
        struct error error = {""};
        const struct data_reading reading = {.words = cases[i].words};
        enum status status = read_text(cases[i].text, strlen(cases[i].text), &reading, &m, &error);
        const char *expected = cases[i].expected ? cases[i].expected : "";
        assert_int_equal(status, cases[i].expected ? STATUS_INPUT : STATUS_OK);
        if (strncmp(error.text, expected, strlen(expected)) != 0)
            fail_msg("'%s' does not begin with '%s'", error.text, expected);
        matrix_free(m);
    }
    /* Columns that no feature names may contain anything. */
    const struct data_reading named = {
        .words = WORDS_REFUSED, .feature_names = "x\0y", .n_features = 2};
    const float values[] = {1, 2};
    assert_reads("x,id,y\n1,q,2\n", &named, 1, 2, values, NULL);
}

static void test_a_column_qid_is_the_queries(void **state) {
    (void)state;
    static const char *const texts[] = {"a,QID,label\n1,7,0\n2,7,1\n3,-8,0\n",
                                        "qid;label;\"a\"\n7;0;1\n7;1;2\n-8;0;3\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct matrix *m = read_good(texts[i], &PLAIN);
        assert_int_equal(m->n_features, 1);
        assert_int_equal(m->n_queries, 2);
        assert_true(m->query_id[0] == 7 && m->query_id[1] == -8);
        assert_true(m->query_row[1] == 2 && m->query_row[2] == 3);
        assert_true(matrix_row(m, 2)[0] == 3);
        assert_memory_equal(m->column_names, "a", 2);
        matrix_free(m);
    }
    /* A column of queries may be the label or a feature by name. */
    const float both[] = {1, 5, 2, 6}, labels[] = {5, 6};
    assert_reads("a,qid\n1,5\n2,6\n", NAMED("a\0qid", 2), 2, 2, both, NULL);
    assert_reads("a,qid\n1,5\n2,6\n", &(struct data_reading){.label = "qid"}, 2, 1,
                 (const float[]){1, 2}, labels);
    struct matrix *m = read_good("0,1,2\n", &PLAIN); /* no header, no names */
    assert_null(m->column_names);
    matrix_free(m);
}

/* What is missing is no category: not an unknown one, and not a number among words. */
static void test_missing_among_categories(void **state) {
    (void)state;
    struct categories *categories = categories_create(true);
    assert_true(categories_add_word(categories, 0, "red", 3));
    assert_true(categories_add_word(categories, 0, "blue", 4));
    const struct data_reading reading = {
        .words = WORDS_LABELS_ONLY, .categories = categories, .n_features = 2};
    assert_reads("a,b\nblue,1\nnan,2\n,3\nNA,4\nred,5\n", &reading, 5, 2,
                 (const float[]){1, 1, NAN, 2, NAN, 3, NAN, 4, 0, 5}, NULL);
    assert_reads("a,b\nnan,1\nNaN,2\n", &reading, 2, 2, (const float[]){NAN, 1, NAN, 2}, NULL);
    struct matrix *m;
    struct error error = {""};
    assert_int_equal(read_text("a,b\npink,1\n", 11, &reading, &m, &error), STATUS_INPUT);
    assert_string_equal(
        error.text, "f:2:1: 'pink' in column 1 is not a category that the model was trained with");
    categories_free(categories);
}

static void test_missing_and_categories(void **state) {
    (void)state;
    const float values[] = {NAN, 0, 0, 1.5F, 1, NAN, 2, NAN, 1, NAN, 0, 0};
    assert_reads("NA,x,u\n1.5,\"y\",?\n2,,v\n\"\",x,u\n", &PLAIN, 4, 3, values, NULL);
    const float words[] = {NAN, 1, NAN, 2, NAN, 3, NAN, 4, NAN, 5};
    assert_reads("N/A,1\nn/a,2\nnull,3\nNULL,4\n#N/A,5\n", &PLAIN, 5, 2, words, NULL);
    const float quoted[] = {0, 1, 1, 2, 0, 3};
    assert_reads("\"a,\"\"b\"\"\",1\n\"c\",2\n\"a,\"\"b\"\"\",3\n", &PLAIN, 3, 2, quoted, NULL);
    const float trailing[] = {1, NAN, 2, 3};
    assert_reads("1,\n2,3\n", &PLAIN, 2, 2, trailing, NULL);
}

static void test_decimal_commas(void **state) {
    (void)state;
    const float values[] = {1.62F, -28.6F, 1.5F, 3};
    assert_reads("1,62;-28,6\n1.5;3\n", &PLAIN, 2, 2, values, NULL);
    assert_reads("a;b\n\"1,62\";-2,86e1\n1,5;3\n", &PLAIN, 2, 2, values, NULL);
}

/* Numbers are rounded once, to float32. This one is just above the midpoint of two floats. */
static void test_rounding(void **state) {
    (void)state;
    const float values[] = {1.00000012F, 1};
    assert_reads("1.00000005960464477539062500000001,1\n", &PLAIN, 1, 2, values, NULL);
}

static void test_more_features_are_wanted(void **state) {
    (void)state;
    const float zeros[] = {1, 2, 0, 3, 4, 0}, nans[] = {1, 2, NAN, 3, 4, NAN};
    assert_reads("1,2\n3,4\n", &(struct data_reading){.n_features = 3}, 2, 3, zeros, NULL);
    assert_reads("1,2\n3,4\n", &(struct data_reading){.n_features = 3, .missing = NAN}, 2, 3, nans,
                 NULL);
}

/* The rank of "w<n>" among "w0" to "w<count - 1>", sorted as text. */
static float rank_of(int n, int count) {
    char word[16], other[16];
    int rank = 0;
    snprintf(word, sizeof word, "w%d", n);
    for (int i = 0; i < count; i++) {
        snprintf(other, sizeof other, "w%d", i);
        rank += strcmp(other, word) < 0;
    }
    return (float)rank;
}

/* More words than the initial hash table holds, in two columns with the same words. */
static void test_many_words(void **state) {
    (void)state;
    enum { ROWS = 5000, WORDS = 1250 };
    char *text = malloc(ROWS * 32);
    size_t used = 0;
    assert_non_null(text);
    for (int i = 0; i < ROWS; i++)
        used += (size_t)sprintf(text + used, "w%d,w%d\n", i % WORDS, (i + 7) % WORDS);
    struct matrix *m = read_good(text, &PLAIN);
    for (size_t i = 0; i < ROWS; i++) {
        const float expected[] = {rank_of((int)i % WORDS, WORDS),
                                  rank_of(((int)i + 7) % WORDS, WORDS)};
        assert_values(matrix_row(m, i), expected, 2);
    }
    matrix_free(m);
    free(text);
}

static void test_bad_text(void **state) {
    (void)state;
    static const struct {
        const char *text, *label, *expected;
    } bad[] = {
        {"", NULL, "f:1:1: the table has no documents"},
        {" \n\r\n", NULL, "f:1:1: the table has no documents"},
        {"1,2\n3\n", NULL, "f:2:2: this line has 1 fields, but the first line has 2"},
        {"1,2\n\n3,4,5\n", NULL, "f:3:5: this line has more fields than the first line (2)"},
        {"a,b\n", NULL, "f:1:1: the table has no documents: its only line contains text"},
        {"1,2\n\"3,5\",4\n", NULL,
         "f:2:2: column 1 contains both numbers and text ('3,5')"}, /* commas separate fields */
        {"1,2\n3,abc\n", NULL, "f:2:3: column 2 contains both numbers and text ('abc')"},
        {"a,b\n1,2\n3,x\n", NULL, "f:3:3: column 2 contains both numbers and text ('x')"},
        {"a,b\n1,0\n2,TRUE\n3,0\n", NULL,
         "f:3:3: column 2 contains both numbers and truth values ('TRUE'). Use only numbers, such "
         "as 1 for true and 0 for false"},
        {"False,True\n1,0\n", NULL,
         "f:1:1: column 1 contains both numbers and truth values ('False')"},
        {"a,b\n1,x\n2,TRUE\n3,0\n", NULL, "f:2:3: column 2 contains both numbers and text ('x')"},
        {"1,x\n2,3\n3,y\n", NULL, "f:1:3: column 2 contains both numbers and text ('x')"},
        {"2,3\n1,1e39\n", NULL, "f:2:3: '1e39' is too large for float32"},
        {"2;3\n1;1.000,5\n", NULL, "f:2:3: column 2 contains both numbers and text ('1.000,5')"},
        {"a,\"b\"\n1,2\n3,\"x y\"\n", NULL,
         "f:3:4: column 2 contains both numbers and text ('x y')"},
        {"1,\"2\n3,4\n", NULL, "f:1:3: the quotes of this field do not match"},
        {"1,\"2\"x\n", NULL, "f:1:3: the quotes of this field do not match"},
        {"1,2\n", "x", "f:1:1: --label: the table has no column 'x'"},
        {"1,2\n", "0", "f:1:1: --label: the table has no column '0'"},
        {"1,2\n", "3", "f:1:1: --label: the table has no column '3'"},
        {"1,2\n", "", "f:1:1: --label: the table has no column ''"},
        {"1,2\n,4\n", "1", "f:2:1: the label is missing or infinite"},
        {"1,2\ninf,4\n", "1", "f:2:1: the label is missing or infinite"},
        {"target\n1\n", NULL, "f:1:1: the table has no feature columns"},
        {"qid,label\n1,2\n", NULL, "f:1:1: the table has no feature columns"},
        {"qid,a\n1,2\n2,3\n1,4\n", NULL, "f:4:1: the documents of query 1 are not adjacent"},
        {"qid,a\n1,2\n,3\n", NULL, "f:3:1: '' is not a query number (a 64-bit integer)"},
        {"a,qid\n1,2\n4,1.5\n", NULL, "f:3:3: '1.5' is not a query number (a 64-bit integer)"},
        {"a,qid,QID\n1,2,3\n", NULL, "f:1:7: the table has two columns named qid"},

    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct matrix *m;
        struct error error = {""};
        const struct data_reading reading = {.label = bad[i].label};
        if (read_text(bad[i].text, strlen(bad[i].text), &reading, &m, &error) == STATUS_OK)
            fail_msg("read without an error: %s", bad[i].text);
        assert_null(m);
        if (strncmp(error.text, bad[i].expected, strlen(bad[i].expected)) != 0)
            fail_msg("'%s' does not begin with '%s'", error.text, bad[i].expected);
    }
}

/* Scoring ignores labels, so the label column of a table to be predicted may be empty. */
static void test_labels_that_nobody_needs(void **state) {
    (void)state;
    static const char text[] = "a,target\n1,\n2,inf\n3,4\n";
    const struct data_reading reading = {.words = WORDS_LABELS_ONLY};
    struct matrix *m;
    struct error error;
    if (read_text(text, sizeof text - 1, &reading, &m, &error))
        fail_msg("%s", error.text);
    assert_int_equal(m->n_features, 1);
    assert_int_equal(m->n_rows, 3);
    assert_float_equal(matrix_row(m, 2)[0], 3, 0);
    assert_true(isnan(m->labels[0]));
    matrix_free(m);
}

static void test_cut_anywhere(void **state) {
    (void)state;
    static const char text[] = "a;\"b\";target\n1,5;\"x;\"\"y\";7\r\nNA;?;8\n-2;z;9\n";
    for (size_t size = 0; size < sizeof text - 1; size++) {
        struct matrix *m;
        struct error error = {""};
        if (read_text(text, size, &PLAIN, &m, &error) == STATUS_OK)
            matrix_free(m);
        else
            assert_memory_equal(error.text, "f:", 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_separators),
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_columns_are_taken_by_name),
        cmocka_unit_test(test_names_tell_a_header),
        cmocka_unit_test(test_columns_named_otherwise_are_taken_by_position),
        cmocka_unit_test(test_doubtful_names_are_refused),
        cmocka_unit_test(test_words_are_coded_in_sorted_order),
        cmocka_unit_test(test_columns_of_words_are_told),
        cmocka_unit_test(test_truth_values),
        cmocka_unit_test(test_truth_values_among_words),
        cmocka_unit_test(test_words_are_refused_where_they_mean_nothing),
        cmocka_unit_test(test_a_column_qid_is_the_queries),
        cmocka_unit_test(test_missing_among_categories),
        cmocka_unit_test(test_missing_and_categories),
        cmocka_unit_test(test_decimal_commas),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_more_features_are_wanted),
        cmocka_unit_test(test_many_words),
        cmocka_unit_test(test_bad_text),
        cmocka_unit_test(test_labels_that_nobody_needs),
        cmocka_unit_test(test_cut_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
