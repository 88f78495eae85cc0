#include "impls/auto_cost.h"

#include <math.h>
#include <string.h>

static double formula(const struct auto_cost *cost, size_t n_docs) {
    size_t steps = (n_docs + cost->lanes - 1) / cost->lanes;
    return cost->call + (double)steps * cost->step + (double)n_docs * cost->document;
}

/* In proportion between two measured points; beyond the ends, that of the end. */
static double factor(const struct auto_cost *cost, size_t n_docs) {
    const struct auto_point *points = cost->points;
    unsigned next = 0;
    while (next < cost->n_points && points[next].docs < n_docs)
        next++;
    if (cost->n_points == 0)
        return 1;
    if (next == 0)
        return points[0].factor;
    if (next == cost->n_points)
        return points[next - 1].factor;
    double way = (double)(n_docs - points[next - 1].docs) /
                 (double)(points[next].docs - points[next - 1].docs);
    return points[next - 1].factor + way * (points[next].factor - points[next - 1].factor);
}

double auto_cost_of(const struct auto_cost *cost, size_t n_docs) {
    return formula(cost, n_docs) * factor(cost, n_docs);
}

bool auto_cost_add_point(struct auto_cost *cost, const struct auto_sample *sample) {
    double ns = formula(cost, sample->docs);
    unsigned n = cost->n_points;
    if (n == AUTO_POINTS_MAX || ns <= 0 || (n > 0 && cost->points[n - 1].docs >= sample->docs))
        return false;
    cost->points[cost->n_points++] =
        (struct auto_point){sample->docs, sample->ns / ns, sample->seconds};
    return true;
}

/* --- fitting ---------------------------------------------------------------------------------- */

enum { CALL = 1 << 0, STEP = 1 << 1, DOCUMENT = 1 << 2, TERMS = 3 };

static struct auto_cost from_terms(unsigned lanes, const double terms[static TERMS]) {
    return (struct auto_cost){
        .call = terms[0], .step = terms[1], .document = terms[2], .lanes = lanes};
}

/* What the sample has of each term, over its time: a sum of squares is then of relative errors. */
static void weigh(unsigned lanes, const struct auto_sample *sample, double x[static TERMS]) {
    x[0] = 1 / sample->ns;
    x[1] = (double)((sample->docs + lanes - 1) / lanes) / sample->ns;
    x[2] = (double)sample->docs / sample->ns;
}

static double error_of(const struct auto_cost *cost, const struct auto_sample *samples,
                       size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double error = auto_cost_of(cost, samples[i].docs) / samples[i].ns - 1;
        sum += error * error;
    }
    return sum;
}

/* Gauss and Jordan, in the terms of the mask; the matrix of normal equations needs no pivots. */
/* A pivot that cancelled to less of what it was is zero: the terms cannot be told apart. */
static const double least_pivot = 1e-9;

static bool solve(double matrix[TERMS][TERMS + 1], unsigned mask, double terms[static TERMS]) {
    const double diagonal[TERMS] = {matrix[0][0], matrix[1][1], matrix[2][2]};
    for (unsigned i = 0; i < TERMS; i++) {
        double pivot = matrix[i][i];
        if (!(mask >> i & 1))
            continue;
        if (pivot <= least_pivot * diagonal[i])
            return false;
        for (unsigned k = 0; k <= TERMS; k++)
            matrix[i][k] /= pivot;
        for (unsigned row = 0; row < TERMS; row++) {
            double factor = matrix[row][i];
            for (unsigned k = 0; k <= TERMS && row != i; k++)
                matrix[row][k] -= factor * matrix[i][k];
        }
    }
    for (unsigned i = 0; i < TERMS; i++) {
        terms[i] = mask >> i & 1 ? matrix[i][TERMS] : 0;
        if (!isfinite(terms[i]) || terms[i] < 0)
            return false;
    }
    return true;
}

static bool fit_terms(unsigned lanes, const struct auto_sample *samples, size_t count,
                      unsigned mask, double terms[static TERMS]) {
    double matrix[TERMS][TERMS + 1] = {{0}};
    for (size_t s = 0; s < count; s++) {
        double x[TERMS];
        weigh(lanes, &samples[s], x);
        for (unsigned i = 0; i < TERMS; i++) {
            for (unsigned k = 0; k < TERMS; k++)
                matrix[i][k] += x[i] * x[k];
            matrix[i][TERMS] += x[i];
        }
    }
    return solve(matrix, mask, terms);
}

struct auto_cost auto_cost_fit(unsigned lanes, const struct auto_sample *samples, size_t count) {
    static const unsigned masks[] = {STEP,
                                     DOCUMENT,
                                     CALL,
                                     CALL | STEP,
                                     CALL | DOCUMENT,
                                     STEP | DOCUMENT,
                                     CALL | STEP | DOCUMENT};
    /* Less of a gain is rounding's. */
    const double resolution = 1e-9;
    struct auto_cost best = {.lanes = lanes};
    double least = INFINITY;
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        double terms[TERMS];
        bool twice = lanes == 1 && (masks[i] & STEP); /* each document is a step */
        if (twice || !fit_terms(lanes, samples, count, masks[i], terms))
            continue;
        struct auto_cost cost = from_terms(lanes, terms);
        double error = error_of(&cost, samples, count);
        if (error < least - resolution) {
            least = error;
            best = cost;
        }
    }
    return best;
}

/* --- choosing --------------------------------------------------------------------------------- */

double auto_cost_of_split(const struct auto_cost *costs, const struct auto_split *split,
                          size_t n_docs) {
    double ns = auto_cost_of(&costs[split->head], split->head_docs);
    if (split->head_docs < n_docs)
        ns += auto_cost_of(&costs[split->tail], n_docs - split->head_docs);
    return ns;
}

static unsigned char cheapest(const struct auto_cost *costs, size_t count, size_t n_docs) {
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (auto_cost_of(&costs[i], n_docs) < auto_cost_of(&costs[best], n_docs))
            best = i;
    return (unsigned char)best;
}

struct auto_split auto_cost_split(const struct auto_cost *costs, size_t count, size_t n_docs) {
    unsigned char whole = cheapest(costs, count, n_docs);
    struct auto_split best = {n_docs, whole, whole};
    double least = auto_cost_of(&costs[whole], n_docs);
    for (size_t i = 0; i < count; i++) {
        size_t head_docs = n_docs / costs[i].lanes * costs[i].lanes;
        if (head_docs == 0 || head_docs == n_docs)
            continue;
        const struct auto_split split = {head_docs, (unsigned char)i,
                                         cheapest(costs, count, n_docs - head_docs)};
        double ns = auto_cost_of_split(costs, &split, n_docs);
        if (ns < least) {
            least = ns;
            best = split;
        }
    }
    return best;
}

/* --- reducing --------------------------------------------------------------------------------- */

/* Every number of documents while each counts, later each sixteenth. */
enum { SINGLE_DOCS = 64, JUDGED_STEP = 16 };
enum { JUDGED = SINGLE_DOCS + (AUTO_TABLE_DOCS - SINGLE_DOCS) / JUDGED_STEP };

static size_t judged_docs(size_t i) {
    return i < SINGLE_DOCS ? i + 1 : SINGLE_DOCS + (i + 1 - SINGLE_DOCS) * JUDGED_STEP;
}

static double least_cost(const struct auto_cost *costs, size_t count, size_t n_docs) {
    struct auto_split split = auto_cost_split(costs, count, n_docs);
    return auto_cost_of_split(costs, &split, n_docs);
}

/* How many times dearer the dearest call has become. */
static double worst_ratio(const struct auto_cost *costs, size_t count,
                          const double before[static JUDGED]) {
    double worst = 1;
    for (size_t i = 0; i < JUDGED; i++)
        worst = fmax(worst, least_cost(costs, count, judged_docs(i)) / before[i]);
    return worst;
}

static void remove_cost(struct auto_cost *costs, size_t *kept, size_t *count, size_t at) {
    *count -= 1;
    memmove(costs + at, costs + at + 1, (*count - at) * sizeof *costs);
    memmove(kept + at, kept + at + 1, (*count - at) * sizeof *kept);
}

/* Most are nobody's choice at any size: that is found out much faster. */
static void remove_unused(struct auto_cost *costs, size_t *kept, size_t *count) {
    bool used[AUTO_COSTS_MAX] = {false};
    for (size_t i = 0; i < JUDGED; i++) {
        struct auto_split split = auto_cost_split(costs, *count, judged_docs(i));
        used[split.head] = used[split.tail] = true;
    }
    for (size_t i = *count; i-- > 0;)
        if (!used[i])
            remove_cost(costs, kept, count, i);
}

size_t auto_cost_reduce(struct auto_cost *costs, size_t count, double tolerance, size_t *kept) {
    double before[JUDGED];
    for (size_t i = 0; i < JUDGED; i++)
        before[i] = least_cost(costs, count, judged_docs(i));
    for (size_t i = 0; i < count; i++)
        kept[i] = i;
    remove_unused(costs, kept, &count);
    while (count > 1) {
        size_t least_missed = 0;
        double least = INFINITY;
        for (size_t i = 0; i < count; i++) {
            struct auto_cost rest[AUTO_COSTS_MAX];
            memcpy(rest, costs, i * sizeof *rest);
            memcpy(rest + i, costs + i + 1, (count - i - 1) * sizeof *rest);
            double ratio = worst_ratio(rest, count - 1, before);
            if (ratio < least) {
                least = ratio;
                least_missed = i;
            }
        }
        if (least > 1 + tolerance)
            break;
        remove_cost(costs, kept, &count, least_missed);
    }
    return count;
}
