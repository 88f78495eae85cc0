#include "harness/caches/predict.h"

#include "harness/instruments/rank_tests.h"
#include "harness/instruments/stats.h"

#include <math.h>
#include <stdlib.h>

enum { FIT_LEAST = 3, UNKNOWN_DOCUMENTS = 1000 };

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

/* Blocks of this case, except those that were given. If it has no level of a block, the block of
 * documents fits L2, and that of units L1. */
static struct blocking fill(const struct blocking_problem *problem, const struct range_case *c,
                            const struct order_choice *given) {
    const struct range_case full = {c->order, c->doc_level ? c->doc_level : 2,
                                    c->unit_level ? c->unit_level : 1};
    struct blocking b = blocking_of_case(problem, &full, MU_STANDARD);
    b.docs = given->d ? given->d : b.docs;
    b.units = given->s ? given->s : b.units;
    return b;
}

/* T of blocks of which some were given: NaN unless the given ones fit the levels of the case. */
static double filled_cost(const struct blocking_problem *problem, const struct range_case *c,
                          const struct order_choice *given, struct blocking b) {
    struct range_case its = blocking_case(problem, b);
    if ((given->d && c->doc_level && its.doc_level != c->doc_level) ||
        (given->s && c->unit_level && its.unit_level != c->unit_level))
        return NAN;
    return range_case_cost(c, &problem->model, (double)b.docs, (double)b.units);
}

void predict_blocks(const struct blocking_problem *problem, struct order_choice *choice) {
    enum order order = formula_order(choice->order);
    /* if no case has a level of a given block, the other block fits L1 */
    const struct range_case least = {order, 1, 1};
    struct blocking best = fill(problem, &least, choice);
    double least_cost = INFINITY;
    for (size_t i = 0; i < RANGE_CASES; i++) {
        const struct range_case *c = &range_cases[i];
        if (c->order != order || !range_case_exists(c, &problem->model))
            continue;
        struct blocking b = fill(problem, c, choice);
        double cost = filled_cost(problem, c, choice, b);
        if (cost < least_cost) {
            least_cost = cost;
            best = b;
        }
    }
    if (order_has_d(choice->order))
        choice->d = best.docs;
    if (order_has_s(choice->order))
        choice->s = best.units;
}

static bool lacks_sizes(const struct order_choice *choice) {
    return (order_has_d(choice->order) && !choice->d) || (order_has_s(choice->order) && !choice->s);
}

static void fit_case(const struct blocking_problem *problem, struct order_choice *choice) {
    const struct range_case levels = {choice->order, choice->doc_level, choice->unit_level};
    struct blocking b = blocking_of_case(problem, &levels, MU_STANDARD);
    choice->d = b.docs ? b.docs : choice->d;
    choice->s = b.units ? b.units : choice->s;
}

static void describe(const struct scorer *scorer, const struct matrix *documents,
                     const struct plan *plan, struct blocking_problem *problem) {
    struct blocking_machine machine;
    size_t rows = documents ? documents->n_rows : UNKNOWN_DOCUMENTS;
    size_t stride = documents ? documents->stride : scorer->n_features;
    blocking_machine_read(plan->threads, &machine);
    blocking_problem_of_scorer(scorer, plan->call && plan->call < rows ? plan->call : rows,
                               stride * sizeof(float), &machine, problem);
}

enum status order_choice_plan(const struct order_choice *choice, const struct scorer *scorer,
                              const struct matrix *documents, struct plan *plan,
                              struct error *error) {
    struct order_choice complete = *choice;
    if (lacks_sizes(choice)) {
        struct blocking_problem problem;
        describe(scorer, documents, plan, &problem);
        if (choice->doc_level || choice->unit_level)
            fit_case(&problem, &complete);
        else
            predict_blocks(&problem, &complete);
    }
    return order_plan(&complete, scorer, plan, error);
}
