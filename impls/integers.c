#include "impls/integers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *const names[] = {
    [VALUES_FLOAT] = "float", [VALUES_INT16] = "int16", [VALUES_INT32] = "int32"};

int32_t integers_limit(enum values_type type) {
    return type == VALUES_INT16 ? INT16_MAX : type == VALUES_INT32 ? INT32_MAX : 0;
}

size_t integers_stride(enum values_type type, uint32_t n_features) {
    return type == VALUES_INT16 ? ((size_t)n_features + 1) / 2 : n_features;
}

/* NaN fails the comparisons. A float of up to 2^31 - 1 is below 2^31, and so an int32_t. */
static bool is_integer(float x, int32_t limit) {
    return (double)x >= -(double)limit && (double)x <= (double)limit && x == truncf(x);
}

static enum status refuse(enum values_type type, size_t doc, uint32_t feature, float value,
                          struct error *error) {
    char text[32] = "nan";
    int32_t limit = integers_limit(type);
    if (isfinite(value))
        snprintf(text, sizeof text, "%.9g", (double)value);
    else if (!isnan(value))
        snprintf(text, sizeof text, "%sinfinite", value < 0 ? "-" : "");
    return error_set(error, STATUS_UNSUPPORTED,
                     "document %zu, feature %" PRIu32 ": %s is not an integer from %" PRId32
                     " to %" PRId32 ", so feature=%s cannot score it. Use feature=float",
                     doc + 1, feature + 1, text, -limit, limit, names[type]);
}

enum status integers_convert(enum values_type type, const float *x, size_t stride, size_t n_docs,
                             uint32_t n_features, void *to, struct error *error) {
    size_t to_stride = integers_stride(type, n_features);
    int32_t limit = integers_limit(type);
    for (size_t doc = 0; doc < n_docs; doc++)
        for (uint32_t f = 0; f < n_features; f++) {
            float value = x[doc * stride + f];
            if (!is_integer(value, limit))
                return refuse(type, doc, f, value, error);
            if (type == VALUES_INT16)
                ((int16_t *)to)[2 * doc * to_stride + f] = (int16_t)value;
            else
                ((int32_t *)to)[doc * to_stride + f] = (int32_t)value;
        }
    return STATUS_OK;
}
