/* The library while memory runs out: a model is opened, a scorer built, documents are scored. The
 * scores are the right ones, or the status is TB_MEMORY and the text names memory.
 * TREEBENCH_ALLOCATIONS=all: see failing.h. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "library/treebench.h"
#include "tests/memory/failing.h"

#include <math.h>

enum { ROWS = 5, FEATURES = 64, OUTPUTS = 8 };
enum outcome { RIGHT, NO_MEMORY, WRONG_STATUS, WRONG_TEXT, WRONG_SCORES };
static const char *const faults[] = {[WRONG_STATUS] = "the status is not TB_MEMORY",
                                     [WRONG_TEXT] = "the text does not name memory",
                                     [WRONG_SCORES] = "the scores are wrong"};

static const char *const models[] = {"archforest/two-trees.json",
                                     "catboost/two-trees.json",
                                     "jforests/two-trees.xml",
                                     "json_model/everything.json",
                                     "lightgbm/names.txt",
                                     "lightgbm/rewritten.txt",
                                     "lightgbm/two-outputs.txt",
                                     "lightgbm_json/python.json",
                                     "onnx/chain.onnx",
                                     "onnx/classifier.onnx",
                                     "onnx/regressor.onnx",
                                     "opttrees/two-trees.txt",
                                     "quickrank/two-trees.xml",
                                     "ranklib/forest.txt",
                                     "xgboost/categories.json",
                                     "xgboost_binary/dart-classes.bin",
                                     "xgboost_ubjson/two-trees.ubj"};

struct work {
    char path[256];
    const char *impl;
    float rows[ROWS * FEATURES];
    double *expected; /* [ROWS * OUTPUTS] shared with the trials */
};

static enum tb_status score(const struct work *work, double *scores, struct tb_error *error) {
    struct tb_model *model = NULL;
    struct tb_scorer *scorer = NULL;
    struct tb_context *context = NULL;
    enum tb_status status = tb_model_open(work->path, &model, error);
    if (!status)
        status = tb_scorer_build(model, work->impl, &scorer, error);
    if (!status)
        status = tb_context_create(scorer, &context, error);
    if (!status)
        status = tb_score(context, work->rows, ROWS, FEATURES, FEATURES, scores, error);
    tb_context_free(context);
    tb_scorer_free(scorer);
    tb_model_free(model);
    return status;
}

static int score_in_child(const void *data) {
    const struct work *work = data;
    double scores[ROWS * OUTPUTS] = {0};
    struct tb_error error = {""};
    failing_arm();
    enum tb_status status = score(work, scores, &error);
    failing_disarm();
    if (!failing->first) {
        memcpy(work->expected, scores, sizeof scores);
        return (int)status;
    }
    if (status == TB_OK)
        return memcmp(work->expected, scores, sizeof scores) == 0 ? RIGHT : WRONG_SCORES;
    if (status != TB_MEMORY)
        return WRONG_STATUS;
    return strcasestr(error.text, "memory") ? NO_MEMORY : WRONG_TEXT;
}

/* Counts the faults of one model with one implementation; one that refuses the model has none. */
static size_t try_all(const struct work *work) {
    struct trial_result good = failing_try(0, false, score_in_child, work);
    if (good.state != 0)
        return 0;
    size_t count, n_faults = 0;
    long *calls = failing_calls(work->impl, good.calls, &count);
    for (size_t i = 0; i < count; i++) {
        for (int is_lasting = 0; is_lasting < 2; is_lasting++) {
            struct trial_result result = failing_try(calls[i], is_lasting, score_in_child, work);
            int code = WIFEXITED(result.state) ? WEXITSTATUS(result.state) : -1;
            if (code == RIGHT || code == NO_MEMORY || result.library < FAILING_LIBRARIES)
                continue;
            n_faults++;
            fprintf(stderr, "# %s, %s: call %ld%s fails: %s\n", work->path, work->impl, calls[i],
                    is_lasting ? " and all later" : "", code < 0 ? "it crashed" : faults[code]);
            failing_print(stderr);
        }
    }
    free(calls);
    return n_faults;
}

static void set_model(struct work *work, const char *name) {
    snprintf(work->path, sizeof work->path, "tests/fuzz/corpus/%s", name);
}

static struct work make_work(void) {
    struct work work = {.expected =
                            mmap(NULL, ROWS * OUTPUTS * sizeof *work.expected,
                                 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)};
    assert_true(work.expected != MAP_FAILED);
    for (size_t i = 0; i < ROWS * FEATURES; i++)
        work.rows[i] = i % 7 == 3 ? NAN : (float)(i % 13) / 4 - 1;
    return work;
}

static void test_every_format(void **state) {
    (void)state;
    struct work work = make_work();
    size_t n_faults = 0;
    work.impl = "struct-plus";
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        set_model(&work, models[i]);
        n_faults += try_all(&work);
    }
    assert_int_equal(n_faults, 0);
}

/* Compiled ones are tried by test_commands. */
static void test_every_implementation(void **state) {
    (void)state;
    struct work work = make_work();
    size_t n_faults = 0;
    for (size_t i = 0; i < tb_impl_count(); i++) {
        work.impl = tb_impl_name(i);
        if (!tb_impl_runs_here(i) || strcmp(work.impl, "codegen") == 0 ||
            strncmp(work.impl, "ifelse", 6) == 0)
            continue;
        set_model(&work, "lightgbm/rewritten.txt");
        n_faults += try_all(&work);
        set_model(&work, "json_model/everything.json");
        n_faults += try_all(&work);
    }
    assert_int_equal(n_faults, 0);
}

int main(void) {
    if (!FAILING_WORKS) {
        printf("1..1\nnot ok 1 - memory of the library # SKIP the sanitizer has its own malloc\n");
        return 0;
    }
    failing_setup();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_format),
                                       cmocka_unit_test(test_every_implementation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
