/* The writer of ONNX's trees, checked with the reader. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/rewrite.h"
#include "tests/impls/forests.h"
#include "tests/models/reading.h"
#include "tests/models/same.h"

static struct ensemble *write_and_read(const struct ensemble *e) {
    size_t size;
    char *bytes = NULL;
    struct ensemble *back = NULL;
    struct error error = {""};
    FILE *stream = open_memstream(&bytes, &size);
    assert_non_null(stream);
    if (format_named("onnx")->write(e, stream, &error))
        fail_msg("%s", error.text);
    assert_int_equal(fclose(stream), 0);
    assert_true(format_named("onnx")->recognise(bytes, size));
    if (read_copy("onnx", bytes, size, &back, &error))
        fail_msg("%s", error.text);
    free(bytes);
    return back;
}

/* Plain nodes, and distinct leaves that float32 represents exactly: equal adjacent leaves are read
 * as one. */
static struct ensemble *with_exact_leaves(struct ensemble *e) {
    struct ensemble *plain, *exact;
    enum status status = ensemble_rewrite_sets(e, &plain, NULL);
    ensemble_free(e);
    if (status == STATUS_UNSUPPORTED)
        return NULL;
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(ensemble_copy_with_exact_leaves(plain, 1, &exact, NULL), STATUS_OK);
    ensemble_free(plain);
    return exact;
}

static void test_written_is_read(void **state) {
    (void)state;
    for (size_t i = 0; i < FOREST_COUNT; i++) {
        struct ensemble *e = with_exact_leaves(forest_makers[i].make());
        if (!e)
            continue;
        e->base[e->n_outputs - 1] = i % 2 ? -0.5 : 0.5;
        struct ensemble *back = write_and_read(e);
        if (!same_ensemble(e, back))
            fail_msg("%s: not what was written", forest_makers[i].name);
        assert_false(back->open_width);
        ensemble_free(back);
        ensemble_free(e);
    }
}

static void test_infinite_thresholds(void **state) {
    (void)state;
    struct ensemble *e = with_exact_leaves(stumps());
    assert_true(e->n_nodes > 1);
    e->threshold[0] = INFINITY;
    e->threshold[1] = -INFINITY;
    struct ensemble *back = write_and_read(e);
    assert_true(same_ensemble(e, back));
    ensemble_free(back);
    ensemble_free(e);
}

static void test_open_width(void **state) {
    (void)state;
    struct ensemble *e = with_exact_leaves(stumps());
    e->n_features += 1000;
    e->open_width = true;
    struct ensemble *back = write_and_read(e);
    assert_true(back->open_width && back->n_features < 1000);
    ensemble_free(back);
    ensemble_free(e);
}

static void test_values_become_float(void **state) {
    (void)state;
    struct ensemble *e = with_exact_leaves(stumps());
    struct error error = {""};
    e->value[1] = 0.1;
    e->base[0] = 1e-50;
    struct ensemble *back = write_and_read(e);
    assert_true(back->value[1] == (double)0.1F && back->base[0] == 0);
    e->base[0] = 1e39;
    assert_int_equal(format_named("onnx")->write(e, stdout, &error), STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "exceeds the range of ONNX's float32"));
    ensemble_free(back);
    ensemble_free(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_is_read),
        cmocka_unit_test(test_infinite_thresholds),
        cmocka_unit_test(test_open_width),
        cmocka_unit_test(test_values_become_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
