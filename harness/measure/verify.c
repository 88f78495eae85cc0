#include "harness/measure/verify.h"

#include "base/memory.h"
#include "base/order.h"
#include "harness/measure/limits.h"
#include "impls/integers.h"
#include "impls/runner.h"
#include "synth/synth.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* enough for synth_probes to hit every threshold and the float32 numbers on both sides of it */
    PROBES_PER_NODE = 6,
    PROBES_MIN = 1024,
    PROBES_MAX = 8192,
    /* At least so many probes are made even if they take more than LIMIT_MADE_BYTES. */
    PROBES_WIDE_MIN = 4,
    /* Limit for probes times trees. At least PROBES_PAIRS_MIN probes are made even if they exceed
     * it. */
    PROBES_PAIRS_MAX = 1 << 24,
    PROBES_PAIRS_MIN = 512,
    PROBES_SEED = 20140901,
    LEAVES_SEED = 20261121,
    LARGEST_EXACT_FLOAT = 1 << 24, /* every integer up to this value is a float32 */
    /* A block of documents stays in the cache while all trees score it. BLOCK_ROWS is not a
     * multiple of any number of lanes above 1. So every block ends with a step of fewer documents
     * than lanes, which is checked too. */
    BLOCK_ROWS = 1003
};

/* Documents and the reference's scores for them. */
struct expected_scores {
    const struct matrix *rows; /* NULL if there are none */
    double *scores;            /* [n_rows * n_outputs] */
    bool probes;
};

struct verifier {
    /* bound for the difference between two sums of the same leaves in different orders */
    double rounding;
    double leaf_sum; /* sum over all trees of the tree's largest |leaf| */
    double largest_leaf;
    bool all_integers;
    double based_sum; /* leaf_sum plus the largest |base score| */
    struct matrix *probes;
    struct expected_scores documents, edges;
    const struct ensemble *ensemble;
    /* a copy of the ensemble whose leaf sums are exact; NULL until needed */
    struct ensemble *exact_ensemble;
    struct verifier *exact;
};

static const struct plan ONE_THREAD = {.order = ORDER_DS};

/* Computes scores without base scores, which are the same for all implementations. */
static void score_block(struct runner *runner, const struct matrix *rows, struct span block,
                        uint32_t n_outputs, double *scores) {
    size_t count = block.end - block.begin;
    memset(scores, 0, count * n_outputs * sizeof *scores);
    runner_run(runner, matrix_row(rows, block.begin), rows->stride, count, scores);
}

/* The number of documents of a block. It is odd, as BLOCK_ROWS is. */
static size_t block_rows(uint32_t n_outputs) {
    size_t most = LIMIT_MADE_BYTES / sizeof(double) / n_outputs;
    return smaller(BLOCK_ROWS, (most - 1) | 1);
}

static struct span block_at(size_t begin, const struct matrix *rows, uint32_t n_outputs) {
    return (struct span){begin, begin + smaller(rows->n_rows - begin, block_rows(n_outputs))};
}

/* --- the reference's scores ------------------------------------------------------------------- */

/* Scores the rows by a runner of the reference. */
static enum status score_rows(struct expected_scores *expected, const struct matrix *rows,
                              struct runner *reference, uint32_t n_outputs, struct error *error) {
    size_t n_scores, bytes;
    bool fits = memory_multiply(rows->n_rows, n_outputs, &n_scores) &&
                memory_multiply(n_scores, sizeof(double), &bytes);
    expected->scores = fits ? memory_aligned_alloc(bytes) : NULL;
    if (!expected->scores)
        return error_memory(error, "the reference's scores");
    expected->rows = rows;
    for (struct span block = {0, 0}; block.end < rows->n_rows;) {
        block = block_at(block.end, rows, n_outputs);
        score_block(reference, rows, block, n_outputs, expected->scores + block.begin * n_outputs);
    }
    return STATUS_OK;
}

/* Scores rows of two kinds by the reference; the second may be NULL. */
static enum status score_by_reference(const struct ensemble *ensemble, const struct matrix *rows,
                                      struct expected_scores *of_rows, const struct matrix *more,
                                      struct expected_scores *of_more, struct error *error) {
    struct scorer *reference;
    struct runner *runner = NULL;
    enum status status = scorer_build("reference", ensemble, &reference, error);
    if (status)
        return status;
    status = runner_create(reference, &ONE_THREAD, BLOCK_ROWS, &runner, error);
    if (!status)
        status = score_rows(of_rows, rows, runner, ensemble->n_outputs, error);
    if (!status && more)
        status = score_rows(of_more, more, runner, ensemble->n_outputs, error);
    runner_destroy(runner);
    scorer_destroy(reference);
    return status;
}

static size_t probe_count(const struct ensemble *ensemble) {
    size_t wanted = smaller(larger(ensemble->n_nodes * PROBES_PER_NODE, PROBES_MIN), PROBES_MAX);
    size_t pairs_limit = PROBES_PAIRS_MAX / larger(ensemble->n_trees, 1);
    wanted = smaller(wanted, larger(pairs_limit, PROBES_PAIRS_MIN));
    size_t row_bytes = limit_row_bytes(0, ensemble->n_features, ensemble->n_outputs);
    return smaller(wanted, larger(LIMIT_MADE_BYTES / row_bytes, PROBES_WIDE_MIN));
}

/* Finds the largest |leaf| of each tree and of all trees, and whether all leaves are integers. */
static void find_leaves(struct verifier *verifier, const struct ensemble *e) {
    verifier->all_integers = true;
    for (uint32_t t = 0; t < e->n_trees; t++) {
        double largest = 0;
        for (size_t leaf = e->tree_leaf[t]; leaf < e->tree_leaf[t + 1]; leaf++) {
            double value = e->votes ? 1 : e->value[leaf];
            largest = fmax(largest, fabs(value));
            verifier->all_integers &= value == trunc(value);
        }
        verifier->leaf_sum += largest;
        verifier->largest_leaf = fmax(verifier->largest_leaf, largest);
    }
}

/* Bounds the difference between two sums of the same n numbers v in different orders. To first
 * order, each sum differs from the true sum by at most (n - 1) DBL_EPSILON / 2 times the sum of all
 * |v|. The bound is twice that, because there are two sums. */
static void set_rounding(struct verifier *verifier, const struct ensemble *e) {
    find_leaves(verifier, e);
    verifier->rounding = verifier->leaf_sum * e->n_trees * DBL_EPSILON;
    double base = 0;
    for (uint32_t k = 0; k < e->n_outputs; k++)
        base = fmax(base, fabs(e->base[k]));
    verifier->based_sum = verifier->leaf_sum + base;
}

enum status verifier_create(const struct ensemble *ensemble, const struct matrix *documents,
                            struct verifier **verifier, struct error *error) {
    if (documents && documents->n_features < ensemble->n_features)
        return error_set(error, STATUS_INPUT,
                         "the documents have %" PRIu32 " features, but the model needs %" PRIu32,
                         documents->n_features, ensemble->n_features);
    if (documents && limit_check_scores(documents, ensemble->n_outputs, error))
        return STATUS_INPUT;
    struct verifier *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error, "a verifier");
    set_rounding(made, ensemble);
    made->edges.probes = true;
    made->ensemble = ensemble;
    enum status status =
        synth_probes(ensemble, probe_count(ensemble), PROBES_SEED, &made->probes, error);
    if (!status)
        status = score_by_reference(ensemble, made->probes, &made->edges, documents,
                                    &made->documents, error);
    if (status) {
        verifier_free(made);
        return status;
    }
    *verifier = made;
    return STATUS_OK;
}

size_t verifier_probes(const struct verifier *verifier) {
    return verifier->probes->n_rows;
}

void verifier_free(struct verifier *verifier) {
    if (!verifier)
        return;
    verifier_free(verifier->exact);
    ensemble_free(verifier->exact_ensemble);
    matrix_free(verifier->probes);
    free(verifier->documents.scores);
    free(verifier->edges.scores);
    free(verifier);
}

/* --- comparing -------------------------------------------------------------------------------- */

/* A check in progress. */
struct check_state {
    struct runner *runner;
    const struct scorer *scorer;
    double *scores; /* of a block */
    struct verification *verification;
};

/* Returns infinity if one of the scores is NaN, because no rounding explains a NaN. */
static double difference(double expected, double found) {
    double distance = fabs(expected - found);
    return isnan(distance) ? INFINITY : distance;
}

/* Returns true if the library replaces small values of the document by zero. Its decisions may then
 * differ from the reference's. */
static bool has_lost_values(const struct scorer *scorer, const float *x) {
    for (uint32_t f = 0; scorer->zeros_up_to > 0 && f < scorer->n_features; f++)
        if (x[f] != 0 && fabsf(x[f]) <= scorer->zeros_up_to)
            return true;
    return false;
}

static void compare_block(const struct check_state *state, const struct expected_scores *reference,
                          struct span block) {
    struct verification *verification = state->verification;
    const double *expected = reference->scores + block.begin * state->scorer->n_outputs;
    const double *found = state->scores;
    size_t count = (block.end - block.begin) * state->scorer->n_outputs;
    if (memcmp(expected, found, count * sizeof *found) == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        size_t document = block.begin + i / state->scorer->n_outputs;
        double apart = difference(expected[i], found[i]);
        if (apart != 0 && has_lost_values(state->scorer, matrix_row(reference->rows, document)))
            continue;
        if (apart > verification->largest_difference)
            verification->largest_difference = apart;
        if (memcmp(&expected[i], &found[i], sizeof *found) == 0 ||
            (verification->rounding > 0 && apart <= verification->rounding))
            continue;
        if (verification->agrees) {
            verification->agrees = false;
            verification->document = document;
            verification->probe = reference->probes;
            verification->expected = expected[i];
            verification->found = found[i];
        }
    }
}

/* Compares the first `most` rows. */
static enum status compare_rows(const struct check_state *state,
                                const struct expected_scores *reference, size_t most,
                                struct error *error) {
    const struct matrix *rows = reference->rows;
    size_t n_rows = rows ? smaller(rows->n_rows, most) : 0;
    enum status status =
        rows ? runner_prepare(state->runner, rows->values, rows->stride, n_rows, error) : STATUS_OK;
    if (status)
        return status;
    for (struct span block = {0, 0}; block.end < n_rows;) {
        block = block_at(block.end, rows, state->scorer->n_outputs);
        block.end = smaller(block.end, n_rows);
        score_block(state->runner, reference->rows, block, state->scorer->n_outputs, state->scores);
        compare_block(state, reference, block);
    }
    return STATUS_OK;
}

/* --- scorers of integers ---------------------------------------------------------------------- */

/* Rounds down. Values that the type lacks become its largest or smallest, and NaN becomes 0. */
static float round_probe(float value, double limit) {
    return isnan(value) ? 0 : (float)fmin(fmax(floor((double)value), -limit), limit);
}

static enum status round_probes(const struct matrix *probes, int32_t limit, struct matrix **rounded,
                                struct error *error) {
    /* the largest float that is not above the limit: 2^31 - 1 is not a float */
    double most = limit == INT16_MAX ? INT16_MAX : 2147483520;
    enum status status = matrix_create(probes->n_rows, probes->n_features, rounded, error);
    for (size_t row = 0; !status && row < probes->n_rows; row++)
        for (uint32_t f = 0; f < probes->n_features; f++)
            matrix_row(*rounded, row)[f] = round_probe(matrix_row(probes, row)[f], most);
    return status;
}

/* Probes have values between integers, which scorers of integers refuse. They are rounded, and
 * scored by the reference again. */
static enum status compare_probes(const struct verifier *verifier, const struct scorer *scorer,
                                  const struct check_state *state, size_t most,
                                  struct error *error) {
    struct matrix *rounded = NULL;
    struct expected_scores expected = {.probes = true};
    if (scorer->values == VALUES_FLOAT)
        return compare_rows(state, &verifier->edges, most, error);
    enum status status =
        round_probes(verifier->probes, integers_limit(scorer->values), &rounded, error);
    if (!status)
        status = score_by_reference(verifier->ensemble, rounded, &expected, NULL, NULL, error);
    if (!status)
        status = compare_rows(state, &expected, most, error);
    free(expected.scores);
    matrix_free(rounded);
    return status;
}

/* ---------------------------------------------------------------------------------------------- */

/* Returns true if adding the leaves of at most `float_trees` trees in float32 rounds nothing.
 * float32 adds integers exactly up to 2^24. */
static bool is_exact(const struct verifier *verifier, uint32_t float_trees) {
    double largest_sum = fmin(verifier->leaf_sum, float_trees * verifier->largest_leaf);
    return float_trees == 0 || (verifier->all_integers && largest_sum <= LARGEST_EXACT_FLOAT);
}

/* Bounds the rounding error of leaves in float32 and of float32 sums over at most `float_trees`
 * trees each. The bound is that of set_rounding with FLT_EPSILON, plus FLT_TRUE_MIN per tree for
 * underflow. */
static double float_rounding(const struct verifier *verifier, uint32_t float_trees) {
    double at_a_time = fmin(float_trees, verifier->ensemble->n_trees);
    double sums = at_a_time * verifier->leaf_sum * (double)FLT_EPSILON;
    return is_exact(verifier, float_trees)
               ? 0
               : sums + verifier->ensemble->n_trees * (double)FLT_TRUE_MIN;
}

/* Bounds the rounding error of compiled objects. Their sums include the base score, which is
 * subtracted afterwards. */
static double object_rounding(const struct verifier *verifier, bool float_sums) {
    double epsilon = float_sums ? (double)FLT_EPSILON : DBL_EPSILON;
    double tiny = float_sums ? (double)FLT_TRUE_MIN : 0;
    return (verifier->ensemble->n_trees + 2.0) * (verifier->based_sum * epsilon + tiny);
}

static double allowed(const struct verifier *verifier, const struct scorer *scorer,
                      const struct plan *plan) {
    bool in_order = scorer->impl->kind != IMPL_DEVICE &&
                    (plan->threads <= 1 || plan->parallel == PARALLEL_DOCUMENTS);
    if (scorer->impl->kind == IMPL_LIBRARY)
        return scorer->impl->double_sums ? verifier->rounding
                                         : float_rounding(verifier, UINT32_MAX);
    if (scorer->impl->kind == IMPL_OBJECT)
        return object_rounding(verifier, scorer->float_trees > 0);
    bool as_reference = in_order && is_exact(verifier, scorer->float_trees);
    return (as_reference ? 0 : verifier->rounding) + float_rounding(verifier, scorer->float_trees);
}

static enum status check(const struct verifier *verifier, const struct scorer *scorer,
                         const struct plan *plan, size_t most_probes,
                         struct verification *verification, struct error *error) {
    if (scorer->n_features > verifier->ensemble->n_features ||
        scorer->n_outputs != verifier->ensemble->n_outputs)
        return error_set(error, STATUS_INPUT, "%s was built from another model than the verifier",
                         scorer->impl->name);
    struct check_state state = {.scorer = scorer, .verification = verification};
    size_t rows = block_rows(scorer->n_outputs);
    enum status status = runner_create(scorer, plan, rows, &state.runner, error);
    if (status)
        return status;
    state.scores = memory_aligned_alloc(rows * scorer->n_outputs * sizeof *state.scores);
    if (state.scores) {
        *verification =
            (struct verification){.agrees = true, .rounding = allowed(verifier, scorer, plan)};
        status = compare_rows(&state, &verifier->documents, SIZE_MAX, error);
        if (!status)
            status = compare_probes(verifier, scorer, &state, most_probes, error);
    } else {
        status = error_memory(error, "scores to verify");
    }
    runner_destroy(state.runner);
    free(state.scores);
    return status;
}

enum status verifier_check(const struct verifier *verifier, const struct scorer *scorer,
                           const struct plan *plan, struct verification *verification,
                           struct error *error) {
    return check(verifier, scorer, plan ? plan : &ONE_THREAD, SIZE_MAX, verification, error);
}

enum status verifier_check_plan(const struct verifier *verifier, const struct scorer *scorer,
                                const struct plan *plan, struct verification *verification,
                                struct error *error) {
    return check(verifier, scorer, plan, BLOCK_ROWS, verification, error);
}

bool verifier_reply_agrees(const struct verifier *verifier, const struct scorer *scorer,
                           const float *document, const double *expected, const double *found) {
    if (memcmp(expected, found, verifier->ensemble->n_outputs * sizeof *found) == 0)
        return true;
    double rounding = allowed(verifier, scorer, &ONE_THREAD);
    if (rounding > 0) /* of sums that begin with the base score */
        rounding += object_rounding(verifier, false);
    bool agrees = true;
    for (uint32_t k = 0; k < verifier->ensemble->n_outputs; k++)
        agrees &= difference(expected[k], found[k]) <= rounding;
    return agrees || has_lost_values(scorer, document);
}

/* --- leaves ----------------------------------------------------------------------------------- */

bool verifier_needs_leaves(const struct scorer *scorer) {
    return scorer->impl->kind == IMPL_LIBRARY || scorer->impl->kind == IMPL_DEVICE ||
           (scorer->impl->kind == IMPL_TRAVERSAL && scorer->float_trees > 0);
}

static enum status make_exact(struct verifier *verifier, struct error *error) {
    enum status status = STATUS_OK;
    if (!verifier->exact_ensemble)
        status = ensemble_copy_with_exact_leaves(verifier->ensemble, LEAVES_SEED,
                                                 &verifier->exact_ensemble, error);
    if (!status && !verifier->exact)
        status = verifier_create(verifier->exact_ensemble, verifier->documents.rows,
                                 &verifier->exact, error);
    return status;
}

enum status verifier_check_leaves(struct verifier *verifier, const char *spec,
                                  struct verification *verification, struct error *error) {
    struct scorer *scorer;
    enum status status = make_exact(verifier, error);
    if (!status)
        status = scorer_build(spec, verifier->exact_ensemble, &scorer, error);
    if (status)
        return status;
    status = verifier_check(verifier->exact, scorer, NULL, verification, error);
    scorer_destroy(scorer);
    return status;
}
