#include "impls/framing/ifelse_test.h"

#include "impls/codegen/codegen_sets.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* --- floats ----------------------------------------------------------------------------------- */

/* NaN fails every comparison. The side to which it goes is therefore written as the negation of the
 * other side's comparison. */
static void write_float_test(FILE *stream, const struct ensemble *e, size_t node, bool left) {
    bool compares_left = !e->nan_left[node], negates = left != compares_left;
    fprintf(stream, "%sx[%u] %s ", negates ? "!(" : "", e->feature[node],
            compares_left ? "<=" : ">");
    codegen_write_float(stream, e->threshold[node]);
    fputs(negates ? ")" : "", stream);
}

/* --- bits of floats --------------------------------------------------------------------------- */

void ifelse_write_helpers(FILE *stream) {
    fputs("static inline unsigned bits(const float *x) {\n"
          "unsigned b;\n"
          "__builtin_memcpy(&b, x, sizeof b);\n"
          "return b;\n"
          "}\n",
          stream);
}

/* As unsigned integers, the bits of floats are in this order:
 *   0 to INF          0 and the positive floats, ascending
 *   up to MINUS_0     NaN
 *   MINUS_0 to -INF   -0 and the negative floats, descending
 *   above             NaN
 */
#define INF_BITS UINT32_C(0x7f800000)
#define MINUS_0_BITS UINT32_C(0x80000000)
#define MINUS_INF_BITS UINT32_C(0xff800000)

static void write_range(FILE *stream, uint32_t feature, uint32_t first, uint32_t last) {
    fprintf(stream, "bits(x + %u) - 0x%xu <= 0x%xu", feature, first, last - first);
}

/* Left, from a threshold of 0 or more: as signed integers, negative floats are below 0. The second
 * comparison fails for NaN only, so its branch is predictable. */
static void write_left_of_positive(FILE *stream, uint32_t feature, uint32_t threshold) {
    fprintf(stream, "(int)bits(x + %u) <= 0x%x && bits(x + %u) <= 0x%xu", feature, threshold,
            feature, MINUS_INF_BITS);
}

/* Right, from a threshold of 0 or more: the floats above it. */
static void write_right_of_positive(FILE *stream, uint32_t feature, uint32_t threshold) {
    if (threshold == INF_BITS)
        fputs("0", stream);
    else
        write_range(stream, feature, threshold + 1, INF_BITS);
}

static void write_left_of_negative(FILE *stream, uint32_t feature, uint32_t threshold) {
    write_range(stream, feature, threshold, MINUS_INF_BITS);
}

/* Right, from a threshold below 0: all that is below its bits, except NaN without a sign. */
static void write_right_of_negative(FILE *stream, uint32_t feature, uint32_t threshold) {
    fprintf(stream, "bits(x + %u) < 0x%xu && bits(x + %u) - 0x%xu >= 0x%xu", feature, threshold,
            feature, INF_BITS + 1, MINUS_0_BITS - INF_BITS - 1);
}

/* The threshold's bits; -0 counts as 0. */
static uint32_t threshold_bits(float threshold) {
    uint32_t bits;
    memcpy(&bits, &threshold, sizeof bits);
    return bits == MINUS_0_BITS ? 0 : bits;
}

/* As with floats, the side to which NaN goes is the negation of the other side's test. */
static void write_bits_test(FILE *stream, const struct ensemble *e, size_t node, bool left) {
    uint32_t feature = e->feature[node], threshold = threshold_bits(e->threshold[node]);
    bool compares_left = !e->nan_left[node], negative = threshold > MINUS_0_BITS;
    fputs(left == compares_left ? "(" : "!(", stream);
    if (compares_left && negative)
        write_left_of_negative(stream, feature, threshold);
    else if (compares_left)
        write_left_of_positive(stream, feature, threshold);
    else if (negative)
        write_right_of_negative(stream, feature, threshold);
    else
        write_right_of_positive(stream, feature, threshold);
    fputs(")", stream);
}

/* --- sets ------------------------------------------------------------------------------------- */

static void write_set_test(FILE *stream, const struct ensemble *e, size_t node, bool left) {
    fputs(left ? "(" : "!(", stream);
    codegen_write_set_test(stream, e, node);
    fputs(")", stream);
}

/* --- integers --------------------------------------------------------------------------------- */

const char *ifelse_value_type(enum ifelse_values values) {
    return values == IFELSE_INT16 ? "short" : values == IFELSE_INT32 ? "int" : "float";
}

/* For integers, x <= t exactly if x <= floor(t). If every value of the type is on one side, the
 * test is a constant. */
static void write_integer_test(FILE *stream, const struct ensemble *e, size_t node, bool left,
                               enum ifelse_values values) {
    double low = values == IFELSE_INT16 ? INT16_MIN : INT32_MIN;
    double high = values == IFELSE_INT16 ? INT16_MAX : INT32_MAX;
    double threshold = floor((double)e->threshold[node]) + 0.0; /* 0.0, not -0.0 */
    if (threshold < low || threshold >= high)
        fprintf(stream, "%d", (threshold >= high) == left);
    else
        fprintf(stream, "x[%u] %s %.0f", e->feature[node], left ? "<=" : ">", threshold);
}

/* ---------------------------------------------------------------------------------------------- */

void ifelse_write_test(FILE *stream, const struct ensemble *e, size_t node, bool left,
                       enum ifelse_values values) {
    if (values == IFELSE_INT16 || values == IFELSE_INT32)
        write_integer_test(stream, e, node, left, values);
    else if (ensemble_is_set(e, node))
        write_set_test(stream, e, node, left);
    else if (values == IFELSE_FLOAT_BITS)
        write_bits_test(stream, e, node, left);
    else
        write_float_test(stream, e, node, left);
}
