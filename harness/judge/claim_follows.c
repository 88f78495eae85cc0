/* "follows": over the variants, which differ in the size of a block for example, the time and a
 * simulated counter rise together. The value at a point is Spearman's rank correlation. */
#include "harness/judge/claim.h"

#include "base/random.h"
#include "harness/instruments/rank_tests.h"

#include <math.h>
#include <stdio.h>

/* Fewer ranks say little: of three, any order has a correlation of 0.5 or more in half of the
 * cases. */
enum { VARIANTS_LEAST = 4, TRIALS_MOST = 16, ROUNDS_MOST = 64, DRAWS = 999 };

/* One variant's samples and count at a point. */
struct series {
    const struct row *rows[TRIALS_MOST];
    size_t n_rows;
    double count;
};

/* The different variants at a point. All have the same trials and rounds. */
struct contest {
    struct series list[CLAIM_OPERANDS_MAX];
    size_t n, n_rounds;
};

static bool is_listed(const struct claim *claim, const struct place *at, size_t variant) {
    for (size_t i = 0; i < variant; i++)
        if (compare_operands_are_one(at, claim->variants.list[i], claim->variants.list[variant]))
            return true;
    return false;
}

/* Returns false if the variant has no times or no counts at the point. */
static bool series_read(const struct claim *claim, const struct place *at, const char *operand,
                        struct series *series) {
    char variant[ROW_NAME_SIZE];
    *series = (struct series){.n_rows = 0};
    if (!compare_operand_variant(at, operand, variant, sizeof variant))
        return false;
    struct row_span span = row_index_find(at->index, at->point, variant);
    for (size_t i = 0; i < span.count && series->n_rows < TRIALS_MOST; i++)
        if (span.entries[i].row->status == ROW_OK)
            series->rows[series->n_rows++] = span.entries[i].row;
    series->count = compare_operand_count(at, operand, claim->counter).mean;
    return series->n_rows > 0 && !isnan(series->count);
}

static size_t rounds_of(const struct series *series) {
    size_t least = ROUNDS_MOST;
    for (size_t i = 0; i < series->n_rows; i++) {
        size_t count = row_placed_samples(series->rows[i]).count;
        least = count < least ? count : least;
    }
    return least;
}

static void contest_read(const struct claim *claim, const struct place *at,
                         struct contest *contest) {
    *contest = (struct contest){.n_rounds = ROUNDS_MOST};
    for (size_t v = 0; v < claim->variants.count; v++) {
        struct series *series = &contest->list[contest->n];
        if (is_listed(claim, at, v) || !series_read(claim, at, claim->variants.list[v], series))
            continue;
        size_t rounds = rounds_of(series);
        contest->n_rounds = rounds < contest->n_rounds ? rounds : contest->n_rounds;
        contest->n++;
    }
}

/* Returns the geometric mean over trials of the medians of the drawn rounds. */
static double time_of(const struct series *series, const size_t *rounds, size_t n_rounds) {
    double drawn[ROUNDS_MOST], logs = 0;
    for (size_t t = 0; t < series->n_rows; t++) {
        const double *samples = row_reported_samples(series->rows[t]);
        for (size_t i = 0; i < n_rounds; i++)
            drawn[i] = samples[rounds[i]];
        logs += log(stats_median(drawn, n_rounds));
    }
    return logs / (double)series->n_rows;
}

static double correlation_of(const struct contest *contest, const size_t *rounds) {
    double times[CLAIM_OPERANDS_MAX], counts[CLAIM_OPERANDS_MAX];
    for (size_t v = 0; v < contest->n; v++) {
        times[v] = time_of(&contest->list[v], rounds, contest->n_rounds);
        counts[v] = contest->list[v].count;
    }
    return spearman(times, counts, contest->n);
}

/* The interval is that of a bootstrap, which draws the same rounds for all variants. */
static struct ratio correlate(const struct contest *contest) {
    size_t rounds[ROUNDS_MOST];
    double drawn[DRAWS];
    struct random random;
    if (contest->n < VARIANTS_LEAST || contest->n_rounds < 2)
        return (struct ratio){NAN, {NAN, NAN}};
    for (size_t i = 0; i < contest->n_rounds; i++)
        rounds[i] = i;
    struct ratio ratio = {.value = correlation_of(contest, rounds)};
    random_seed(&random, contest->list[0].rows[0]->workload.seed);
    for (size_t k = 0; k < DRAWS; k++) {
        for (size_t i = 0; i < contest->n_rounds; i++)
            rounds[i] = random_below(&random, contest->n_rounds);
        drawn[k] = correlation_of(contest, rounds);
    }
    ratio.interval =
        (struct interval){stats_quantile(drawn, DRAWS, 0.025), stats_quantile(drawn, DRAWS, 0.975)};
    return ratio;
}

static void tally_point(const struct claim *claim, const struct place *at,
                        struct claim_tally *tally) {
    struct contest contest;
    contest_read(claim, at, &contest);
    struct claim_finding finding = {
        .point = at->point, .is_empty = contest.n < VARIANTS_LEAST, .rounds = contest.n_rounds};
    snprintf(finding.slow, sizeof finding.slow, "rank correlation of %zu block sizes", contest.n);
    finding = claim_weigh(claim, finding, correlate(&contest), NULL);
    struct claim_pairs pairs = {.all = 0};
    claim_pairs_add(&pairs, &finding);
    claim_tally_extremes(tally, &finding);
    claim_tally_point(tally, at->point, &pairs);
}

static const char *const follows_keys[] = {"variants", "counter", "low", "points", NULL};

const struct claim_kind claim_follows = {.name = "follows",
                                         .keys = follows_keys,
                                         .tally = tally_point,
                                         .none = "fewer than 4 block sizes with times and counts",
                                         .value = "the rank correlation of times and counts",
                                         .high = INFINITY};
