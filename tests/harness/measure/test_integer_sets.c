/* buschjaeger2018's data sets of integers: forests predict the same from integers as from floats,
 * on every test row. Needs $TREEBENCH_DATA. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "datasets/recipes/recipe.h"
#include "harness/measure/trained.h"
#include "harness/measure/verify.h"
#include "harness/measure/workload.h"
#include "impls/scorer.h"

#include <stdlib.h>
#include <string.h>

static void check(const struct ensemble *ensemble, const struct matrix *rows, const char *name) {
    struct verifier *verifier;
    struct verification found;
    struct scorer *scorer = NULL;
    struct error error = {""};
    if (verifier_create(ensemble, rows, &verifier, &error) != STATUS_OK ||
        scorer_build("native-folded,feature=int32", ensemble, &scorer, &error) != STATUS_OK ||
        verifier_check(verifier, scorer, NULL, &found, &error) != STATUS_OK)
        fail_msg("%s: %s", name, error.text);
    assert_true(found.agrees && found.rounding == 0);
    scorer_destroy(scorer);
    verifier_free(verifier);
}

/* Returns whether the data set is here. */
static bool check_set(const struct recipe *recipe) {
    struct workload workload = {.kind = "random-forest", .depth = 8, .trees = 3, .seed = 5};
    struct fold fold;
    struct ensemble *ensemble = NULL;
    struct error error = {""};
    strcpy(workload.data, recipe->name);
    enum fold_origin origin = FOLD_ABSENT;
    if (recipe_origin(recipe, &origin, NULL) != STATUS_OK || origin == FOLD_ABSENT)
        return false;
    if (forest_read_fold(&workload, FOLD_ALL, &fold, &error) != STATUS_OK ||
        forest_train(&workload, &fold, &ensemble, NULL, &error) != STATUS_OK)
        fail_msg("%s: %s", recipe->name, error.text);
    check(ensemble, fold.test, recipe->name);
    ensemble_free(ensemble);
    fold_free(&fold);
    return true;
}

static void integers_predict_as_floats(void **state) {
    (void)state;
    size_t count, checked = 0;
    const struct recipe *all = recipes(&count);
    for (size_t i = 0; i < count; i++)
        checked += all[i].type == RECIPE_INT && check_set(&all[i]);
    if (checked == 0)
        skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(integers_predict_as_floats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
