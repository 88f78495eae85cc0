/* The exact sign test, which is also the exact McNemar test. */
#ifndef HARNESS_INSTRUMENTS_SIGN_TEST_H
#define HARNESS_INSTRUMENTS_SIGN_TEST_H

#include <stdint.h>

/* Returns the two-sided p of `plus` positive and `minus` negative differences: the chance that fair
 * coins give numbers at least as unequal. 1 without any difference. */
double sign_test(uint64_t plus, uint64_t minus);

#endif
