/* The default of OBJECT is the authors' form: every node, leaf or not, takes 32 bytes. With
 * virtual=1, a leaf is a class of its own and smaller. The scores are in test_exactness.c. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/scorer.h"
#include "synth/synth.h"

#include <string.h>

enum { DEPTH = 5, TREES = 3, LEAVES = TREES << DEPTH, INNER = LEAVES - TREES, NODE = 32 };

static const struct synth_shape SHAPE = {.depth = DEPTH, .n_features = 8, .n_trees = TREES};

static size_t bytes_of(const char *variant) {
    struct ensemble *ensemble = NULL;
    struct scorer *scorer = NULL;
    assert_int_equal(synth_trees(&SHAPE, 1, &ensemble, NULL), 0);
    assert_int_equal(ensemble->n_nodes, INNER);
    assert_int_equal(scorer_build(variant, ensemble, &scorer, NULL), 0);
    size_t bytes = scorer->bytes;
    scorer_destroy(scorer);
    ensemble_free(ensemble);
    return bytes;
}

static void the_default_has_one_class_of_32_bytes(void **state) {
    (void)state;
    size_t trees = TREES * 2 * sizeof(void *);
    assert_int_equal(bytes_of("object"), trees + (INNER + LEAVES) * NODE);
    assert_int_equal(bytes_of("object,virtual=0"), bytes_of("object"));
}

static void virtual_leaves_are_a_class_of_their_own(void **state) {
    (void)state;
    assert_int_equal(bytes_of("object") - bytes_of("object,virtual=1"), LEAVES * NODE / 2);
}

static void other_values_are_refused(void **state) {
    (void)state;
    struct ensemble *ensemble = NULL;
    struct scorer *scorer = NULL;
    struct error error;
    assert_int_equal(synth_trees(&SHAPE, 1, &ensemble, NULL), 0);
    assert_int_equal(scorer_build("object,virtual=2", ensemble, &scorer, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "virtual"));
    assert_null(scorer);
    ensemble_free(ensemble);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_has_one_class_of_32_bytes),
        cmocka_unit_test(virtual_leaves_are_a_class_of_their_own),
        cmocka_unit_test(other_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
