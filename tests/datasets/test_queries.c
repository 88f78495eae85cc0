/* Query sizes from a file, for documents from text and from a mapped cache. */
#include "datasets/data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/treebench-queries-XXXXXX";

static int enter_folder(void **state) {
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const files[] = {"d.txt", "d.cache", "q", "qid.txt"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    return chdir("/") || rmdir(folder);
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_refused(const char *data, const char *sizes, const char *words) {
    struct matrix *m;
    struct error error = {""};
    write_text("q", sizes);
    assert_int_equal(data_read(data, &(struct data_reading){.queries = "q"}, &m, &error),
                     STATUS_INPUT);
    assert_null(m);
    if (!strstr(error.text, words))
        fail_msg("'%s' does not say '%s'", error.text, words);
}

static void assert_queries(const char *data, const char *sizes) {
    struct matrix *m;
    struct error error = {""};
    write_text("q", sizes);
    if (data_read(data, &(struct data_reading){.queries = "q"}, &m, &error))
        fail_msg("%s", error.text);
    assert_int_equal(m->n_queries, 3);
    static const size_t rows[] = {0, 2, 3, 6};
    assert_memory_equal(m->query_row, rows, sizeof rows);
    for (int q = 0; q < 3; q++)
        assert_int_equal(m->query_id[q], q + 1);
    matrix_free(m);
}

static void write_documents(void) {
    struct matrix *m;
    write_text("d.txt", "0 1:1\n1 1:2\n0 1:3\n0 1:4\n1 1:5\n1 1:6\n");
    assert_int_equal(data_read("d.txt", &(struct data_reading){0}, &m, NULL), STATUS_OK);
    assert_int_equal(data_write(m, "d.cache", NULL, NULL), STATUS_OK);
    matrix_free(m);
}

static void sizes_make_queries(void **state) {
    (void)state;
    write_documents();
    assert_queries("d.txt", "2\n1\n3\n");
    assert_queries("d.txt", " 2\r\n\r\n1 \n\n3");
    assert_queries("d.txt", "\xef\xbb\xbf"
                            "2\n1\n3\n");
    assert_queries("d.cache", "2\n1\n3\n");
}

static void sizes_that_do_not_fit_are_refused_with_their_line(void **state) {
    (void)state;
    write_documents();
    assert_refused(
        "d.txt", "2\n1\n4\n",
        "q:3: this query has 4 documents, but only 3 of the 6 documents of d.txt are left");
    assert_refused("d.txt", "2\n1\n3\n1\n", "q:4: this query has 1 documents, but only 0 of the");
    assert_refused("d.txt", "2\n\n2\n",
                   "q:3: the queries have 4 documents together, but d.txt has 6");
    assert_refused("d.cache", "2\n",
                   "q:1: the queries have 2 documents together, but d.cache has 6");
    assert_refused("d.txt", "", "q:1: the queries have 0 documents together, but d.txt has 6");
    assert_refused("d.txt", "4294967295\n", "q:1: this query has 4294967295 documents, but only");
}

static void what_is_no_size_is_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {"2\n0\n4\n", "2\n-1\n", "2\n1 3\n",       "2\n1.5\n",
                                        "2\nx\n",    "2\n\x01", "2\n4294967296\n"};
    write_documents();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refused("d.txt", wrong[i], "q:2: this line is not the number of documents");
}

static void documents_have_queries_once(void **state) {
    (void)state;
    write_text("qid.txt", "0 qid:1 1:1\n");
    assert_refused("qid.txt", "1\n",
                   "q: query sizes cannot be used, because qid.txt has queries of its own");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_make_queries),
        cmocka_unit_test(sizes_that_do_not_fit_are_refused_with_their_line),
        cmocka_unit_test(what_is_no_size_is_refused),
        cmocka_unit_test(documents_have_queries_once),
    };
    return cmocka_run_group_tests(tests, enter_folder, remove_folder);
}
