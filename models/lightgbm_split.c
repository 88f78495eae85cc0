#include "models/lightgbm.h"

#include "base/number.h"

static const float ZERO = 1e-35F; /* LightGBM's kZeroThreshold */

/* What LightGBM takes for zero goes to the default side, whatever the threshold says. */
static bool cut_zero_missing(struct rewrite_cuts *cuts, struct rewrite_split *split,
                             float threshold, bool default_left) {
    const float below_zero = number_below(-ZERO);
    if (default_left)
        return (threshold >= below_zero || (rewrite_cuts_add(cuts, split, threshold) &&
                                            rewrite_cuts_add(cuts, split, below_zero))) &&
               rewrite_cuts_add(cuts, split, threshold < ZERO ? ZERO : threshold);
    return rewrite_cuts_add(cuts, split, threshold < below_zero ? threshold : below_zero) &&
           (threshold <= ZERO ||
            (rewrite_cuts_add(cuts, split, ZERO) && rewrite_cuts_add(cuts, split, threshold)));
}

bool lightgbm_cut_numbers(struct rewrite_cuts *cuts, struct rewrite_split *split,
                          unsigned decision_type, double threshold) {
    bool default_left = decision_type & LIGHTGBM_DEFAULT_LEFT;
    unsigned missing = decision_type >> LIGHTGBM_MISSING_SHIFT;
    float rounded = number_round_down(threshold);
    split->lowest_left = true;
    split->nan_left = missing == LIGHTGBM_MISSING_NONE ? 0 <= threshold : default_left;
    if (missing == LIGHTGBM_MISSING_ZERO)
        return cut_zero_missing(cuts, split, rounded, default_left);
    return rewrite_cuts_add(cuts, split, rounded);
}

static bool has_category(const double *words, uint32_t category) {
    return (uint32_t)words[category / 32] >> category % 32 & 1;
}

/* The largest float32 under an integer. */
static float float_under(double integer) {
    float down = number_round_down(integer);
    return (double)down == integer ? number_below(down) : down;
}

/* From each run of categories one piece. Since fractions are cut off towards zero, everything over
 * -1 belongs to category 0. */
bool lightgbm_cut_categories(struct rewrite_cuts *cuts, struct rewrite_split *split,
                             const double *words, uint32_t n_words) {
    enum { MAX_WORDS = 1 << 26 }; /* categories are int32 */
    uint32_t n_categories = (n_words < MAX_WORDS ? n_words : MAX_WORDS) * 32U;
    bool inside = false;
    for (uint32_t category = 0; category < n_categories; category++) {
        if (has_category(words, category) == inside)
            continue;
        inside = !inside;
        if (!rewrite_cuts_add(cuts, split, category ? float_under(category) : -1.0F))
            return false;
    }
    return !inside || rewrite_cuts_add(cuts, split, float_under(n_categories));
}
