#include "harness/judge/verdict.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

const char *const verdict_words[5] = {"", "faster", "slower", "same", "unresolved"};

static bool is_known(struct interval interval) {
    return isfinite(interval.low) && isfinite(interval.high);
}

double verdict_noise_floor(struct interval same_code) {
    return is_known(same_code) ? fmax(fabs(1 - same_code.low), fabs(same_code.high - 1)) : NAN;
}

/* Returns the least whole per cent within which the interval lies, or 0 if there is none. */
static int find_within(struct interval ratio) {
    for (int per_cent = 1; per_cent <= VERDICT_SAME_MOST; per_cent++)
        if (ratio.low >= 1 - per_cent / 100.0 && ratio.high <= 1 + per_cent / 100.0)
            return per_cent;
    return 0;
}

struct verdict verdict_of(struct interval ratio, double noise_floor) {
    if (!is_known(ratio) || !isfinite(noise_floor))
        return (struct verdict){VERDICT_UNRESOLVED, 0};
    if (ratio.high < 1 - noise_floor)
        return (struct verdict){VERDICT_FASTER, 0};
    if (ratio.low > 1 + noise_floor)
        return (struct verdict){VERDICT_SLOWER, 0};
    int within = find_within(ratio);
    return (struct verdict){within ? VERDICT_SAME : VERDICT_UNRESOLVED, within};
}

void verdict_describe(struct verdict verdict, char text[VERDICT_TEXT_SIZE]) {
    if (verdict.kind == VERDICT_SAME)
        snprintf(text, VERDICT_TEXT_SIZE, "same within %d %%", verdict.within);
    else
        snprintf(text, VERDICT_TEXT_SIZE, "%s", verdict_words[verdict.kind]);
}
