#include "models/lightgbm/lightgbm.h"

#include "models/reader.h"

#include <math.h>

static const double ZERO = (double)1e-35F; /* LightGBM's kZeroThreshold */

static double below(double x) {
    return nextafter(x, -(double)INFINITY);
}

static bool add_cut(struct lightgbm_split *split, double cut) {
    return reader_add_cut(&split->cuts, cut);
}

/* Adds the cuts for missing type zero: zeros go to the default side, whatever the threshold. */
static bool cut_zero_missing(struct lightgbm_split *split, double threshold, bool default_left) {
    const double below_zero = below(-ZERO);
    if (default_left)
        return (threshold >= below_zero ||
                (add_cut(split, threshold) && add_cut(split, below_zero))) &&
               add_cut(split, threshold < ZERO ? ZERO : threshold);
    return add_cut(split, threshold < below_zero ? threshold : below_zero) &&
           (threshold <= ZERO || (add_cut(split, ZERO) && add_cut(split, threshold)));
}

bool lightgbm_separates_zeros(double threshold) {
    return threshold >= -ZERO && threshold < ZERO;
}

/* If the threshold separates numbers that count as zero, returns a threshold that sends all of
 * these numbers to the side of 0. */
static double cut_around_zero(double threshold) {
    if (!lightgbm_separates_zeros(threshold))
        return threshold;
    return threshold < 0 ? below(-ZERO) : ZERO;
}

bool lightgbm_split_numbers(struct lightgbm_split *split, unsigned decision_type,
                            double threshold) {
    bool default_left = decision_type & LIGHTGBM_DEFAULT_LEFT;
    unsigned missing = decision_type >> LIGHTGBM_MISSING_SHIFT;
    split->cuts.count = 0;
    split->lowest_right = false;
    split->nan_left = missing == LIGHTGBM_MISSING_NONE ? 0 <= threshold : default_left;
    if (missing == LIGHTGBM_MISSING_ZERO)
        return cut_zero_missing(split, threshold, default_left);
    return add_cut(split, cut_around_zero(threshold));
}

static bool has_category(const double *words, uint32_t category) {
    return (uint32_t)words[category / 32] >> category % 32 & 1;
}

void lightgbm_split_nothing(struct lightgbm_split *split) {
    split->cuts.count = 0;
    split->lowest_right = true;
    split->nan_left = false;
}

/* A category next to the one before extends its piece. Fractions are cut off towards zero, so
 * numbers between -1 and 0 belong to category 0. */
bool lightgbm_split_category(struct lightgbm_split *split, uint32_t category) {
    return add_cut(split, category ? below(category) : -1.0) &&
           add_cut(split, below((double)category + 1));
}

bool lightgbm_split_categories(struct lightgbm_split *split, const double *words,
                               uint32_t n_words) {
    enum { MAX_WORDS = 1 << 26 }; /* categories are int32 */
    uint32_t n_categories = (n_words < MAX_WORDS ? n_words : MAX_WORDS) * 32U;
    lightgbm_split_nothing(split);
    for (uint32_t category = 0; category < n_categories; category++)
        if (has_category(words, category) && !lightgbm_split_category(split, category))
            return false;
    return true;
}
