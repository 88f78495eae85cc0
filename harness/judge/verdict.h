/* The verdict on a ratio of two times, from its interval. */
#ifndef HARNESS_JUDGE_VERDICT_H
#define HARNESS_JUDGE_VERDICT_H

#include "harness/instruments/stats.h"

enum verdict_kind {
    VERDICT_NONE, /* there is no ratio */
    VERDICT_FASTER,
    VERDICT_SLOWER,
    VERDICT_SAME,      /* the times differ by at most a few per cent */
    VERDICT_UNRESOLVED /* the interval is too wide to tell, or there is no noise floor */
};
extern const char *const verdict_words[5]; /* "", "faster", "slower", "same", "unresolved" */

enum { VERDICT_SAME_MOST = 5, VERDICT_TEXT_SIZE = 32 };

struct verdict {
    enum verdict_kind kind;
    int within; /* VERDICT_SAME: per cent, from 1 to VERDICT_SAME_MOST; otherwise 0 */
};

/* Returns the largest difference from 1 within the interval of a ratio of the same code to itself:
 * 0.02 for [0.99, 1.02]. Such differences mean nothing. Returns NaN without an interval. */
double verdict_noise_floor(struct interval same_code);

/* Judges a ratio by its interval. "faster" and "slower": the whole interval differs from 1 by more
 * than the noise floor. "same": otherwise, the whole interval lies within `within` per cent of 1.
 */
struct verdict verdict_of(struct interval ratio, double noise_floor);

/* Writes the verdict as "faster" or "same within 2 %". Writes "" for VERDICT_NONE. */
void verdict_describe(struct verdict verdict, char text[VERDICT_TEXT_SIZE]);

#endif
