/* A test of what the trees of an ONNX graph get, as a test of the document's own number. What
 * stands before the trees keeps the order of numbers or turns it around, so that a test `F(x) <=
 * value` holds up to some float, or from some float on: found by bisection over all floats in
 * order. */
#include "models/onnx.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Floats in order, as integers: -inf is the least. */
static uint32_t to_order(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x80000000U ? ~bits : bits | 0x80000000U;
}

static float from_order(uint32_t order) {
    uint32_t bits = order & 0x80000000U ? order & 0x7fffffffU : ~order;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

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
        return error_set(g->error, STATUS_UNSUPPORTED,
                         "%s: the nodes before the trees do not make a number of every number of "
                         "feature %" PRIu32 "; export the trees alone",
                         g->name, test->feature);
    for (unsigned i = 1; i < POINTS; i++)
        if (holds(g, test, points[i]) != holds(g, test, points[i - 1])) {
            changes++;
            change = i;
        }
    if (changes > 1)
        return error_set(g->error, STATUS_UNSUPPORTED,
                         "%s: the nodes before the trees treat infinite numbers of feature %" PRIu32
                         " unlike large ones; export the trees alone",
                         g->name, test->feature);
    folded->holds_low = holds(g, test, points[0]);
    folded->nan_holds = holds(g, test, NAN);
    folded->threshold = (double)INFINITY; /* all numbers go the same way */
    if (!changes)
        return STATUS_OK;
    uint32_t low = to_order(points[change - 1]), high = to_order(points[change]);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (holds(g, test, from_order(middle)) == folded->holds_low)
            low = middle;
        else
            high = middle;
    }
    folded->threshold = (double)from_order(low);
    return STATUS_OK;
}
