/* Which stored times `auto` reads again, and which files it refuses. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/files/file.h"
#include "impls/auto/auto_store.h"
#include "impls/scorer.h"
#include "tests/impls/auto/times.h"
#include "tests/impls/scratch.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void store(const struct ensemble *ensemble) {
    struct auto_times times = {.n_sizes = 0};
    set_time(&times, 1, "qs", 100);
    set_time(&times, 300, "vpred,v=16", 14000);
    set_time(&times, 300, AUTO_UNTUNED, 15000);
    times.sizes[1].seconds = 2;
    times.sizes[1].source = AUTO_RESAMPLED;
    store_times(ensemble, &times);
}

static void what_is_stored_is_read_again(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(1), *other = make_trees(2), *exact = NULL;
    struct auto_times times;
    bool found = true;
    assert_int_equal(auto_store_read(ensemble, &times, &found, NULL), STATUS_OK);
    assert_false(found);
    store(ensemble);
    assert_int_equal(auto_store_read(ensemble, &times, &found, NULL), STATUS_OK);
    assert_true(found);
    assert_int_equal(times.n_specs, 3);
    assert_int_equal(times.n_sizes, 2);
    assert_string_equal(times.specs[1], "vpred,v=16");
    assert_int_equal(times.sizes[1].docs, 300);
    assert_int_equal(times.sizes[1].source, AUTO_RESAMPLED);
    assert_near(times.sizes[0].seconds, 8);
    assert_near(times.sizes[1].seconds, 2);
    assert_near(times.sizes[0].ns[0], 100);
    assert_near(times.sizes[0].ns[1], 0);
    assert_near(times.sizes[1].ns[1], 14000);
    assert_int_equal(auto_store_read(other, &times, &found, NULL), STATUS_OK);
    assert_false(found);
    /* The same trees with other leaves take as long. */
    assert_int_equal(ensemble_copy_with_exact_leaves(ensemble, 1, &exact, NULL), 0);
    assert_int_equal(auto_store_read(exact, &times, &found, NULL), STATUS_OK);
    assert_true(found);
    ensemble_free(ensemble);
    ensemble_free(other);
    ensemble_free(exact);
}

/* How a NaN goes decides how long paths are. */
static void other_sides_of_nan_are_another_model(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(6);
    struct auto_times times;
    bool found = false;
    store(ensemble);
    assert_int_equal(auto_store_read(ensemble, &times, &found, NULL), STATUS_OK);
    assert_true(found);
    ensemble->nan_left[ensemble->n_nodes - 1] ^= 1;
    assert_int_equal(auto_store_read(ensemble, &times, &found, NULL), STATUS_OK);
    assert_false(found);
    ensemble_free(ensemble);
}

static void replace_file(const char *path, const char *text) {
    struct file_writer writer;
    assert_int_equal(file_write_begin(&writer, path, NULL), STATUS_OK);
    fputs(text, writer.stream);
    assert_int_equal(file_write_commit(&writer, NULL), STATUS_OK);
}

/* The stored file with `from` in it replaced, once. */
static void edit_file(const char *path, const char *from, const char *to) {
    struct file_text text;
    char edited[4096];
    assert_int_equal(file_read(path, &text, NULL), STATUS_OK);
    const char *at = strstr(text.data, from);
    assert_non_null(at);
    snprintf(edited, sizeof edited, "%.*s%s%s", (int)(at - text.data), text.data, to,
             at + strlen(from));
    file_text_free(&text);
    replace_file(path, edited);
}

/* Refused with the file's name and the reason, and `auto` scores all the same. */
static void assert_refused(const struct ensemble *ensemble, const char *path, const char *reason) {
    struct auto_times times;
    struct error error = {""};
    bool found = false;
    struct scorer *scorer = NULL;
    assert_int_equal(auto_store_read(ensemble, &times, &found, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, path));
    if (!strstr(error.text, reason))
        fail_msg("'%s' does not say '%s'", error.text, reason);
    assert_int_equal(scorer_build("auto", ensemble, &scorer, NULL), STATUS_OK);
    scorer_destroy(scorer);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *reason;
    } edits[] = {
        {"\"version\":\t3", "\"version\":\t2", "version"},
        {"\"cpu\":\t\"", "\"cpu\":\t\"foreign ", "cpu is 'foreign "},
        {"\"features\":\t\"", "\"features\":\t\"amx ", "features is 'amx "},
        {"\"model\":\t\"", "\"model\":\t\"0", "model is '0"},
        {"\"qs\"", "\"auto\"", "cannot choose"},
        {"\"qs\"", "\"xgboost\"", "cannot choose"},
#if defined(__x86_64__)
        {"\"qs\"", "\"planes-avx2,sums=float\"", "cannot choose"},
#endif
        {"\"qs\"", "\"qz\"", "no implementation 'qz'"},
        {"\"qs\"", "\"vpred,w=16\"", "no option 'w'"},
        {"\"documents\":\t300", "\"documents\":\t1", "twice"},
        {"\"documents\":\t300", "\"documents\":\t0", "documents"},
        {"\"documents\":\t300", "\"documents\":\ttrue", "documents"},
        {":\t14000", ":\t0", "vpred,v=16"},
        {":\t14000", ":\t\"x\"", "vpred,v=16"},
        {"\"seconds\":\t8", "\"seconds\":\t-8", "seconds"},
        {"\"source\":\t\"data\"", "\"source\":\t\"hearsay\"", "source: 'hearsay'"},
        {"\"ns\"", "\"ms\"", "ns"},
        {"\"calls\"", "\"sizes\"", "calls"}
    };
    struct ensemble *ensemble = make_trees(1);
    char path[PATH_MAX];
    assert_int_equal(auto_store_path(ensemble, path, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        store(ensemble);
        edit_file(path, edits[i].from, edits[i].to);
        assert_refused(ensemble, path, edits[i].reason);
    }
    replace_file(path, "[]");
    assert_refused(ensemble, path, "not a JSON object");
    ensemble_free(ensemble);
}

static void a_torn_file_is_refused(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(1);
    char path[PATH_MAX];
    struct stat info;
    assert_int_equal(auto_store_path(ensemble, path, NULL), STATUS_OK);
    store(ensemble);
    assert_int_equal(stat(path, &info), 0);
    for (off_t size = info.st_size - 2; size >= 0; size -= 37) {
        assert_int_equal(truncate(path, size), 0);
        assert_refused(ensemble, path, "");
    }
    ensemble_free(ensemble);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_stored_is_read_again),
        cmocka_unit_test(other_sides_of_nan_are_another_model),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(a_torn_file_is_refused),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
