/* An integer key that sorts in the same order as floats. `treebench export` copies this function
 * into its programs, so it is valid C99 and C++. */
#ifndef IMPLS_SHARED_FLOAT_KEY_H
#define IMPLS_SHARED_FLOAT_KEY_H

#include <stdint.h>
#include <string.h>

/* x <= t exactly when the key of x is <= the key of t, for every x and every t except NaN. The key
 * of -0 is that of 0; the key of NaN is INT32_MAX, above all others. */
static inline int32_t float_key(float value) {
    int32_t bits, infinity = 0x7f800000;
    memcpy(&bits, &value, sizeof bits);
    int32_t magnitude = bits & INT32_MAX, sign = -(bits < 0);
    return magnitude > infinity ? INT32_MAX : (magnitude ^ sign) - sign;
}

#endif
