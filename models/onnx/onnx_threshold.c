/* Converts a test of the trees' input into a test of the document's own value x. The nodes before
 * the trees compute a function F of x that keeps or reverses the order of numbers. The test
 * F(x) <= value is therefore the same as x <= t or x > t for some float t. Bisection over all
 * floats finds t. */
#include "models/onnx/onnx.h"

#include "base/number.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

static bool holds_of(const struct onnx_test *test, float y) {
    if (isnan(y))
        return test->nan_holds;
    switch (test->mode) {
    case BRANCH_LEQ:
        return (double)y <= test->value;
    case BRANCH_LT:
        return (double)y < test->value;
    case BRANCH_GTE:
        return (double)y >= test->value;
    default:
        return (double)y > test->value;
    }
}

static bool holds(const struct onnx_graph *g, const struct onnx_test *test, float x) {
    return holds_of(test, onnx_apply_steps(g, test->feature, x));
}

enum status onnx_fold(const struct onnx_graph *g, const struct onnx_test *test,
                      struct onnx_folded *folded) {
    const float points[] = {-INFINITY, -FLT_MAX, FLT_MAX, INFINITY};
    enum { POINTS = sizeof points / sizeof *points };
    unsigned changes = 0, change = 0;
    if (!onnx_steps_are_exact(g, test->feature))
        return onnx_fail(g, STATUS_UNSUPPORTED,
                         "the operators before the trees turn some values of feature %" PRIu32
                         " into NaN. Export only the trees",
                         test->feature);
    for (unsigned i = 1; i < POINTS; i++)
        if (holds(g, test, points[i]) != holds(g, test, points[i - 1])) {
            changes++;
            change = i;
        }
    if (changes > 1)
        return onnx_fail(g, STATUS_UNSUPPORTED,
                         "the operators before the trees treat infinite numbers of feature %" PRIu32
                         " differently from large ones. Export only the trees",
                         test->feature);
    folded->holds_low = holds(g, test, points[0]);
    folded->nan_holds = holds(g, test, NAN);
    folded->threshold = (double)INFINITY; /* all numbers go the same way */
    if (!changes)
        return STATUS_OK;
    uint32_t low = number_to_ordered(points[change - 1]);
    uint32_t high = number_to_ordered(points[change]);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (holds(g, test, number_from_ordered(middle)) == folded->holds_low)
            low = middle;
        else
            high = middle;
    }
    folded->threshold = (double)number_from_ordered(low);
    return STATUS_OK;
}
