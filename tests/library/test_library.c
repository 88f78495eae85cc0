/* The library's interface: what a program of a user sees. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/float_mode.h"
#include "base/random.h"
#include "impls/auto/auto_store.h"
#include "library/treebench.h"
#include "models/format.h"
#include "tests/impls/forests.h"
#include "tests/impls/scratch.h"
#include "tests/sanitizers.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 700, OUTPUTS = 3, GAP = 5, PATH_SIZE = 256, TREES = 40, FEATURES = 9 };

static const double UNTOUCHED = -12345.5;

/* A model in a file, documents with gaps between them, and the scores that a walk gives. */
static struct {
    char path[PATH_SIZE];
    struct tb_model *model;
    size_t stride;
    float *rows;
    double *doubles; /* the same rows */
    double expected[ROWS * OUTPUTS];
} fixture;

/* --- the fixture ------------------------------------------------------------------------------ */

static double walk(const struct ensemble *e, uint32_t tree, const float *x) {
    int32_t at = ensemble_tree_nodes(e, tree) ? 0 : ~0;
    while (at >= 0) {
        size_t node = e->tree_node[tree] + (size_t)at;
        float value = x[e->feature[node]];
        bool left = isnan(value) ? e->nan_left[node] : value <= e->threshold[node];
        at = left ? e->left[node] : e->right[node];
    }
    return e->value[e->tree_leaf[tree] + (size_t)~at];
}

static void expect_scores(const struct ensemble *e) {
    for (size_t row = 0; row < ROWS; row++) {
        double *scores = &fixture.expected[row * OUTPUTS];
        memcpy(scores, e->base, OUTPUTS * sizeof *scores);
        for (uint32_t t = 0; t < e->n_trees; t++)
            scores[e->tree_output[t]] += walk(e, t, fixture.rows + row * fixture.stride);
    }
}

/* NaN stands where no feature is. */
static void make_rows(const struct ensemble *e) {
    struct matrix *probes;
    assert_int_equal(synth_probes(e, ROWS, 7, &probes, NULL), STATUS_OK);
    fixture.stride = e->n_features + GAP;
    fixture.rows = malloc(ROWS * fixture.stride * sizeof *fixture.rows);
    assert_non_null(fixture.rows);
    for (size_t i = 0; i < ROWS * fixture.stride; i++)
        fixture.rows[i] = NAN;
    for (size_t row = 0; row < ROWS; row++)
        memcpy(fixture.rows + row * fixture.stride, matrix_row(probes, row),
               e->n_features * sizeof *fixture.rows);
    fixture.doubles = malloc(ROWS * fixture.stride * sizeof *fixture.doubles);
    assert_non_null(fixture.doubles);
    for (size_t i = 0; i < ROWS * fixture.stride; i++)
        fixture.doubles[i] = (double)fixture.rows[i];
    matrix_free(probes);
}

/* Bases and leaves whose sums are rounded, so that another order of adding would show. */
static struct ensemble *make_ensemble(void) {
    struct forest forest = forest_begin(FEATURES, 21);
    forest.nan_left = true;
    forest.n_outputs = OUTPUTS;
    for (uint32_t i = 0; i < TREES; i++)
        forest_add_random_tree(&forest, 1 + i);
    struct ensemble *e = forest_end(&forest);
    for (size_t i = 0; i < e->n_leaves; i++)
        e->value[i] = (double)random_float(&forest.random) / 3;
    for (uint32_t k = 0; k < OUTPUTS; k++)
        e->base[k] = 0.1 * (k + 1);
    return e;
}

static int set_up(void **state) {
    if (scratch_begin(state))
        return -1;
    struct ensemble *e = make_ensemble();
    make_rows(e);
    expect_scores(e);
    snprintf(fixture.path, sizeof fixture.path, "%s/model.json", scratch_folder);
    assert_int_equal(model_write(e, fixture.path, NULL, NULL), STATUS_OK);
    ensemble_free(e);
    struct tb_error error = {""};
    if (tb_model_open(fixture.path, &fixture.model, &error))
        fail_msg("%s", error.text);
    return 0;
}

static int tear_down(void **state) {
    tb_model_free(fixture.model);
    free(fixture.rows);
    free(fixture.doubles);
    return scratch_end(state);
}

static struct tb_scorer *build(const char *impl) {
    struct tb_scorer *scorer = NULL;
    struct tb_error error = {""};
    if (tb_scorer_build(fixture.model, impl, &scorer, &error))
        fail_msg("%s", error.text);
    return scorer;
}

static struct tb_context *create_context(const struct tb_scorer *scorer) {
    struct tb_context *context = NULL;
    assert_int_equal(tb_context_create(scorer, &context, NULL), TB_OK);
    return context;
}

/* --- scores ----------------------------------------------------------------------------------- */

/* Are the scores of some of the documents, as floats or doubles, the expected ones, to the last
 * bit, and no others written? For threads: asserts nothing. */
static bool are_scored(struct tb_context *context, bool as_doubles, size_t first, size_t n) {
    double scores[ROWS * OUTPUTS + 1];
    for (size_t i = 0; i < ROWS * OUTPUTS + 1; i++)
        scores[i] = UNTOUCHED;
    size_t begin = first * fixture.stride, n_features = fixture.stride - GAP;
    if (as_doubles
            ? tb_score_doubles(context, fixture.doubles + begin, n, n_features, fixture.stride,
                               scores, NULL)
            : tb_score(context, fixture.rows + begin, n, n_features, fixture.stride, scores, NULL))
        return false;
    return memcmp(scores, fixture.expected + first * OUTPUTS, n * OUTPUTS * sizeof *scores) == 0 &&
           scores[n * OUTPUTS] == UNTOUCHED;
}

static bool scores_are_right(struct tb_context *context, size_t first, size_t n) {
    return are_scored(context, false, first, n) && are_scored(context, true, first, n);
}

static void check_scorer(const struct tb_scorer *scorer) {
    static const size_t counts[] = {0, 1, 2, 63, 65, 255, 256, 257, 513, ROWS};
    struct tb_context *context = create_context(scorer);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!scores_are_right(context, ROWS - counts[i], counts[i]))
            fail_msg("%s: wrong scores of %zu documents", tb_scorer_impl(scorer), counts[i]);
    tb_context_free(context);
}

static void every_implementation_gives_base_and_trees(void **state) {
    (void)state;
    size_t n_checked = 0;
    for (size_t i = 0; i < tb_impl_count(); i++) {
        struct tb_scorer *scorer;
        struct tb_error error = {""};
        enum tb_status status = tb_scorer_build(fixture.model, tb_impl_name(i), &scorer, &error);
        assert_true((status == TB_MACHINE) >= !tb_impl_runs_here(i));
        if (status == TB_UNSUPPORTED || status == TB_MACHINE) {
            print_message("%s\n", error.text);
            continue;
        }
        assert_int_equal(status, TB_OK);
        assert_string_equal(tb_scorer_impl(scorer), tb_impl_name(i));
        check_scorer(scorer);
        tb_scorer_free(scorer);
        n_checked++;
    }
    assert_in_range(n_checked, 5, tb_impl_count());
}

static void there_is_a_default(void **state) {
    (void)state;
    struct tb_scorer *scorer = build(NULL);
    assert_string_equal(tb_scorer_impl(scorer), "auto");
    assert_int_equal(tb_scorer_features(scorer), FEATURES);
    assert_int_equal(tb_scorer_outputs(scorer), OUTPUTS);
    check_scorer(scorer);
    tb_scorer_free(scorer);
}

/* Trees of more leaves than the fastest implementation takes. */
static void the_default_does_any_model(void **state) {
    (void)state;
    struct forest forest = forest_begin(4, 22);
    forest_add_balanced(&forest, 10);
    struct ensemble *e = forest_end(&forest);
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/large.json", scratch_folder);
    assert_int_equal(model_write(e, path, NULL, NULL), STATUS_OK);
    ensemble_free(e);
    struct tb_model *model;
    struct tb_scorer *scorer;
    assert_int_equal(tb_model_open(path, &model, NULL), TB_OK);
    assert_int_equal(tb_scorer_build(model, NULL, &scorer, NULL), TB_OK);
    tb_model_free(model);
    tb_scorer_free(scorer);
}

/* Runs tb_scorer_build with stderr in a file, and returns how much came there. */
static long build_with_stderr_in_file(struct tb_scorer **scorer) {
    char path[PATH_SIZE];
    struct stat info;
    snprintf(path, sizeof path, "%s/stderr", scratch_folder);
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600), kept = dup(STDERR_FILENO);
    assert_true(file >= 0 && kept >= 0 && dup2(file, STDERR_FILENO) >= 0);
    *scorer = build(NULL);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    assert_int_equal(fstat(file, &info), 0);
    close(file);
    close(kept);
    return (long)info.st_size;
}

/* Costs that tune stored and that cannot be used: a note, and nothing is printed. */
static void what_cannot_be_used_is_noted_and_not_printed(void **state) {
    (void)state;
    struct tb_scorer *scorer = build(NULL);
    struct ensemble *ensemble;
    char path[PATH_MAX], folder[PATH_SIZE];
    assert_null(tb_scorer_note(scorer));
    tb_scorer_free(scorer);
    assert_int_equal(model_read(fixture.path, &ensemble, NULL), STATUS_OK);
    assert_int_equal(auto_store_path(ensemble, path, NULL), STATUS_OK);
    ensemble_free(ensemble);
    snprintf(folder, sizeof folder, "%s/treebench", scratch_folder);
    assert_true(mkdir(folder, 0700) == 0 || errno == EEXIST);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs("torn", stream);
    fclose(stream);
    assert_int_equal(build_with_stderr_in_file(&scorer), 0);
    assert_non_null(strstr(tb_scorer_note(scorer), path));
    assert_non_null(strstr(tb_scorer_note(scorer), "auto ignores the stored times"));
    check_scorer(scorer);
    tb_scorer_free(scorer);
    remove(path);
}

static void a_model_may_go_once_a_scorer_is_built(void **state) {
    (void)state;
    struct tb_model *model;
    struct tb_scorer *scorer;
    assert_int_equal(tb_model_open(fixture.path, &model, NULL), TB_OK);
    assert_int_equal(tb_scorer_build(model, "vpred,v=16", &scorer, NULL), TB_OK);
    tb_model_free(model);
    check_scorer(scorer);
    tb_scorer_free(scorer);
}

/* --- threads ---------------------------------------------------------------------------------- */

struct thread {
    pthread_t id;
    const struct tb_scorer *scorer;
    size_t number;
    bool right;
};

static void *score_often(void *argument) {
    struct thread *thread = argument;
    struct tb_context *context;
    if (tb_context_create(thread->scorer, &context, NULL))
        return NULL;
    thread->right = true;
    for (size_t i = 0; i < 50; i++)
        thread->right &= scores_are_right(context, 100 * thread->number + i, 300 - i);
    tb_context_free(context);
    return NULL;
}

static void check_threads(const char *impl) {
    enum { THREADS = 4 };
    struct thread threads[THREADS];
    struct tb_scorer *scorer = build(impl);
    for (size_t i = 0; i < THREADS; i++) {
        threads[i] = (struct thread){.scorer = scorer, .number = i};
        assert_int_equal(pthread_create(&threads[i].id, NULL, score_often, &threads[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i].id, NULL), 0);
        if (!threads[i].right)
            fail_msg("%s: wrong scores in thread %zu", tb_scorer_impl(scorer), i);
    }
    tb_scorer_free(scorer);
}

static void four_threads_score_at_once_through_one_scorer(void **state) {
    (void)state;
    check_threads(NULL);
    check_threads("planes");
    check_threads("qs");
    check_threads("vpred");
}

/* --- what is told ----------------------------------------------------------------------------- */

static void a_model_says_what_it_is(void **state) {
    (void)state;
    assert_int_equal(tb_model_trees(fixture.model), TREES);
    assert_int_equal(tb_model_features(fixture.model), FEATURES);
    assert_int_equal(tb_model_outputs(fixture.model), OUTPUTS);
    assert_null(tb_model_feature_name(fixture.model, 0));
}

static void features_have_names_where_the_model_has_them(void **state) {
    (void)state;
    struct tb_model *model;
    assert_int_equal(tb_model_open("tests/fuzz/corpus/lightgbm/two-outputs.txt", &model, NULL),
                     TB_OK);
    assert_string_equal(tb_model_feature_name(model, 0), "a");
    assert_string_equal(tb_model_feature_name(model, 3), "d");
    assert_null(tb_model_feature_name(model, 4));
    tb_model_free(model);
}

static void implementations_are_listed_that_score(void **state) {
    (void)state;
    size_t count = tb_impl_count();
    for (size_t i = 0; i < count; i++) {
        assert_non_null(tb_impl_title(i));
        assert_string_not_equal(tb_impl_name(i), "noop");
        assert_string_not_equal(tb_impl_name(i), "rowscan");
        assert_string_not_equal(tb_impl_name(i), "xgboost");
    }
    assert_null(tb_impl_name(count));
    assert_null(tb_impl_title(count));
    assert_false(tb_impl_runs_here(count));
}

static void versions_agree(void **state) {
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", TB_VERSION_MAJOR, TB_VERSION_MINOR, TB_VERSION_PATCH);
    assert_string_equal(TB_VERSION, text);
    assert_string_equal(tb_version(), text);
}

/* --- mistakes --------------------------------------------------------------------------------- */

static void models_that_are_none_are_refused(void **state) {
    (void)state;
    struct tb_model *model = NULL;
    struct tb_error error;
    assert_int_equal(tb_model_open("no/such/file", &model, &error), TB_IO);
    assert_non_null(strstr(error.text, "no/such/file"));
    assert_int_equal(tb_model_open("README.md", &model, &error), TB_INPUT);
    assert_non_null(strstr(error.text, "README.md"));
    assert_int_equal(tb_model_open("tests/fuzz/corpus/catboost/ctrs.json", &model, &error),
                     TB_UNSUPPORTED);
    assert_non_null(strstr(error.text, "ctrs.json: the trees test statistics of categories"));
    assert_int_equal(tb_model_open("README.md", &model, NULL), TB_INPUT);
    assert_null(model);
}

static void implementations_without_exact_scores_are_refused(void **state) {
    (void)state;
    struct tb_scorer *scorer = NULL;
    struct tb_error error;
    assert_int_equal(tb_scorer_build(fixture.model, "vpredd", &scorer, &error), TB_INPUT);
    assert_non_null(strstr(error.text, "did you mean 'vpred'"));
    assert_int_equal(tb_scorer_build(fixture.model, "vpred,v=7", &scorer, &error), TB_INPUT);
    assert_int_equal(tb_scorer_build(fixture.model, "rowscan", &scorer, &error), TB_INPUT);
    assert_non_null(strstr(error.text, "only for measuring"));
    assert_int_equal(tb_scorer_build(fixture.model, "native,feature=int16", &scorer, &error),
                     TB_INPUT);
    assert_non_null(strstr(error.text, "documents of libtreebench are floats"));
    assert_int_equal(tb_scorer_build(fixture.model, "", &scorer, NULL), TB_INPUT);
    assert_null(scorer);
}

static void documents_that_are_too_short_are_refused(void **state) {
    (void)state;
    struct tb_scorer *scorer = build("reference");
    struct tb_context *context = create_context(scorer);
    struct tb_error error;
    double score = UNTOUCHED;
    assert_int_equal(tb_score(context, fixture.rows, 1, FEATURES - 1, FEATURES, &score, &error),
                     TB_INPUT);
    assert_string_equal(error.text, "documents have 8 features; the model needs 9");
    assert_int_equal(tb_score(context, fixture.rows, 1, FEATURES, FEATURES - 1, &score, &error),
                     TB_INPUT);
    assert_string_equal(error.text, "a stride of 8 is less than the 9 features of a document");
    /* The model would not read the features that overlap, but the caller has made a mistake. */
    assert_int_equal(tb_score(context, fixture.rows, 1, FEATURES + 2, FEATURES + 1, &score, &error),
                     TB_INPUT);
    assert_string_equal(error.text, "a stride of 10 is less than the 11 features of a document");
    assert_true(score == UNTOUCHED);
    assert_int_equal(tb_score(context, NULL, 1, FEATURES, FEATURES, &score, &error), TB_INPUT);
    assert_string_equal(error.text, "rows or scores are NULL for some documents");
    assert_int_equal(tb_score(context, fixture.rows, 1, FEATURES, FEATURES, NULL, NULL), TB_INPUT);
    assert_true(score == UNTOUCHED);
    assert_int_equal(tb_score(context, NULL, 0, FEATURES, FEATURES, NULL, NULL), TB_OK);
    tb_context_free(context);
    tb_scorer_free(scorer);
}

static void null_is_an_error(void **state) {
    (void)state;
    struct tb_model *model = NULL;
    struct tb_scorer *scorer = NULL, *built = build("reference");
    struct tb_context *context = NULL;
    struct tb_error error;
    double score;
    assert_int_equal(tb_model_open(NULL, &model, &error), TB_INPUT);
    assert_string_equal(error.text, "the path of the model is NULL");
    assert_int_equal(tb_model_open(NULL, &model, NULL), TB_INPUT);
    assert_int_equal(tb_model_open(fixture.path, NULL, &error), TB_INPUT);
    assert_int_equal(tb_scorer_build(NULL, NULL, &scorer, &error), TB_INPUT);
    assert_string_equal(error.text, "the model is NULL");
    assert_int_equal(tb_scorer_build(fixture.model, NULL, NULL, &error), TB_INPUT);
    assert_int_equal(tb_context_create(NULL, &context, &error), TB_INPUT);
    assert_string_equal(error.text, "the scorer is NULL");
    assert_int_equal(tb_context_create(built, NULL, &error), TB_INPUT);
    assert_int_equal(tb_score(NULL, fixture.rows, 1, FEATURES, FEATURES, &score, &error), TB_INPUT);
    assert_string_equal(error.text, "the context is NULL");
    assert_true(!model && !scorer && !context);
    tb_scorer_free(built);
}

static void null_has_no_properties(void **state) {
    (void)state;
    assert_int_equal(tb_model_trees(NULL) + tb_model_features(NULL) + tb_model_outputs(NULL), 0);
    assert_int_equal(tb_scorer_features(NULL) + tb_scorer_outputs(NULL), 0);
    assert_null(tb_model_feature_name(NULL, 0));
    assert_null(tb_scorer_impl(NULL));
    assert_null(tb_scorer_note(NULL));
}

static void nothing_is_freed_as_well(void **state) {
    (void)state;
    tb_model_free(NULL);
    tb_scorer_free(NULL);
    tb_context_free(NULL);
}

/* --- small stacks ----------------------------------------------------------------------------- */

/* Sanitizers need a multiple of what the library needs. */
enum { STACK_SIZE = SANITIZERS ? 2 << 20 : 64 << 10 };

/* A chain of zero-as-missing tests: the deepest of models that are rewritten. */
static void write_chain(const char *path, int n_splits) {
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fprintf(stream,
            "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=0\n"
            "feature_names=a\n\nTree=0\nnum_leaves=%d\nnum_cat=0\nsplit_feature=0",
            n_splits + 1);
    for (int i = 1; i < n_splits; i++)
        fputs(" 0", stream);
    fputs("\nthreshold=1", stream);
    for (int i = 1; i < n_splits; i++)
        fprintf(stream, " %d", i + 1);
    fputs("\ndecision_type=4", stream);
    for (int i = 1; i < n_splits; i++)
        fputs(" 2", stream);
    fputs("\nleft_child=-1", stream);
    for (int i = 1; i < n_splits; i++)
        fprintf(stream, " %d", ~i);
    fputs("\nright_child=", stream);
    for (int i = 1; i < n_splits; i++)
        fprintf(stream, "%d ", i);
    fprintf(stream, "%d\nleaf_value=0", ~n_splits);
    for (int i = 1; i <= n_splits; i++)
        fprintf(stream, " %d", i);
    fputs("\n\nend of trees\n", stream);
    assert_int_equal(fclose(stream), 0);
}

/* One document scored by a model from a file; NULL, or what failed. */
static void *score_a_file(void *path) {
    static const float row[FEATURES + 64];
    double scores[OUTPUTS];
    struct tb_model *model = NULL;
    struct tb_scorer *scorer = NULL;
    struct tb_context *context = NULL;
    bool good = tb_model_open(path, &model, NULL) == TB_OK &&
                tb_scorer_build(model, NULL, &scorer, NULL) == TB_OK &&
                tb_context_create(scorer, &context, NULL) == TB_OK &&
                tb_score(context, row, 1, sizeof row / sizeof *row, sizeof row / sizeof *row,
                         scores, NULL) == TB_OK;
    tb_context_free(context);
    tb_scorer_free(scorer);
    tb_model_free(model);
    return good ? NULL : path;
}

static void a_small_stack_is_enough(void **state) {
    (void)state;
    char chain[PATH_SIZE];
    snprintf(chain, sizeof chain, "%s/chain.txt", scratch_folder);
    write_chain(chain, 1000);
    char catboost[] = "tests/fuzz/corpus/catboost/two-trees.json";
    char xgboost[] = "tests/fuzz/corpus/xgboost/categories.json";
    char *paths[] = {fixture.path, chain, catboost, xgboost};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        pthread_t thread;
        pthread_attr_t attributes;
        void *failed;
        pthread_attr_init(&attributes);
        assert_int_equal(pthread_attr_setstacksize(&attributes, STACK_SIZE), 0);
        assert_int_equal(pthread_create(&thread, &attributes, score_a_file, paths[i]), 0);
        pthread_join(thread, &failed);
        pthread_attr_destroy(&attributes);
        if (failed)
            fail_msg("%s", (char *)failed);
    }
}

/* Programs that are linked with -ffast-math do that. */
static void a_program_may_flush_subnormal_numbers(void **state) {
    (void)state;
    static const char text[] =
        "{\"format\":\"treebench\",\"version\":1,\"features\":1,\"outputs\":1,\"base\":[0],"
        "\"trees\":"
        "[{\"output\":0,\"feature\":[0],\"threshold\":[1e-41],\"left\":[-1],\"right\":[-2],"
        "\"value\":[1e-310,2e-310]}]}";
    static const float rows[] = {5e-42f, 2e-41f};
    static const double expected[] = {1e-310, 2e-310};
    static const uint64_t flushing = FLOAT_MODE_EXACT == 0 ? 1u << 24 : 0x9fc0;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/subnormal.json", scratch_folder);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
    struct tb_model *model;
    struct tb_scorer *scorer;
    struct tb_context *context;
    double scores[2];
    uint64_t before = float_mode_read();
    float_mode_write(flushing);
    assert_int_equal(tb_model_open(path, &model, NULL), TB_OK);
    assert_int_equal(tb_scorer_build(model, NULL, &scorer, NULL), TB_OK);
    assert_int_equal(tb_context_create(scorer, &context, NULL), TB_OK);
    assert_int_equal(tb_score(context, rows, 2, 1, 1, scores, NULL), TB_OK);
    uint64_t after = float_mode_read();
    float_mode_write(before);
    assert_memory_equal(scores, expected, sizeof scores);
    assert_int_equal(after & FLOAT_MODE_BITS, flushing & FLOAT_MODE_BITS);
    tb_context_free(context);
    tb_scorer_free(scorer);
    tb_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_implementation_gives_base_and_trees),
        cmocka_unit_test(there_is_a_default),
        cmocka_unit_test(the_default_does_any_model),
        cmocka_unit_test(what_cannot_be_used_is_noted_and_not_printed),
        cmocka_unit_test(a_model_may_go_once_a_scorer_is_built),
        cmocka_unit_test(four_threads_score_at_once_through_one_scorer),
        cmocka_unit_test(a_model_says_what_it_is),
        cmocka_unit_test(features_have_names_where_the_model_has_them),
        cmocka_unit_test(implementations_are_listed_that_score),
        cmocka_unit_test(versions_agree),
        cmocka_unit_test(models_that_are_none_are_refused),
        cmocka_unit_test(implementations_without_exact_scores_are_refused),
        cmocka_unit_test(documents_that_are_too_short_are_refused),
        cmocka_unit_test(null_is_an_error),
        cmocka_unit_test(null_has_no_properties),
        cmocka_unit_test(nothing_is_freed_as_well),
        cmocka_unit_test(a_small_stack_is_enough),
        cmocka_unit_test(a_program_may_flush_subnormal_numbers),
    };
    return cmocka_run_group_tests_name("library", tests, set_up, tear_down);
}
