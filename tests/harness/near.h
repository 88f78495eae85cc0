/* Compares doubles. cmocka's own assert_float_equal compares floats. */
#ifndef TESTS_HARNESS_NEAR_H
#define TESTS_HARNESS_NEAR_H

#include <math.h>

#define assert_near(found, expected, tolerance)                                                    \
    do {                                                                                           \
        double near_found = (found), near_expected = (expected);                                   \
        if (!(fabs(near_found - near_expected) <= (tolerance)))                                    \
            fail_msg("%s is %.9g instead of %.9g", #found, near_found, near_expected);             \
    } while (0)

#endif
