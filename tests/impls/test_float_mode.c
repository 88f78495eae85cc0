/* Programs that flush subnormal numbers to zero, round upwards or trap get the same scores from
 * every implementation, and keep their mode. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/float_mode.h"
#include "impls/runner.h"
#include "tests/impls/forests.h"
#include "tests/impls/scratch.h"

#include <stdlib.h>
#include <string.h>

enum { DOCS = 300, FEATURES = 6, TREES = 60 };

/* What the caller has set; the last traps where there is no number. */
#if defined __x86_64__
static const uint64_t modes[] = {0x9fc0, 0x5f80, 0x1f00};
#elif defined __aarch64__
static const uint64_t modes[] = {1u << 24, 1u << 22};
#else
static const uint64_t modes[] = {0};
#endif
enum { MODES = sizeof modes / sizeof *modes };

static const float few[] = {-0x1p-126f, -0x1p-140f, -0x1p-149f, 0.0f,      0x1p-149f,
                            0x1p-148f,  0x1p-140f,  0x1p-127f,  0x1p-126f, 1.0f};
enum { FEW = sizeof few / sizeof *few };

/* The leaves are subnormal doubles, or sums of which are rounded. */
static struct ensemble *make_ensemble(double scale) {
    struct forest forest = forest_begin(FEATURES, 12);
    struct ensemble *made, *ensemble;
    forest.thresholds = few;
    forest.n_thresholds = FEW;
    forest.nan_left = true;
    for (uint32_t t = 0; t < TREES; t++)
        forest_add_random_tree(&forest, 2 + t % 16);
    made = forest_end(&forest);
    assert_int_equal(ensemble_copy_with_exact_leaves(made, 1, &ensemble, NULL), STATUS_OK);
    ensemble_free(made);
    for (size_t leaf = 0; leaf < ensemble->n_leaves; leaf++)
        ensemble->value[leaf] *= scale;
    return ensemble;
}

static float *make_documents(void) {
    struct random random;
    float *x = malloc(DOCS * FEATURES * sizeof *x);
    assert_non_null(x);
    random_seed(&random, 3);
    for (size_t i = 0; i < DOCS * FEATURES; i++) {
        x[i] = random_below(&random, 20) ? few[random_below(&random, FEW)] : NAN;
        if (random_below(&random, 2))
            x[i] = nextafterf(x[i], random_below(&random, 2) ? INFINITY : -INFINITY);
    }
    return x;
}

static void score(const char *impl, const struct ensemble *ensemble, unsigned threads,
                  enum parallel parallel, const float *x, double *scores) {
    struct scorer *scorer;
    struct runner *runner;
    const struct plan plan = {.threads = threads, .parallel = parallel};
    assert_int_equal(scorer_build(impl, ensemble, &scorer, NULL), STATUS_OK);
    assert_int_equal(runner_create(scorer, &plan, DOCS, &runner, NULL), STATUS_OK);
    memset(scores, 0, DOCS * sizeof *scores);
    runner_run(runner, x, FEATURES, DOCS, scores);
    runner_destroy(runner);
    scorer_destroy(scorer);
}

static bool is_checked(const struct impl *impl, const struct ensemble *ensemble) {
    struct scorer *scorer = NULL;
    if (impl->kind != IMPL_TRAVERSAL || scorer_build(impl->name, ensemble, &scorer, NULL))
        return false;
    scorer_destroy(scorer);
    return true;
}

static void check_mode(const char *impl, const struct ensemble *ensemble, const float *x,
                       const double *expected, uint64_t mode) {
    for (unsigned threads = 1; threads <= 2; threads++)
        for (int way = PARALLEL_DOCUMENTS; way <= PARALLEL_TREES; way++) {
            double scores[DOCS];
            uint64_t before = float_mode_read();
            float_mode_write(mode);
            score(impl, ensemble, threads, (enum parallel)way, x, scores);
            uint64_t after = float_mode_read();
            float_mode_write(before);
            if ((after & FLOAT_MODE_BITS) != (mode & FLOAT_MODE_BITS))
                fail_msg("%s: the mode was %llx and is %llx", impl, (unsigned long long)mode,
                         (unsigned long long)after);
            for (size_t i = 0; i < DOCS; i++)
                if (memcmp(&scores[i], &expected[i], sizeof *scores) != 0)
                    fail_msg("%s, mode %llx, %u threads: document %zu: %a instead of %a", impl,
                             (unsigned long long)mode, threads, i, scores[i], expected[i]);
        }
}

static void check_all(double scale) {
    struct ensemble *ensemble = make_ensemble(scale);
    float *x = make_documents();
    double expected[DOCS];
    size_t count, checked = 0;
    const struct impl *const *all = impl_all(&count);
    score("reference", ensemble, 1, PARALLEL_DOCUMENTS, x, expected);
    for (size_t i = 0; i < count; i++) {
        if (!is_checked(all[i], ensemble))
            continue;
        checked++;
        for (size_t m = 0; m < MODES; m++)
            check_mode(all[i]->name, ensemble, x, expected, modes[m]);
    }
    assert_true(checked > 5);
    free(x);
    ensemble_free(ensemble);
}

static void documents_and_thresholds_may_be_subnormal(void **state) {
    (void)state;
    check_all(1);
}

static void leaves_may_be_subnormal(void **state) {
    (void)state;
    check_all(0x1p-1074);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_and_thresholds_may_be_subnormal),
        cmocka_unit_test(leaves_may_be_subnormal),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
