/* What calls cost, how they are shared out, and what is stored of it. That `auto` scores exactly is
 * test_exactness's. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/files/file.h"
#include "impls/auto/auto_cost.h"
#include "impls/auto/auto_default.h"
#include "impls/auto/auto_store.h"
#include "impls/scorer.h"
#include "synth/synth.h"
#include "tests/impls/forests.h"
#include "tests/impls/scratch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- costs ------------------------------------------------------------------------------------ */

static const struct auto_cost single = {.document = 100, .lanes = 1};
static const struct auto_cost eight = {.step = 300, .lanes = 8};
static const struct auto_cost block = {.step = 5000, .document = 10, .lanes = 256};

static void assert_near(double found, double expected) {
    if (fabs(found - expected) > 1e-6 * (1 + fabs(expected)))
        fail_msg("%.17g instead of %.17g", found, expected);
}

static void assert_cost(struct auto_cost found, struct auto_cost expected) {
    assert_int_equal(found.lanes, expected.lanes);
    assert_near(found.step, expected.step);
    assert_near(found.document, expected.document);
}

static void costs_add_up(void **state) {
    (void)state;
    assert_near(auto_cost_of(&block, 1), 5000 + 10);
    assert_near(auto_cost_of(&block, 256), 5000 + 2560);
    assert_near(auto_cost_of(&block, 257), 2 * 5000 + 2570);
    assert_near(auto_cost_of(&eight, 0), 0);
}

/* --- times -------------------------------------------------------------------------------------
 */

static void set_time(struct auto_times *times, size_t docs, const char *spec, double ns) {
    if (!auto_times_find(times, docs)) {
        struct auto_size *size = auto_times_add(times, docs);
        assert_non_null(size);
        size->source = AUTO_DATA;
        size->seconds = 8;
    }
    size_t number = auto_times_spec(times, spec);
    assert_true(number < AUTO_SPECS_MAX);
    for (size_t i = 0; i < times->n_sizes; i++)
        if (times->sizes[i].docs == docs)
            times->sizes[i].ns[number] = ns;
}

static void sizes_are_in_ascending_order_and_there_once(void **state) {
    (void)state;
    struct auto_times times = {.n_sizes = 0};
    for (size_t i = 0; i < AUTO_SIZES_MAX; i++)
        assert_non_null(auto_times_add(&times, i % 2 ? 100 - i : i + 1));
    for (size_t i = 1; i < AUTO_SIZES_MAX; i++)
        assert_true(times.sizes[i - 1].docs < times.sizes[i].docs);
    assert_null(auto_times_add(&times, 1000));
    times.n_sizes--;
    assert_null(auto_times_add(&times, 1));
    assert_ptr_equal(auto_times_find(&times, 1), &times.sizes[0]);
    assert_null(auto_times_find(&times, 2));
}

static void specs_are_numbered_once(void **state) {
    (void)state;
    struct auto_times times = {.n_sizes = 0};
    char name[AUTO_SPEC_SIZE + 8];
    assert_int_equal(auto_times_spec(&times, "qs"), 0);
    assert_int_equal(auto_times_spec(&times, "planes"), 1);
    assert_int_equal(auto_times_spec(&times, "qs"), 0);
    for (size_t i = 2; i < AUTO_SPECS_MAX; i++) {
        snprintf(name, sizeof name, "vpred,v=%zu", i);
        assert_int_equal(auto_times_spec(&times, name), i);
    }
    assert_int_equal(auto_times_spec(&times, "more"), AUTO_SPECS_MAX);
    times.n_specs--;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_int_equal(auto_times_spec(&times, name), AUTO_SPECS_MAX);
}

/* A step of 256 documents takes as long for 1 as for 256, and twice as long for 257. */
static void bounds_hold_for_steps(void **state) {
    (void)state;
    const struct auto_cost step = {.step = 5000, .lanes = 256};
    for (size_t measured = 1; measured < 1100; measured += 51)
        for (size_t docs = 1; docs < 1100; docs++) {
            double ns = auto_cost_of(&step, measured), real = auto_cost_of(&step, docs);
            assert_true(auto_times_least(ns, measured, docs) <= real);
            assert_true(auto_times_most(ns, measured, docs) >= real);
        }
    assert_near(auto_times_least(1000, 8, 8), 1000);
    assert_near(auto_times_least(1000, 8, 4), 500);
    assert_near(auto_times_most(1000, 8, 9), 2000);
}

/* Only where no time that is possible makes it slower. */
static void other_sizes_need_a_proof(void **state) {
    (void)state;
    struct auto_times times = {.n_sizes = 0};
    set_time(&times, 8, "qs", 100);
    assert_int_equal(auto_times_proven(&times, 8), AUTO_SPECS_MAX); /* than what? */
    set_time(&times, 8, AUTO_UNTUNED, 1000);
    assert_int_equal(auto_times_proven(&times, 7), 0);
    assert_int_equal(auto_times_proven(&times, 1), 0);
    assert_int_equal(auto_times_proven(&times, 72), 0);              /* 9 calls */
    assert_int_equal(auto_times_proven(&times, 80), AUTO_SPECS_MAX); /* as long as the untuned */
    set_time(&times, 64, AUTO_UNTUNED, 2500);
    assert_int_equal(auto_times_proven(&times, 80), 0);
    set_time(&times, 64, "planes", 400);
    assert_int_equal(auto_times_proven(&times, 60), 2);
    set_time(&times, 8, "qs", 600);
    assert_int_equal(auto_times_proven(&times, 7), 2); /* 400, of 500 at least */
    set_time(&times, 64, "planes", 470);
    assert_int_equal(auto_times_proven(&times, 7), AUTO_SPECS_MAX); /* too near */
}

/* --- splitting -------------------------------------------------------------------------------- */

static void assert_split(size_t n_docs, size_t head_docs, unsigned head, unsigned tail) {
    const struct auto_cost costs[] = {single, eight, block};
    struct auto_split split = auto_cost_split(costs, 3, n_docs);
    assert_int_equal(split.head_docs, head_docs);
    assert_int_equal(split.head, head);
    if (head_docs < n_docs)
        assert_int_equal(split.tail, tail);
}

static void calls_go_to_the_cheapest(void **state) {
    (void)state;
    assert_split(1, 1, 0, 0);
    assert_split(2, 2, 0, 0);
    assert_split(4, 4, 1, 0);       /* 300 for a step that is not full, against 400 */
    assert_split(9, 8, 1, 0);       /* a step and one document, 400, against two steps */
    assert_split(12, 12, 1, 0);     /* two steps, one of them not full */
    assert_split(256, 256, 2, 2);   /* a block */
    assert_split(300, 256, 2, 1);   /* a block, and 6 steps for its tail */
    assert_split(500, 500, 2, 2);   /* two blocks, one of them not full */
    assert_split(5121, 5120, 2, 0); /* beyond what is looked up */
}

/* No split is dearer than any single one, whatever the size. */
static void splits_only_save(void **state) {
    (void)state;
    const struct auto_cost costs[] = {single, eight, block};
    for (size_t n = 1; n <= 2 * AUTO_TABLE_DOCS; n++) {
        struct auto_split split = auto_cost_split(costs, 3, n);
        double ns = auto_cost_of_split(costs, &split, n);
        for (size_t i = 0; i < 3; i++)
            assert_true(ns <= auto_cost_of(&costs[i], n));
        assert_true(split.head_docs >= 1 && split.head_docs <= n);
    }
}

static void what_is_not_missed_is_left_out(void **state) {
    (void)state;
    struct auto_cost slower = block, costs[] = {slower, eight, block, single, eight};
    costs[0].step *= 2;
    costs[4].step *= 1.01; /* within the tolerance of the other */
    size_t kept[5];
    size_t count = auto_cost_reduce(costs, 5, 0.03, kept);
    assert_int_equal(count, 3);
    assert_int_equal(kept[0], 1);
    assert_int_equal(kept[1], 2);
    assert_int_equal(kept[2], 3);
    assert_cost(costs[0], eight);
    assert_cost(costs[2], single);
}

/* --- storing ---------------------------------------------------------------------------------- */

static struct ensemble *make_trees(uint64_t seed) {
    const struct synth_shape shape = {.depth = 4, .n_features = 5, .n_trees = 6};
    struct ensemble *ensemble = NULL;
    assert_int_equal(synth_trees(&shape, seed, &ensemble, NULL), 0);
    return ensemble;
}

static void store_times(const struct ensemble *ensemble, const struct auto_times *times) {
    struct error error = {""};
    if (auto_store_write(ensemble, times, &error))
        fail_msg("%s", error.text);
}

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
        {"\"cpu\":\t\"", "\"cpu\":\t\"foreign ", "cpu: 'foreign "},
        {"\"features\":\t\"", "\"features\":\t\"amx ", "features: 'amx "},
        {"\"model\":\t\"", "\"model\":\t\"0", "model: '0"},
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

/* --- what auto makes of it -------------------------------------------------------------------- */

/* What `auto` takes for a call, without the reason. */
static void choice(const struct scorer *scorer, size_t docs, char text[static 256]) {
    scorer->impl->describe(scorer, docs, docs, text, 256);
    text[strcspn(text, ";")] = 0;
}

static void assert_choice(const struct scorer *scorer, size_t docs, const char *expected) {
    char text[256];
    choice(scorer, docs, text);
    if (strncmp(text, expected, strlen(expected)) != 0)
        fail_msg("'%s' for %zu documents instead of '%s'", text, docs, expected);
}

static void auto_takes_the_fastest_at_measured_sizes(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(3);
    struct auto_times times = {.n_sizes = 0};
    struct scorer *scorer = NULL, *part = NULL;
    const size_t docs[] = {1, 100, 5000};
    for (size_t i = 0; i < 3; i++) {
        set_time(&times, docs[i], i == 1 ? "qs" : "vpred,v=32", 100);
        set_time(&times, docs[i], AUTO_UNTUNED, 110);
        set_time(&times, docs[i], "struct-plus", 120);
    }
    store_times(ensemble, &times);
    assert_int_equal(scorer_build("auto", ensemble, &scorer, NULL), STATUS_OK);
    assert_choice(scorer, 1, "vpred,v=32 for 1 document");
    assert_choice(scorer, 100, "qs for 100 documents");
    assert_choice(scorer, 5000, "vpred,v=32 for 5000 documents");
    assert_int_equal(scorer_build("qs", ensemble, &part, NULL), STATUS_OK);
    assert_true(part->workspace > 0 && scorer->workspace >= part->workspace);
    scorer_destroy(part);
    scorer_destroy(scorer);
    ensemble_free(ensemble);
}

/* What is fastest by far for one document, say times that are as far off as can be, says nothing of
 * others. */
static void other_sizes_are_as_without_tuning(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(3);
    struct auto_times times = {.n_sizes = 0};
    struct scorer *tuned = NULL, *untuned = NULL;
    set_time(&times, 1, "vpred,v=32", 1000);
    set_time(&times, 1, AUTO_UNTUNED, 1100);
    set_time(&times, 512, "vpred,v=8", 2000);
    set_time(&times, 512, AUTO_UNTUNED, 2100);
    store_times(ensemble, &times);
    assert_int_equal(scorer_build("auto", ensemble, &tuned, NULL), STATUS_OK);
    assert_int_equal(scorer_build(AUTO_UNTUNED, ensemble, &untuned, NULL), STATUS_OK);
    for (size_t docs = 1; docs < 2 * AUTO_TABLE_DOCS; docs++) {
        char expected[256];
        choice(untuned, docs, expected);
        if (docs != 1 && docs != 512)
            assert_choice(tuned, docs, expected);
    }
    assert_choice(tuned, 1, "vpred,v=32 ");
    assert_choice(tuned, 512, "vpred,v=8 ");
    scorer_destroy(tuned);
    scorer_destroy(untuned);
    ensemble_free(ensemble);
}

static void other_sizes_follow_a_proof(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(3);
    struct auto_times times = {.n_sizes = 0};
    struct scorer *scorer = NULL;
    char text[256];
    set_time(&times, 8, "vpred,v=32", 100);
    set_time(&times, 8, AUTO_UNTUNED, 1000);
    set_time(&times, 2000, "vpred,v=32", 20000);
    set_time(&times, 2000, AUTO_UNTUNED, 50000);
    store_times(ensemble, &times);
    assert_int_equal(scorer_build("auto", ensemble, &scorer, NULL), STATUS_OK);
    assert_choice(scorer, 7, "vpred,v=32 for 7 ");
    assert_choice(scorer, 72, "vpred,v=32 for 72 ");
    assert_choice(scorer, 1900, "vpred,v=32 for 1900 ");
    scorer->impl->describe(scorer, 7, 7, text, sizeof text);
    assert_non_null(strstr(text, "by times that treebench tune stored for other sizes"));
    scorer->impl->describe(scorer, 8, 8, text, sizeof text);
    assert_non_null(strstr(text, "by times that treebench tune stored"));
    assert_null(strstr(text, "other sizes"));
    scorer->impl->describe(scorer, 5000, 5000, text, sizeof text);
    assert_non_null(strstr(text, "by default costs (treebench tune measured other sizes)"));
    scorer_destroy(scorer);
    ensemble_free(ensemble);
}

/* Where it is the fastest itself, or hardly slower. */
static void what_is_untuned_stays_if_nothing_is_faster(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(3);
    struct auto_times times = {.n_sizes = 0};
    struct scorer *tuned = NULL, *untuned = NULL;
    set_time(&times, 100, "vpred,v=32", 1000);
    set_time(&times, 100, AUTO_UNTUNED, 1020);
    store_times(ensemble, &times);
    assert_int_equal(scorer_build("auto", ensemble, &tuned, NULL), STATUS_OK);
    assert_int_equal(scorer_build(AUTO_UNTUNED, ensemble, &untuned, NULL), STATUS_OK);
    assert_int_equal(tuned->bytes, untuned->bytes);
    scorer_destroy(tuned);
    scorer_destroy(untuned);
    ensemble_free(ensemble);
}

/* Where it is asked for, and only there. */
static void float_sums_are_asked_for(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(4);
    struct auto_times times = {.n_sizes = 0};
    struct scorer *exact = NULL, *rounded = NULL;
    set_time(&times, 256, "planes-avx2", 10);
    set_time(&times, 1, "qs", 10);
    store_times(ensemble, &times);
    assert_int_equal(scorer_build("auto", ensemble, &exact, NULL), STATUS_OK);
    assert_int_equal(scorer_build("auto,sums=float", ensemble, &rounded, NULL), STATUS_OK);
    assert_int_equal(exact->float_trees, 0);
    const struct impl *planes = impl_find("planes-avx2", NULL);
    if (planes && impl_runs_here(planes)) {
        assert_int_equal(rounded->float_trees, 64);
        assert_choice(rounded, 256, "planes-avx2,sums=float for 256");
    }
    scorer_destroy(exact);
    scorer_destroy(rounded);
    ensemble_free(ensemble);
}

/* A chain of 300 nodes is too deep for bit planes: the next in line is taken. */
static void what_is_refused_is_left_out(void **state) {
    (void)state;
    struct ensemble *ensemble = long_chain();
    struct auto_times times = {.n_sizes = 0};
    struct scorer *scorer = NULL;
    set_time(&times, 256, "planes", 100);
    set_time(&times, 256, "vpred,v=16", 200);
    store_times(ensemble, &times);
    assert_int_equal(scorer_build("auto", ensemble, &scorer, NULL), STATUS_OK);
    assert_choice(scorer, 256, "vpred,v=16 for 256");
    assert_non_null(strstr(scorer->note, "auto does without 'planes'"));
    scorer_destroy(scorer);
    ensemble_free(ensemble);
}

/* As if nothing were stored, with a note. */
static void all_refused_is_untuned(void **state) {
    (void)state;
    struct ensemble *ensemble = long_chain();
    struct auto_times times = {.n_sizes = 0};
    struct scorer *scorer = NULL, *untuned = NULL;
    char text[256], expected[256];
    set_time(&times, 1, "vqs-sse", 100);
    set_time(&times, 256, "planes", 100);
    store_times(ensemble, &times);
    assert_int_equal(scorer_build("auto", ensemble, &scorer, NULL), STATUS_OK);
    assert_int_equal(scorer_build(AUTO_UNTUNED, ensemble, &untuned, NULL), STATUS_OK);
    assert_non_null(scorer->note);
    for (size_t docs = 1; docs <= 256; docs += 255) {
        scorer->impl->describe(scorer, docs, docs, text, sizeof text);
        untuned->impl->describe(untuned, docs, docs, expected, sizeof expected);
        assert_string_equal(text, expected);
    }
    scorer_destroy(scorer);
    scorer_destroy(untuned);
    ensemble_free(ensemble);
}

enum { CANNOT_TELL = 77 };

/* In a process that may not run what it wrote, as the kernel can be told, for good. Exit status 0:
 * `auto` is what is left. */
static int build_without_written_code(const struct ensemble *ensemble) {
    enum { SET_MDWE = 65, REFUSE_EXEC_GAIN = 1 };
    struct scorer *scorer = NULL;
    if (prctl(SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0))
        return CANNOT_TELL;
    if (scorer_build("planes-jit-avx2", ensemble, &scorer, NULL) != STATUS_MACHINE)
        return 1;
    if (scorer_build("auto", ensemble, &scorer, NULL))
        return 2;
    char text[256];
    choice(scorer, 256, text);
    bool next = strncmp(text, "vpred,v=16 ", 11) == 0;
    scorer_destroy(scorer);
    return next ? 0 : 3;
}

static void code_that_may_not_run_is_left_out(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(4);
    struct auto_times times = {.n_sizes = 0};
    struct scorer *scorer = NULL;
    int wait_status = 0;
    bool is_here = scorer_build("planes-jit-avx2", ensemble, &scorer, NULL) == STATUS_OK;
    if (is_here)
        scorer_destroy(scorer);
    set_time(&times, 256, "planes-jit-avx2", 100);
    set_time(&times, 256, "vpred,v=16", 200);
    store_times(ensemble, &times);
    pid_t child = is_here ? fork() : -1;
    if (child == 0)
        _exit(build_without_written_code(ensemble));
    ensemble_free(ensemble);
    if (child < 0)
        skip();
    assert_int_equal(waitpid(child, &wait_status, 0), child);
    assert_true(WIFEXITED(wait_status));
    if (WEXITSTATUS(wait_status) == CANNOT_TELL)
        skip();
    assert_int_equal(WEXITSTATUS(wait_status), 0);
}

/* Whatever the model, there is something to choose from, and it costs something. */
static void defaults_are_costs(void **state) {
    (void)state;
    for (uint32_t depth = 0; depth <= 10; depth += 5) {
        const struct synth_shape shape = {.depth = depth, .n_features = 3, .n_trees = 2};
        struct ensemble *ensemble = NULL;
        struct auto_table table;
        assert_int_equal(synth_trees(&shape, 1, &ensemble, NULL), 0);
        assert_int_equal(auto_default_table(ensemble, &table, NULL), STATUS_OK);
        assert_true(table.count > 2);
        for (size_t i = 0; i < table.count; i++) {
            struct options options;
            assert_non_null(impl_parse(table.specs[i], &options, NULL));
            assert_true(table.costs[i].lanes > 0 && auto_cost_of(&table.costs[i], 1) > 0);
        }
        ensemble_free(ensemble);
    }
}

/* What a document has that no tree asks for is not read. */
static void defaults_ask_for_features_that_are_tested(void **state) {
    (void)state;
    struct ensemble *ensemble = make_trees(5);
    struct auto_table narrow, wide;
    assert_int_equal(auto_default_table(ensemble, &narrow, NULL), STATUS_OK);
    ensemble->n_features += 1000;
    assert_int_equal(auto_default_table(ensemble, &wide, NULL), STATUS_OK);
    assert_int_equal(narrow.count, wide.count);
    for (size_t i = 0; i < narrow.count; i++)
        assert_cost(wide.costs[i], narrow.costs[i]);
    ensemble_free(ensemble);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_add_up),
        cmocka_unit_test(sizes_are_in_ascending_order_and_there_once),
        cmocka_unit_test(specs_are_numbered_once),
        cmocka_unit_test(bounds_hold_for_steps),
        cmocka_unit_test(other_sizes_need_a_proof),
        cmocka_unit_test(calls_go_to_the_cheapest),
        cmocka_unit_test(splits_only_save),
        cmocka_unit_test(what_is_not_missed_is_left_out),
        cmocka_unit_test(what_is_stored_is_read_again),
        cmocka_unit_test(other_sides_of_nan_are_another_model),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(a_torn_file_is_refused),
        cmocka_unit_test(auto_takes_the_fastest_at_measured_sizes),
        cmocka_unit_test(other_sizes_are_as_without_tuning),
        cmocka_unit_test(other_sizes_follow_a_proof),
        cmocka_unit_test(what_is_untuned_stays_if_nothing_is_faster),
        cmocka_unit_test(float_sums_are_asked_for),
        cmocka_unit_test(what_is_refused_is_left_out),
        cmocka_unit_test(all_refused_is_untuned),
        cmocka_unit_test(code_that_may_not_run_is_left_out),
        cmocka_unit_test(defaults_are_costs),
        cmocka_unit_test(defaults_ask_for_features_that_are_tested),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
