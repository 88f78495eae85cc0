#include "harness/caches/predict.h"

#include "harness/instruments/rank_tests.h"
#include "harness/instruments/stats.h"

#include <math.h>
#include <stdlib.h>

enum { FIT_LEAST = 3 };

/* The miss rates that a fit tries. */
static const double tried_rates[] = {0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1};
enum { TRIED_RATES = sizeof tried_rates / sizeof *tried_rates };

/* --- fitting ---------------------------------------------------------------------------------- */

/* Sums of 1, x and x^2, each divided by the square of the time, and of 1 and x divided by it. */
struct sums {
    double one, x, xx, t, xt;
};

static struct sums add_up(const double *x, const double *ns, size_t n) {
    struct sums sums = {0};
    for (size_t i = 0; i < n; i++) {
        double w = 1 / (ns[i] * ns[i]);
        sums.one += w;
        sums.x += w * x[i];
        sums.xx += w * x[i] * x[i];
        sums.t += w * ns[i];
        sums.xt += w * x[i] * ns[i];
    }
    return sums;
}

/* Least squares with t0, t1 >= 0: the best line, or else the better of its two edges. */
static void solve(const struct sums *s, double *t0, double *t1) {
    double determinant = s->one * s->xx - s->x * s->x;
    if (determinant > 1e-12 * s->one * s->xx) {
        *t1 = (s->one * s->xt - s->x * s->t) / determinant;
        *t0 = (s->t - *t1 * s->x) / s->one;
        if (*t0 >= 0 && *t1 >= 0)
            return;
    }
    bool is_flat = s->xt * s->xt / s->xx < s->t * s->t / s->one;
    *t0 = is_flat ? s->t / s->one : 0;
    *t1 = is_flat ? 0 : s->xt / s->xx;
}

static double relative_error(const double *x, const double *ns, size_t n, double t0, double t1) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double off = (t0 + t1 * x[i]) / ns[i] - 1;
        sum += off * off;
    }
    return sqrt(sum / (double)n);
}

/* Copies the costs and times that are known. */
static size_t take_known(const struct blocking_problem *problem,
                         const struct blocking_candidate *candidates, const double *ns, size_t n,
                         double *x, double *t) {
    size_t known = 0;
    for (size_t i = 0; i < n; i++) {
        double cost = candidate_cost(problem, &candidates[i]);
        if (isfinite(cost) && isfinite(ns[i]) && ns[i] > 0) {
            x[known] = cost;
            t[known++] = ns[i];
        }
    }
    return known;
}

bool cost_fit_times(const struct blocking_problem *problem,
                    const struct blocking_candidate *candidates, const double *ns, size_t n,
                    struct cost_fit *fit) {
    double *x = stats_allocate(2 * n, sizeof *x);
    if (!x)
        return false;
    double *t = x + n;
    size_t known = take_known(problem, candidates, ns, n, x, t);
    struct sums sums = add_up(x, t, known);
    if (known >= FIT_LEAST) {
        fit->rates = problem->model.rates;
        solve(&sums, &fit->t0, &fit->t1);
        fit->error = relative_error(x, t, known, fit->t0, fit->t1);
        fit->correlation = spearman(x, t, known);
    }
    free(x);
    return known >= FIT_LEAST;
}

bool cost_fit(const struct blocking_problem *problem, const struct blocking_candidate *candidates,
              const double *ns, size_t n, struct cost_fit *fit) {
    struct blocking_problem varied = *problem;
    struct cost_fit tried;
    *fit = (struct cost_fit){.error = INFINITY};
    for (size_t l1 = 0; l1 < TRIED_RATES; l1++)
        for (size_t l2 = 0; l2 < TRIED_RATES; l2++) {
            varied.model.rates = (struct miss_rates){tried_rates[l1], tried_rates[l2]};
            if (!cost_fit_times(&varied, candidates, ns, n, &tried))
                return false;
            if (tried.error < fit->error)
                *fit = tried;
        }
    return true;
}

/* --- choosing without measuring --------------------------------------------------------------- */

/* The order of the formula: that of DSSD is the same sequence as DSD, and so on. */
static enum order formula_order(enum order order) {
    return order == ORDER_DSSD ? ORDER_DSD : order == ORDER_SDDS ? ORDER_SDS : order;
}

/* Blocks of this case, except those that the plan has. mu = 0.5, as in the paper's tables. */
static struct blocking fill(const struct blocking_problem *problem, const struct range_case *c,
                            const struct plan *plan) {
    const struct blocking_workload *w = &problem->workload;
    struct blocking b = {c->order, plan->doc_block, plan->unit_block};
    unsigned docs = c->doc_level ? c->doc_level : 2, units = c->unit_level ? c->unit_level : 1;
    if (!b.docs)
        b.docs =
            block_round_up(block_docs(&problem->machine, w, docs, 0.5), problem->lanes, w->n_docs);
    if (!b.units)
        b.units = block_units(&problem->machine, w, units, 0.5);
    return b;
}

/* T of blocks of which some were given: NaN unless the given ones fit the levels of the case. */
static double filled_cost(const struct blocking_problem *problem, const struct range_case *c,
                          const struct plan *plan, struct blocking b) {
    struct range_case its = blocking_case(problem, b);
    if ((plan->doc_block && c->doc_level && its.doc_level != c->doc_level) ||
        (plan->unit_block && c->unit_level && its.unit_level != c->unit_level))
        return NAN;
    return range_case_cost(c, &problem->model, (double)b.docs, (double)b.units);
}

void predict_blocks(const struct blocking_problem *problem, struct plan *plan) {
    enum order order = formula_order(plan->order);
    /* if no case has a level of a given block, the other block fits L1 */
    const struct range_case least = {order, 1, 1};
    struct blocking best = fill(problem, &least, plan);
    double least_cost = INFINITY;
    for (size_t i = 0; i < RANGE_CASES; i++) {
        const struct range_case *c = &range_cases[i];
        if (c->order != order || !range_case_exists(c, &problem->model))
            continue;
        struct blocking b = fill(problem, c, plan);
        double cost = filled_cost(problem, c, plan, b);
        if (cost < least_cost) {
            least_cost = cost;
            best = b;
        }
    }
    if (order_has_d(plan->order))
        plan->doc_block = best.docs;
    if (order_has_s(plan->order))
        plan->unit_block = best.units;
}
