/* The registry, scorers by name, and the reference by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/scorer.h"
#include "tests/impls/forests.h"
#include "tests/impls/refused.h"
#include "tests/impls/scratch.h"

#include <string.h>

static void first_is_the_reference(void **state) {
    (void)state;
    size_t count;
    const struct impl *const *all = impl_all(&count);
    assert_true(count >= 1);
    assert_string_equal(all[0]->name, "reference");
}

static void every_implementation_is_complete(void **state) {
    (void)state;
    size_t count;
    const struct impl *const *all = impl_all(&count);
    for (size_t i = 0; i < count; i++) {
        assert_true(all[i]->name && all[i]->title && all[i]->source);
        assert_true(all[i]->build && all[i]->score);
        assert_ptr_equal(impl_find(all[i]->name, NULL), all[i]);
        for (const struct impl_param *p = all[i]->params; p && p->name; p++)
            assert_true(p->meaning && p->values && p->standard);
    }
}

static void unknown_names_are_answered_with_the_known(void **state) {
    (void)state;
    struct error error = {""};
    assert_null(impl_find("refrence", &error));
    assert_non_null(strstr(error.text, "'refrence': did you mean 'reference'?"));
    /* The paper's name of an implementation, in any case. */
    assert_null(impl_find("QuickScorer", &error));
    assert_non_null(strstr(error.text, "'QuickScorer': did you mean 'qs'?"));
    assert_null(impl_find("nonesuch", &error));
    assert_non_null(strstr(error.text, "no implementation 'nonesuch'; available: reference"));
    assert_null(impl_find("nonesuch-neon", &error));
    assert_non_null(strstr(error.text, "'nonesuch-neon' (-neon is for ARM, -avx2 and"));
    /* Not what this machine lacks, but that there is more. */
    size_t count, lacking = 0;
    const struct impl *const *all = impl_all(&count);
    for (char *comma = error.text; (comma = strchr(comma, ','));)
        *comma = ' ';
    for (size_t i = 0; i < count; i++) {
        char name[64];
        bool here = impl_runs_here(all[i]) && impl_is_here(all[i]);
        lacking += !here;
        snprintf(name, sizeof name, " %s ", all[i]->name);
        assert_int_equal(strstr(error.text, name) != NULL, here);
    }
    assert_int_equal(strstr(error.text, "more that do not run here)") != NULL, lacking > 0);
}

static void wrong_options_are_refused(void **state) {
    (void)state;
    struct ensemble *ensemble = stumps();
    expect_refused("nothing", ensemble, STATUS_INPUT, "no implementation 'nothing'");
    expect_refused("reference,v=8", ensemble, STATUS_INPUT,
                   "reference: no option 'v'. It has no options");
    expect_refused("struct,v=8", ensemble, STATUS_INPUT,
                   "struct: no option 'v'. Its options are: scatter");
    expect_refused("struct,scatter=2", ensemble, STATUS_INPUT, "scatter");
    ensemble_free(ensemble);
}

static void scorers_outlive_their_ensemble(void **state) {
    (void)state;
    size_t count;
    const struct impl *const *all = impl_all(&count);
    const float x[3] = {0.25f, 0.5f, 0.75f};
    for (size_t i = 0; i < count; i++) {
        struct ensemble *ensemble = stumps();
        struct scorer *scorer = NULL;
        enum status status = scorer_build(all[i]->name, ensemble, &scorer, NULL);
        ensemble_free(ensemble);
        if (status)
            continue; /* this machine or this ensemble is not for it */
        double score = 0;
        assert_ptr_equal(scorer->impl, all[i]);
        void *workspace = scorer_workspace(scorer);
        const struct batch batch = {x, 3, &score, workspace};
        all[i]->score(scorer, (struct span){0, scorer->n_units}, (struct span){0, 1}, &batch);
        free(workspace);
        scorer_destroy(scorer);
    }
    scorer_destroy(NULL);
}

/* x[0] <= 1 ? (x[1] <= -0.0 ? 10 : 20) : 30; NaN goes right at the root, left below. */
static struct ensemble *known_tree(void) {
    struct ensemble_builder *b = ensemble_builder_create();
    ensemble_builder_add_tree(b, 0);
    struct inner_node root = {.threshold = 1, .left = 1, .right = 2, .count = ENSEMBLE_NO_COUNT};
    struct inner_node below = {.feature = 1,
                               .threshold = -0.0f,
                               .left = 3,
                               .right = 4,
                               .nan_left = true,
                               .count = ENSEMBLE_NO_COUNT};
    ensemble_builder_add_inner(b, &root);
    ensemble_builder_add_inner(b, &below);
    ensemble_builder_add_leaf(b, 30, ENSEMBLE_NO_COUNT);
    ensemble_builder_add_leaf(b, 10, ENSEMBLE_NO_COUNT);
    ensemble_builder_add_leaf(b, 20, ENSEMBLE_NO_COUNT);
    struct ensemble *ensemble = NULL;
    const struct ensemble_shape shape = {0};
    assert_int_equal(ensemble_builder_finish(b, &shape, &ensemble, NULL), STATUS_OK);
    return ensemble;
}

static void reference_follows_the_definition(void **state) {
    (void)state;
    static const struct {
        float x[2];
        double score;
    } rows[] = {
        {{1, 0.0f}, 10},       {{1, -0.0f}, 10},     {{1, 0x1p-149f}, 20},
        {{1, -0x1p-149f}, 10}, {{1, NAN}, 10},       {{0x1.000002p0f, 0}, 30},
        {{NAN, 0}, 30},        {{-INFINITY, 1}, 20}, {{INFINITY, 1}, 30},
    };
    struct ensemble *ensemble = known_tree();
    struct scorer *scorer = NULL;
    assert_int_equal(scorer_build("reference", ensemble, &scorer, NULL), STATUS_OK);
    const struct plan plan = {.order = ORDER_DS};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double score = 0.5;
        const struct batch batch = {rows[i].x, 2, &score, NULL};
        scorer_run(scorer, &plan, 1, &batch);
        assert_true(score == rows[i].score + 0.5);
    }
    scorer_destroy(scorer);
    ensemble_free(ensemble);
}

/* What the refusal of a model with categories names. */
static void categories_that_cannot_be_rewritten_are_refused(void **state) {
    (void)state;
    struct ensemble *ensemble = many_categories();
    struct scorer *scorer = NULL;
    struct error error = {""};
    assert_int_equal(scorer_build("pred", ensemble, &scorer, &error), STATUS_UNSUPPORTED);
    assert_null(scorer);
    assert_memory_equal(error.text, "pred: does not support categories, and tree ", 44);
    assert_non_null(strstr(error.text, ". Use planes, codegen or struct-plus"));
    assert_true(impl_find("planes", NULL)->sets);
    assert_true(impl_find("codegen", NULL)->sets);
    assert_true(impl_find("struct-plus", NULL)->sets);
    ensemble_free(ensemble);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_is_the_reference),
        cmocka_unit_test(every_implementation_is_complete),
        cmocka_unit_test(unknown_names_are_answered_with_the_known),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(scorers_outlive_their_ensemble),
        cmocka_unit_test(reference_follows_the_definition),
        cmocka_unit_test(categories_that_cannot_be_rewritten_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
