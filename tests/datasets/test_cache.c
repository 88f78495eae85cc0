#include "base/files/file.h"
#include "base/files/mapping.h"
#include "datasets/cache.h"
#include "datasets/data.h"
#include "datasets/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

static const struct data_reading PLAIN = {0};

/* The positions of the header's fields, as in docs/data-sets.md. */
enum {
    AT_BYTE_ORDER = 8,
    AT_VERSION = 12,
    AT_FILE_SIZE = 16,
    AT_ROWS = 24,
    AT_QUERIES = 32,
    AT_STRIDE = 40,
    AT_FEATURES = 48,
    AT_FLAGS = 52,
    AT_CHECKSUM = 56,
    AT_NOTE = 128,
    AT_VALUES = 256
};

/* Three documents with two queries and 17 features, which need two cache lines. */
static struct matrix *make_documents(void) {
    static const char text[] = "# note: made by hand\n"
                               "2 qid:7 1:0.5 17:-inf\n0 qid:7 2:nan\n-1.5 qid:9 16:3\n";
    struct matrix *matrix;
    assert_int_equal(data_format_svmlight.read("f", text, sizeof text - 1, &PLAIN, &matrix, NULL),
                     STATUS_OK);
    return matrix;
}

static char *write_bytes(const struct matrix *matrix, size_t *size) {
    char *bytes = NULL;
    FILE *stream = open_memstream(&bytes, size);
    assert_non_null(stream);
    assert_int_equal(data_format_cache.write(matrix, stream, NULL), STATUS_OK);
    fclose(stream);
    return bytes;
}

static void assert_same(const struct matrix *a, const struct matrix *b) {
    assert_int_equal(a->n_rows, b->n_rows);
    assert_int_equal(a->n_features, b->n_features);
    assert_int_equal(a->stride, b->stride);
    assert_int_equal(a->n_queries, b->n_queries);
    assert_string_equal(a->note, b->note);
    assert_memory_equal(a->values, b->values, a->n_rows * a->stride * sizeof(float));
    assert_true(!a->labels == !b->labels && !a->query_id == !b->query_id);
    if (a->labels)
        assert_memory_equal(a->labels, b->labels, a->n_rows * sizeof(float));
    if (a->query_id) {
        assert_memory_equal(a->query_row, b->query_row, (a->n_queries + 1) * sizeof(size_t));
        assert_memory_equal(a->query_id, b->query_id, a->n_queries * sizeof(int64_t));
    }
}

/* --- good caches ------------------------------------------------------------------------------ */
static void make_path(char path[static 64]) {
    strcpy(path, "/tmp/treebench-test-XXXXXX");
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
}

static struct matrix *read_file(const char *path, const struct data_reading *reading) {
    struct matrix *matrix;
    struct error error = {""};
    if (data_read(path, reading, &matrix, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return matrix;
}

static void a_cache_is_mapped_as_it_was_written(void **state) {
    (void)state;
    char path[64];
    make_path(path);
    struct matrix *documents = make_documents();
    assert_false(cache_is_file(path));
    assert_int_equal(data_write(documents, path, "cache", NULL), STATUS_OK);
    assert_true(cache_is_file(path));
    struct matrix *mapped = read_file(path, &PLAIN);
    assert_non_null(mapped->mapping);
    assert_int_equal((uintptr_t)mapped->values % 64, 0);
    assert_same(documents, mapped);

    matrix_row(mapped, 0)[0] = 99; /* changes this mapping, but not the file */
    struct matrix *again = read_file(path, &PLAIN);
    assert_same(documents, again);
    matrix_free(again);
    matrix_free(mapped);
    matrix_free(documents);
    unlink(path);
}

static void documents_without_labels_or_queries_are_kept_so(void **state) {
    (void)state;
    struct matrix *documents, *read;
    for (size_t rows = 0; rows < 3; rows++) {
        assert_int_equal(matrix_create(rows, 3, &documents, NULL), STATUS_OK);
        size_t size;
        char *bytes = write_bytes(documents, &size);
        assert_int_equal(data_format_cache.read("f", bytes, size, &PLAIN, &read, NULL), STATUS_OK);
        assert_same(documents, read);
        free(bytes);
        matrix_free(read);
        matrix_free(documents);
    }
}

static void a_model_with_more_features_gets_them(void **state) {
    (void)state;
    char path[64];
    make_path(path);
    struct matrix *documents = make_documents();
    assert_int_equal(data_write(documents, path, "cache", NULL), STATUS_OK);
    const struct data_reading wide = {.n_features = 19, .missing = NAN};
    struct matrix *read = read_file(path, &wide);
    assert_int_equal(read->n_features, 19);
    assert_int_equal(read->n_named, documents->n_features); /* the file's: a table must match */
    assert_true(matrix_row(read, 2)[15] == 3 && matrix_row(read, 2)[16] == 0);
    assert_true(isnan(matrix_row(read, 2)[17]) && isnan(matrix_row(read, 2)[18]));
    assert_true(matrix_row(read, 2)[19] == 0);
    assert_true(read->labels[2] == -1.5f && read->query_id[1] == 9 && read->query_row[1] == 2);
    matrix_free(read);
    matrix_free(documents);
    unlink(path);
}

/* --- names of columns ------------------------------------------------------------------------- */

static void write_text(const char *path, const char *text) {
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

/* Reads the table "a,label,b c,q" from a cache, for a model of these features. */
static enum status read_table(const char *names, uint32_t n_features, struct matrix **matrix,
                              struct error *error) {
    char path[64], cache[80];
    make_path(path);
    snprintf(cache, sizeof cache, "%s.cache", path);
    write_text(path, "a,label,b c,q\n1,7,2,3\n4,8,5,6\n");
    struct matrix *table;
    assert_int_equal(data_read(path, &PLAIN, &table, NULL), STATUS_OK);
    assert_int_equal(data_write(table, cache, NULL, NULL), STATUS_OK);
    matrix_free(table);
    const struct data_reading reading = {.feature_names = names, .n_features = n_features};
    enum status status = data_read(cache, &reading, matrix, error);
    unlink(path);
    unlink(cache);
    return status;
}

static void a_cache_keeps_the_names_of_columns(void **state) {
    (void)state;
    struct matrix *m;
    assert_int_equal(read_table(NULL, 0, &m, NULL), STATUS_OK);
    assert_int_equal(m->columns, COLUMNS_BY_POSITION);
    assert_int_equal(m->column_names_size, 8);
    assert_memory_equal(m->column_names, "a\0b c\0q", 8);
    matrix_free(m);
}

static void columns_of_a_cache_are_taken_by_name(void **state) {
    (void)state;
    struct matrix *m;
    assert_int_equal(read_table("q\0b_c", 2, &m, NULL), STATUS_OK);
    assert_int_equal(m->columns, COLUMNS_BY_NAME);
    assert_true(m->n_features == 2 && m->n_named == 2 && m->n_left_out == 1);
    assert_true(matrix_row(m, 0)[0] == 3 && matrix_row(m, 0)[1] == 2);
    assert_true(matrix_row(m, 1)[0] == 6 && matrix_row(m, 1)[1] == 5);
    assert_true(matrix_row(m, 1)[2] == 0 && m->labels[1] == 8);
    matrix_free(m);
    /* If the columns are in order, nothing is copied. */
    assert_int_equal(read_table("a\0b c", 2, &m, NULL), STATUS_OK);
    assert_true(m->columns == COLUMNS_BY_NAME && m->n_left_out == 1);
    assert_true((char *)m->values > (char *)m->mapping &&
                (char *)m->values < (char *)m->mapping + m->mapping_size);
    matrix_free(m);
    assert_int_equal(read_table("x\0y\0z", 3, &m, NULL), STATUS_OK);
    assert_int_equal(m->columns, COLUMNS_NAMED_ELSE);
    matrix_free(m);
}

static void some_of_the_names_are_refused(void **state) {
    (void)state;
    struct matrix *m;
    struct error error = {""};
    assert_int_equal(read_table("q\0b", 2, &m, &error), STATUS_INPUT);
    assert_null(m);
    assert_non_null(strstr(error.text, ".cache: the table has columns for some of the model's "
                                       "features, but not for 'b' (feature 1)"));
    assert_int_equal(read_table("q\0a\0q", 3, &m, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, ".cache: 'q' is the name of two columns"));
}

/* A cache that is gzipped or comes from a pipe is read instead of mapped. */
static void a_gzipped_cache_is_read(void **state) {
    (void)state;
    char path[64];
    make_path(path);
    struct matrix *documents = make_documents();
    size_t size;
    char *bytes = write_bytes(documents, &size);
    gzFile stream = gzopen(path, "wb");
    assert_int_equal(gzwrite(stream, bytes, (unsigned)size), (int)size);
    gzclose(stream);
    struct matrix *read = read_file(path, &PLAIN);
    assert_null(read->mapping);
    assert_same(documents, read);
    free(bytes);
    matrix_free(read);
    matrix_free(documents);
    unlink(path);
}

static void the_name_or_the_format_says_what_is_written(void **state) {
    (void)state;
    char path[64], named[80];
    make_path(path);
    snprintf(named, sizeof named, "%s.cache", path);
    struct matrix *documents = make_documents();
    struct error error = {""};
    assert_int_equal(data_write(documents, named, NULL, &error), STATUS_OK);
    assert_true(cache_is_file(named));
    assert_int_equal(data_write(documents, path, NULL, &error), STATUS_OK);
    assert_false(cache_is_file(path));
    assert_int_equal(data_write(documents, named, "svmlight", &error), STATUS_OK);
    assert_false(cache_is_file(named));
    assert_int_equal(data_write(documents, path, "csw", &error), STATUS_INPUT);
    assert_string_equal(error.text,
                        "cannot write documents as 'csw'. Supported formats: svmlight, csv, cache");
    matrix_free(documents);
    unlink(path);
    unlink(named);
}

/* --- bad caches ------------------------------------------------------------------------------- */
/* Reads the bytes both ways, which must agree. The copy ends where the bytes end. */
static void assert_refused(const char *bytes, size_t size, const char *words) {
    char path[64];
    make_path(path);
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    fclose(stream);
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    struct matrix *matrix;
    struct error error = {""};
    enum status status = data_format_cache.read(path, copy, size, &PLAIN, &matrix, &error);
    if (!status || !strstr(error.text, words) || strchr(error.text, '\n'))
        fail_msg("'%s' should say '%s'", error.text, words);
    assert_null(matrix);
    if (cache_is_file(path)) {
        struct error mapped = {""};
        assert_int_equal(cache_map(path, &PLAIN, &matrix, &mapped), status);
        assert_string_equal(mapped.text, error.text);
        assert_null(matrix);
    }
    free(copy);
    unlink(path);
}

static void a_cut_file_is_refused_wherever_it_is_cut(void **state) {
    (void)state;
    struct matrix *documents = make_documents();
    size_t size;
    char *bytes = write_bytes(documents, &size);
    for (size_t cut = 8; cut < size; cut++)
        assert_refused(bytes, cut, "the file is incomplete");
    free(bytes);
    matrix_free(documents);
}

static void an_altered_byte_is_refused_wherever_it_is(void **state) {
    (void)state;
    struct matrix *documents = make_documents();
    size_t size;
    char *bytes = write_bytes(documents, &size);
    for (size_t at = 8; at < size; at++) {
        bytes[at] = (char)(bytes[at] ^ 4);
        assert_refused(bytes, size, "/tmp/");
        bytes[at] = (char)(bytes[at] ^ 4);
    }
    free(bytes);
    matrix_free(documents);
}

static void set_u32(char *bytes, size_t at, uint32_t value) {
    memcpy(bytes + at, &value, sizeof value);
}

static void set_u64(char *bytes, size_t at, uint64_t value) {
    memcpy(bytes + at, &value, sizeof value);
}

static void seal(char *bytes, size_t size) {
    set_u32(bytes, AT_CHECKSUM, 0);
    set_u32(bytes, AT_CHECKSUM, (uint32_t)crc32_z(0, (const unsigned char *)bytes, size));
}

/* Sets one field to a value, with a correct checksum. */
static void lies_under_a_right_checksum_are_refused(void **state) {
    (void)state;
    /* after the values of three documents: labels, query_row, query_id */
    enum { LABELS = AT_VALUES + 3 * 128, QUERY_ROW = LABELS + 64, QUERY_ID = QUERY_ROW + 64 };
    static const struct {
        size_t at, size;
        uint64_t value;
        const char *words;
    } cases[] = {
        {AT_BYTE_ORDER, 4, 0x04030201, "another byte order"},
        {AT_VERSION, 4, 1, "the cache has version 1, but this program reads version 2"},
        {AT_FILE_SIZE, 8, 10000000000, "the cache should have 10000000000 bytes, but has 832"},
        {AT_ROWS, 8, 4, "are inconsistent"},
        {AT_ROWS, 8, UINT64_MAX, "are inconsistent"},
        {AT_ROWS, 8, (uint64_t)1 << 59, "are inconsistent"},
        {AT_QUERIES, 8, 100, "are inconsistent"},
        {AT_QUERIES, 8, UINT64_MAX, "are inconsistent"},
        {AT_STRIDE, 8, 16, "are inconsistent"},
        {AT_FEATURES, 4, 33, "are inconsistent"},
        {AT_FEATURES, 4, UINT32_MAX, "too many features"},
        {AT_FEATURES, 4, 16, "are inconsistent"},
        {AT_FLAGS, 4, 16, "unknown flags"},
        {AT_FLAGS, 4, 1, "inconsistent about queries"},
        {AT_VALUES + 17 * 4, 4, 1, "the padding of a document is not zero"},
        {LABELS, 4, 0x7fc00000, "a label is not finite"},
        {QUERY_ROW, 8, 1, "the queries do not cover the documents"},
        {QUERY_ROW + 8, 8, 3, "a query has no documents"},
        {QUERY_ROW + 8, 8, 0, "a query has no documents"},
        {QUERY_ROW + 8, 8, UINT64_MAX, "a query has no documents"},
        {QUERY_ROW + 16, 8, 4, "the queries do not cover the documents"},
        {AT_NOTE, 4, 0x0a0a0a0a, "the note in the cache's header is not a line of text"},
    };
    struct matrix *documents = make_documents();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        char *bytes = write_bytes(documents, &size);
        if (cases[i].size == 4)
            set_u32(bytes, cases[i].at, (uint32_t)cases[i].value);
        else
            set_u64(bytes, cases[i].at, cases[i].value);
        seal(bytes, size);
        assert_refused(bytes, size, cases[i].words);
        free(bytes);
    }
    matrix_free(documents);
}

/* Two names for two features: one NUL more or less is rejected, even with a correct checksum. */
static void names_that_are_not_one_each_are_refused(void **state) {
    (void)state;
    static const char names[] = "x\0y";
    struct matrix *documents;
    assert_int_equal(matrix_create(1, 2, &documents, NULL), STATUS_OK);
    documents->column_names = malloc(sizeof names);
    assert_non_null(documents->column_names);
    memcpy(documents->column_names, names, sizeof names);
    documents->column_names_size = sizeof names;
    documents->columns = COLUMNS_BY_POSITION;
    for (size_t at = 0; at < sizeof names; at++) {
        size_t size;
        char *bytes = write_bytes(documents, &size);
        char *name = bytes + size - sizeof names + at;
        *name = *name ? '\0' : 'z';
        seal(bytes, size);
        assert_refused(bytes, size, "the number of names differs from the number of features");
        free(bytes);
    }
    matrix_free(documents);
}

/* Many empty documents need no bytes, but a loop over them would not end. */
static void documents_of_nothing_are_refused(void **state) {
    (void)state;
    struct matrix *documents;
    assert_int_equal(matrix_create(0, 0, &documents, NULL), STATUS_OK);
    size_t size;
    char *bytes = write_bytes(documents, &size);
    set_u64(bytes, AT_ROWS, (uint64_t)1 << 60);
    seal(bytes, size);
    assert_refused(bytes, size, "neither features nor labels");
    free(bytes);
    matrix_free(documents);
}

/* Runs in a child process, which prints a message and ends. */
static void a_file_that_is_truncated_meanwhile_is_told(void **state) {
    (void)state;
    enum { ROWS = 4096 }; /* several pages */
    char path[] = "/tmp/treebench-cache-XXXXXX", said[256] = "", expected[256];
    struct matrix *documents;
    int file = mkstemp(path), ends[2], outcome;
    assert_true(file >= 0 && pipe(ends) == 0);
    close(file);
    assert_int_equal(matrix_create(ROWS, 4, &documents, NULL), STATUS_OK);
    assert_int_equal(data_write(documents, path, "cache", NULL), STATUS_OK);
    matrix_free(documents);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        mapping_on_signals();
        assert_int_equal(cache_map(path, &PLAIN, &documents, NULL), STATUS_OK);
        assert_int_equal(truncate(path, 256), 0);
        _exit(matrix_row(documents, ROWS - 1)[0] == 0 ? 0 : 1);
    }
    close(ends[1]);
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_true(WIFEXITED(outcome));
    assert_int_equal(WEXITSTATUS(outcome), 2);
    assert_true(read(ends[0], said, sizeof said - 1) > 0);
    snprintf(expected, sizeof expected,
             "treebench: %s: the file was truncated while it was being read\n", path);
    assert_string_equal(said, expected);
    close(ends[0]);
    unlink(path);
}

/* A writer that waits for a reader would be ended by opening and closing the pipe. */
static void a_pipe_is_not_opened_to_look_at_it(void **state) {
    (void)state;
    char path[] = "/tmp/treebench-cache-XXXXXX";
    assert_non_null(mkdtemp(path));
    char fifo[64];
    snprintf(fifo, sizeof fifo, "%s/fifo", path);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        FILE *stream = fopen(fifo, "w"); /* waits */
        _exit(stream ? 1 : 2);
    }
    usleep(20 * 1000);
    assert_false(cache_is_file(fifo));
    int outcome;
    assert_int_equal(waitpid(child, &outcome, WNOHANG), 0); /* it still waits */
    usleep(20 * 1000);
    assert_int_equal(waitpid(child, &outcome, WNOHANG), 0);
    kill(child, SIGKILL);
    waitpid(child, &outcome, 0);
    unlink(fifo);
    rmdir(path);
}

static void labels_that_are_not_finite_are_refused(void **state) {
    (void)state;
    static const float wrong[] = {INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct matrix *documents = make_documents();
        documents->labels[1] = wrong[i];
        size_t size;
        char *bytes = write_bytes(documents, &size);
        assert_refused(bytes, size, "a label is not finite");
        free(bytes);
        matrix_free(documents);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_is_mapped_as_it_was_written),
        cmocka_unit_test(documents_without_labels_or_queries_are_kept_so),
        cmocka_unit_test(a_model_with_more_features_gets_them),
        cmocka_unit_test(a_cache_keeps_the_names_of_columns),
        cmocka_unit_test(columns_of_a_cache_are_taken_by_name),
        cmocka_unit_test(some_of_the_names_are_refused),
        cmocka_unit_test(names_that_are_not_one_each_are_refused),
        cmocka_unit_test(a_gzipped_cache_is_read),
        cmocka_unit_test(the_name_or_the_format_says_what_is_written),
        cmocka_unit_test(a_cut_file_is_refused_wherever_it_is_cut),
        cmocka_unit_test(an_altered_byte_is_refused_wherever_it_is),
        cmocka_unit_test(lies_under_a_right_checksum_are_refused),
        cmocka_unit_test(documents_of_nothing_are_refused),
        cmocka_unit_test(labels_that_are_not_finite_are_refused),
        cmocka_unit_test(a_file_that_is_truncated_meanwhile_is_told),
        cmocka_unit_test(a_pipe_is_not_opened_to_look_at_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
