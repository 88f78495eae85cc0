#include "models/placing.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>

struct placing {
    uint32_t n_features, n_coded;
    struct memory_pool pool; /* of the arrays */
    size_t *begin;           /* [n_features + 1] first threshold of each feature */
    double *threshold;       /* increasing within each feature, without duplicates */
    float *placed;           /* each threshold's value in the ensemble */
    bool *is_coded;          /* [n_features] */

    /* A Bloom filter of the values of thresholds in the ensemble, with their features. A hash
     * chooses a word by its upper bits, and two bits of the word. */
    uint64_t *near;
    unsigned near_shift;
};

void placing_free(struct placing *placing) {
    if (!placing)
        return;
    memory_pool_free(&placing->pool);
    free(placing);
}

/* --- the thresholds of each feature ----------------------------------------------------------- */

/* Visits a threshold or cut of the ensemble. `exact` and `rounded` point into the ensemble. */
typedef void (*threshold_visitor)(struct placing *placing, uint32_t feature, double *exact,
                                  float *rounded);

static void visit_thresholds(struct placing *placing, struct ensemble *e, threshold_visitor visit) {
    for (size_t node = 0; node < e->n_nodes; node++) {
        uint32_t feature = e->feature[node];
        if (!ensemble_is_set(e, node)) {
            visit(placing, feature, &e->threshold_double[node], &e->threshold[node]);
            continue;
        }
        for (size_t i = e->set_cut[e->set[node]]; i < e->set_cut[e->set[node] + 1]; i++)
            visit(placing, feature, &e->cut_double[i], &e->cut[i]);
    }
}

static void count_threshold(struct placing *placing, uint32_t feature, double *exact,
                            float *rounded) {
    (void)exact, (void)rounded;
    placing->begin[feature]++;
}

static void store_threshold(struct placing *placing, uint32_t feature, double *exact,
                            float *rounded) {
    (void)rounded;
    placing->threshold[--placing->begin[feature]] = *exact;
}

/* Sorts the thresholds of each feature and removes duplicates. */
static void sort_thresholds(struct placing *placing) {
    size_t kept = 0;
    for (uint32_t f = 0; f < placing->n_features; f++) {
        size_t begin = placing->begin[f], count = placing->begin[f + 1] - begin;
        qsort(placing->threshold + begin, count, sizeof *placing->threshold, compare_doubles);
        placing->begin[f] = kept;
        for (size_t i = begin; i < begin + count; i++) {
            if (i == begin || placing->threshold[i] != placing->threshold[i - 1])
                placing->threshold[kept++] = placing->threshold[i];
        }
    }
    placing->begin[placing->n_features] = kept;
}

static bool collect_thresholds(struct placing *placing, struct ensemble *e) {
    struct memory_pool *pool = &placing->pool;
    size_t n_begins = (size_t)e->n_features + 1;
    placing->begin = memory_pool_array(pool, n_begins, sizeof *placing->begin);
    placing->is_coded = memory_pool_array(pool, n_begins, sizeof *placing->is_coded);
    if (pool->failed)
        return false;
    visit_thresholds(placing, e, count_threshold);
    size_t end = 0;
    for (uint32_t f = 0; f < e->n_features; f++)
        placing->begin[f] = end += placing->begin[f];
    placing->begin[e->n_features] = end;
    placing->threshold = memory_pool_array(pool, end + 1, sizeof *placing->threshold);
    placing->placed = memory_pool_array(pool, end + 1, sizeof *placing->placed);
    if (pool->failed)
        return false;
    visit_thresholds(placing, e, store_threshold);
    sort_thresholds(placing);
    return true;
}

/* --- coded features --------------------------------------------------------------------------- */

/* Uses the thresholds as float32, or their ranks if two of them would be equal. */
static enum status choose_codes(struct placing *placing, uint32_t feature, struct error *error) {
    enum { MOST = 1 << 24 }; /* float32 counts exactly up to here */
    size_t begin = placing->begin[feature], end = placing->begin[feature + 1];
    for (size_t i = begin; i < end; i++) {
        placing->placed[i] = number_round_down(placing->threshold[i]);
        placing->is_coded[feature] |= i > begin && placing->placed[i] == placing->placed[i - 1];
    }
    if (!placing->is_coded[feature])
        return STATUS_OK;
    if (end - begin > MOST)
        return error_set(error, STATUS_UNSUPPORTED,
                         "feature %u has more than %d thresholds, and some of them become "
                         "equal when rounded to float32",
                         feature, MOST);
    placing->n_coded++;
    for (size_t i = begin; i < end; i++)
        placing->placed[i] = (float)(i - begin);
    return STATUS_OK;
}

/* The first threshold of a feature that is at least `value`, or the end if there is none. */
static size_t find_threshold(const struct placing *placing, uint32_t feature, double value) {
    size_t low = placing->begin[feature], high = placing->begin[feature + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (placing->threshold[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void code_threshold(struct placing *placing, uint32_t feature, double *exact,
                           float *rounded) {
    if (!placing->is_coded[feature])
        return;
    *rounded = placing->placed[find_threshold(placing, feature, *exact)];
    *exact = (double)*rounded;
}

/* The threshold of a set node is its first cut. */
static void code_set_thresholds(struct placing *placing, struct ensemble *e) {
    for (size_t node = 0; node < e->n_nodes; node++) {
        if (!ensemble_is_set(e, node) || !placing->is_coded[e->feature[node]])
            continue;
        e->threshold[node] = e->cut[e->set_cut[e->set[node]]];
        e->threshold_double[node] = (double)e->threshold[node];
    }
}

/* --- which values need a search --------------------------------------------------------------- */

static uint64_t hash_near(uint32_t feature, float placed) {
    return ((uint64_t)feature << 32 | number_bits_of(placed)) * 0x9e3779b97f4a7c15u;
}

static uint64_t bits_near(uint64_t hash) {
    return (uint64_t)1 << (hash >> 38 & 63) | (uint64_t)1 << (hash >> 32 & 63);
}

/* Could a threshold lie between `down`, the largest float32 below the value, and the value? */
static bool may_be_near(const struct placing *placing, uint32_t feature, float down) {
    uint64_t hash = hash_near(feature, down), bits = bits_near(hash);
    return (placing->near[hash >> placing->near_shift] & bits) == bits;
}

/* Needless searches are rare if a word serves four thresholds. */
static bool mark_near(struct placing *placing) {
    size_t n_thresholds = placing->begin[placing->n_features];
    unsigned log_words = 1;
    while (log_words < 20 && (size_t)4 << log_words < n_thresholds)
        log_words++;
    placing->near_shift = 64 - log_words;
    placing->near =
        memory_pool_array(&placing->pool, (size_t)1 << log_words, sizeof *placing->near);
    for (uint32_t f = 0; placing->near && f < placing->n_features; f++)
        for (size_t i = placing->begin[f]; i < placing->begin[f + 1]; i++) {
            /* Adding 0 turns -0 into 0, which is the largest float32 below tiny numbers. */
            uint64_t hash = hash_near(f, placing->placed[i] + 0.0f);
            placing->near[hash >> placing->near_shift] |= bits_near(hash);
        }
    return placing->near != NULL;
}

enum status placing_create(struct ensemble *e, struct placing **placing, struct error *error) {
    *placing = NULL;
    if (!e->threshold_double)
        return STATUS_OK;
    struct placing *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error, "the thresholds of a model");
    made->n_features = e->n_features;
    enum status status =
        collect_thresholds(made, e) ? STATUS_OK : error_memory(error, "the thresholds of a model");
    for (uint32_t f = 0; f < e->n_features && !status; f++)
        status = choose_codes(made, f, error);
    if (!status && !mark_near(made))
        status = error_memory(error, "the thresholds of a model");
    if (status) {
        placing_free(made);
        return status;
    }
    visit_thresholds(made, e, code_threshold);
    code_set_thresholds(made, e);
    *placing = made;
    return STATUS_OK;
}

/* --- placing ---------------------------------------------------------------------------------- */

/* The largest float32 below a value that is no float32. `nearest` is the nearest one. Without
 * branches, because nobody can predict in which direction a value is rounded. */
static float below(float nearest, double value) {
    uint32_t bits = number_bits_of(nearest), is_above = (double)nearest > value;
    return number_float_of(bits + is_above * ((bits >> 31) * 2 - 1));
}

float placing_place(const struct placing *placing, uint32_t feature, double value) {
    float nearest = (float)value;
    if (!placing || feature >= placing->n_features || value != value)
        return nearest;
    bool is_coded = placing->is_coded[feature];
    if ((double)nearest == value && !is_coded)
        return nearest; /* thresholds rounded down give the same result for every float32 */
    if (!is_coded && !may_be_near(placing, feature, below(nearest, value)))
        return nearest;
    size_t first = find_threshold(placing, feature, value);
    if (is_coded)
        return (float)(first - placing->begin[feature]);
    if (first < placing->begin[feature + 1] && nearest > placing->placed[first])
        return placing->placed[first];
    if (first > placing->begin[feature] && nearest <= placing->placed[first - 1])
        return nextafterf(placing->placed[first - 1], INFINITY);
    return nearest;
}

void placing_place_row(const struct placing *placing, const double *values, uint32_t n_features,
                       float *x) {
    for (uint32_t f = 0; f < n_features; f++)
        x[f] = (float)values[f];
    for (uint32_t f = 0; placing && f < n_features; f++)
        if (placing->is_coded[f] || may_be_near(placing, f, below(x[f], values[f])))
            x[f] = placing_place(placing, f, values[f]);
}

bool placing_is_coded(const struct placing *placing, uint32_t feature) {
    return placing && feature < placing->n_features && placing->is_coded[feature];
}

uint32_t placing_count_coded(const struct placing *placing) {
    return placing ? placing->n_coded : 0;
}

uint32_t placing_thresholds(const struct placing *placing, uint32_t feature,
                            const double **thresholds, const float **placed) {
    *thresholds = placing->threshold + placing->begin[feature];
    *placed = placing->placed + placing->begin[feature];
    return (uint32_t)(placing->begin[feature + 1] - placing->begin[feature]);
}
