/* What `info` says about the order of nodes and of code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "impls/framing/frame_facts.h"

#include <math.h>

/* A balanced tree of 7 levels of decisions. All documents go to the leftmost leaf. */
static struct ensemble *leftmost(void) {
    enum { INNER = 127 };
    struct ensemble_builder *builder = ensemble_builder_create();
    const struct ensemble_shape shape = {.n_features = 1};
    struct ensemble *ensemble = NULL;
    ensemble_builder_add_tree(builder, 0);
    uint32_t leftmost = 0;
    for (uint32_t node = 0; node < INNER; node++) {
        bool is_passed = node == leftmost;
        ensemble_builder_add_inner(builder, &(struct inner_node){.threshold = 0,
                                                                 .left = 2 * node + 1,
                                                                 .right = 2 * node + 2,
                                                                 .count = is_passed ? 10 : 0});
        leftmost = is_passed ? 2 * node + 1 : leftmost;
    }
    for (uint32_t leaf = 0; leaf <= INNER; leaf++)
        ensemble_builder_add_leaf(builder, 0, leaf == 0 ? 10 : 0);
    assert_int_equal(ensemble_builder_finish(builder, &shape, &ensemble, NULL), STATUS_OK);
    return ensemble;
}

static void check(double found, double expected) {
    if (!(fabs(found - expected) < 1e-9))
        fail_msg("%g instead of %g", found, expected);
}

/* Nodes take 12 bytes. By level, the path is at 0, 1, 3, 7, 15, 31 and 63, on lines 0, 1, 2, 5 and
 * 11. Otherwise it is at 0 to 6, on lines 0 and 1. */
static void likely_paths_touch_fewer_lines(void **state) {
    (void)state;
    struct ensemble *ensemble = leftmost();
    struct frame_facts facts;
    assert_int_equal(frame_facts_compute(ensemble, &facts, NULL), STATUS_OK);
    check(facts.lines_by_level, 5);
    check(facts.lines_by_sets, 2);
    check(facts.nodes, 8);
    check(facts.kernel_nodes, 8);
    ensemble_free(ensemble);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(likely_paths_touch_fewer_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
