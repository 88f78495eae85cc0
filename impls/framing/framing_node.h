/* Fields of nodes whose widths vary, and the comparison at a node. If the widths are constants, the
 * compiler specialises the code for them. */
#ifndef IMPLS_FRAMING_FRAMING_NODE_H
#define IMPLS_FRAMING_FRAMING_NODE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define FRAMING_INLINE static inline __attribute__((always_inline))

/* A number of 2 or 4 bytes. */
FRAMING_INLINE uint32_t framing_load(const unsigned char *at, unsigned bytes) {
    uint32_t wide;
    uint16_t narrow;
    if (bytes == 2) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

FRAMING_INLINE void framing_store(unsigned char *at, unsigned bytes, uint32_t value) {
    uint16_t narrow = (uint16_t)value;
    if (bytes == 2)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &value, sizeof value);
}

FRAMING_INLINE bool framing_float_goes_left(const float *x, const unsigned char *split,
                                            const unsigned char *nan_left, bool any_nan_left) {
    float threshold;
    memcpy(&threshold, split, sizeof threshold);
    if (!any_nan_left)
        return *x <= threshold;
    return *x <= threshold || (isunordered(*x, threshold) && *nan_left);
}

/* The bits of two floats of the same sign, taken as integers, ascend (sign plus) or descend (sign
 * minus) with the floats. Therefore a split below 0 and the document's value both have their lower
 * 31 bits inverted: the split once (framing_split), the value here. A split of -0 is stored as 0,
 * so that -0 and 0 go left at it. A NaN with a minus sign would go left. */
FRAMING_INLINE bool framing_int_goes_left(const float *x, const unsigned char *split,
                                          const unsigned char *nan_left, bool any_nan_left) {
    uint32_t bits, inverted;
    int32_t key, value;
    memcpy(&bits, x, sizeof bits);
    memcpy(&key, split, sizeof key);
    inverted = bits ^ ((0u - ((uint32_t)key >> 31)) >> 1);
    memcpy(&value, &inverted, sizeof value);
    if (!any_nan_left)
        return (value <= key) & (bits <= 0xff800000u);
    return (bits & 0x7fffffffu) > 0x7f800000u ? *nan_left != 0 : value <= key;
}

/* How a document's value is compared with a split. The first three are in the order of enum
 * values_type. */
enum framing_values {
    FRAMING_FLOAT,
    FRAMING_INT16,
    FRAMING_INT32,
    FRAMING_BITS /* floats, compared by the integers that have the same bits */
};

/* Does a document x of these values go left? `split` and `nan_left` are the node's fields;
 * `nan_left` is 1 if NaN goes left, and is read only if any_nan_left. Integers are never NaN. */
FRAMING_INLINE bool framing_goes_left(const void *x, uint32_t feature, const unsigned char *split,
                                      const unsigned char *nan_left, enum framing_values values,
                                      bool any_nan_left) {
    int32_t key;
    memcpy(&key, split, sizeof key);
    switch (values) {
    case FRAMING_INT16:
        return ((const int16_t *)x)[feature] <= key;
    case FRAMING_INT32:
        return ((const int32_t *)x)[feature] <= key;
    case FRAMING_BITS:
        return framing_int_goes_left((const float *)x + feature, split, nan_left, any_nan_left);
    case FRAMING_FLOAT:
        break;
    }
    return framing_float_goes_left((const float *)x + feature, split, nan_left, any_nan_left);
}

#endif
