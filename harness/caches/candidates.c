#include "harness/caches/candidates.h"

#include <math.h>
#include <stdio.h>

/* Proposition 1 requires c4/d2 << 1 and c4/s2 << 1. The paper applies it up to 0.25 (50 leaves). It
 * adds two cases at 0.74 (150 leaves), where c4/s2 "is getting close to 1". */
#define PROPOSITION_MOST 0.5
#define PROPOSITION_VARIATION_MOST 1.0
/* Cases of at most this cost stay, divided by the least. The paper does not prune so: ours. */
#define KEEP 2.0
/* The steps of each miss rate from 0 to 1, when cases are dropped. */
enum { RATE_STEPS = 10 };

/* --- the problem ------------------------------------------------------------------------------ */

void blocking_problem_of_scorer(const struct scorer *scorer, size_t n_docs, size_t doc_bytes,
                                const struct blocking_machine *machine,
                                struct blocking_problem *problem) {
    size_t n_units = scorer->n_units ? scorer->n_units : 1;
    *problem = (struct blocking_problem){
        .machine = *machine,
        .workload = {.n_docs = n_docs,
                     .n_units = n_units,
                     .doc_bytes = (double)doc_bytes,
                     .unit_bytes = (double)scorer->bytes / (double)n_units,
                     .lambda = scorer->impl->lambda > 0 ? scorer->impl->lambda : LAMBDA_TREE},
        .rates = miss_rates_standard,
        .lanes = scorer->lanes ? scorer->lanes : 1};
    blocking_problem_init(problem);
}

/* --- one blocking ----------------------------------------------------------------------------- */

static struct blocking simplify_once(const struct blocking_problem *problem, struct blocking b) {
    const struct blocking_workload *w = &problem->workload;
    bool one_doc = b.docs <= problem->lanes, all_docs = b.docs >= w->n_docs;
    bool one_unit = b.units <= 1, all_units = b.units >= w->n_units;
    switch (b.order) {
    case ORDER_DSD:
        return all_docs  ? (struct blocking){ORDER_SD, 0, 0}
               : one_doc ? (struct blocking){ORDER_DS, 0, 0}
                         : b;
    case ORDER_SDS:
        return all_units  ? (struct blocking){ORDER_DS, 0, 0}
               : one_unit ? (struct blocking){ORDER_SD, 0, 0}
                          : b;
    case ORDER_DSDS:
        return all_units || one_doc ? (struct blocking){ORDER_DS, 0, 0}
               : one_unit           ? (struct blocking){ORDER_DSD, b.docs, 0}
               : all_docs           ? (struct blocking){ORDER_SDS, 0, b.units}
                                    : b;
    case ORDER_SDSD:
        return all_docs || one_unit ? (struct blocking){ORDER_SD, 0, 0}
               : one_doc            ? (struct blocking){ORDER_SDS, 0, b.units}
               : all_units          ? (struct blocking){ORDER_DSD, b.docs, 0}
                                    : b;
    default:
        return b;
    }
}

struct blocking blocking_simplify(const struct blocking_problem *problem, struct blocking b) {
    return simplify_once(problem, simplify_once(problem, b));
}

static unsigned doc_level(const struct blocking_problem *problem, size_t docs) {
    unsigned level = 1;
    while (level < LEVEL_MEMORY && docs > block_docs(problem, level, MU_STANDARD))
        level++;
    return level;
}

static unsigned unit_level(const struct blocking_problem *problem, size_t units) {
    unsigned level = 1;
    while (level < LEVEL_MEMORY && units > block_units(problem, level, MU_STANDARD))
        level++;
    return level;
}

struct range_case blocking_case(const struct blocking_problem *problem, struct blocking b) {
    const struct blocking_workload *w = &problem->workload;
    switch (b.order) {
    case ORDER_DS:
        return (struct range_case){ORDER_SDS, 0, unit_level(problem, w->n_units)};
    case ORDER_SD:
        return (struct range_case){ORDER_DSD, doc_level(problem, w->n_docs), 0};
    case ORDER_DSD:
    case ORDER_DSSD:
        return (struct range_case){ORDER_DSD, doc_level(problem, b.docs), 0};
    case ORDER_SDS:
    case ORDER_SDDS:
        return (struct range_case){ORDER_SDS, 0, unit_level(problem, b.units)};
    default:
        return (struct range_case){b.order, doc_level(problem, b.docs),
                                   unit_level(problem, b.units)};
    }
}

struct blocking blocking_of_case(const struct blocking_problem *problem, const struct range_case *c,
                                 double mu) {
    struct blocking b = {.order = c->order};
    if (c->doc_level)
        b.docs = block_round_up(block_docs(problem, c->doc_level, mu), problem->lanes,
                                problem->workload.n_docs);
    if (c->unit_level)
        b.units = block_units(problem, c->unit_level, mu);
    return b;
}

bool candidate_case_name(const struct blocking_candidate *candidate,
                         char name[static RANGE_CASE_NAME]) {
    range_case_name(&candidate->range_case, name);
    bool is_printed = candidate->blocking.order != ORDER_DS && range_case_find(name);
    if (!is_printed)
        snprintf(name, RANGE_CASE_NAME, "-");
    return is_printed;
}

static double cost_of(const struct blocking_problem *problem, const struct range_case *c,
                      struct blocking b) {
    const struct blocking_workload *w = &problem->workload;
    double docs = b.docs ? (double)b.docs : (double)w->n_docs;
    double units = b.units ? (double)b.units : (double)w->n_units;
    return range_case_cost(c, &problem->model, docs, units);
}

double candidate_cost(const struct blocking_problem *problem,
                      const struct blocking_candidate *candidate) {
    char name[RANGE_CASE_NAME];
    if (candidate->blocking.order == ORDER_DS)
        return range_case_cost_ds(&problem->model);
    if (!candidate_case_name(candidate, name))
        return NAN;
    return cost_of(problem, &candidate->range_case, candidate->blocking);
}

void blocking_text(struct blocking b, char text[static BLOCKING_TEXT]) {
    const char *name = order_name(b.order);
    if (b.docs && b.units && b.order == ORDER_SDSD)
        snprintf(text, BLOCKING_TEXT, "%s s = %zu, d = %zu", name, b.units, b.docs);
    else if (b.docs && b.units)
        snprintf(text, BLOCKING_TEXT, "%s d = %zu, s = %zu", name, b.docs, b.units);
    else if (b.docs || b.units)
        snprintf(text, BLOCKING_TEXT, "%s %s = %zu", name, b.docs ? "d" : "s",
                 b.docs ? b.docs : b.units);
    else
        snprintf(text, BLOCKING_TEXT, "%s", name);
}

/* --- Proposition 1 ---------------------------------------------------------------------------- */

static unsigned smaller(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* Returns what the first load of a block costs per use. */
static double load_share(const struct cost_model *model, unsigned home, size_t block) {
    bool is_loaded = home == 3 || home == LEVEL_MEMORY;
    return is_loaded ? model->extra[home] / (double)block : 0;
}

size_t proposition_cases(const struct blocking_problem *problem,
                         struct range_case cases[static PROPOSITION_CASES]) {
    static const struct range_case all[PROPOSITION_CASES] = {
        {ORDER_DSD, 2, 0},  {ORDER_DSDS, 2, 1}, {ORDER_SDSD, 1, 2},
        {ORDER_SDSD, 2, 2}, {ORDER_SDSD, 1, 3}, {ORDER_SDSD, 2, 3}};
    const struct cost_model *model = &problem->model;
    size_t docs_2 = block_docs(problem, 2, MU_STANDARD);
    size_t units_2 = block_units(problem, 2, MU_STANDARD);
    double of_units = load_share(model, model->docs_home, units_2);
    if (model->doc_fits > 1 || model->unit_fits > 1 ||
        load_share(model, model->units_home, docs_2) > PROPOSITION_MOST ||
        of_units > PROPOSITION_VARIATION_MOST)
        return 0;
    size_t n = of_units > PROPOSITION_MOST ? PROPOSITION_CASES : PROPOSITION_CASES - 2;
    for (size_t i = 0; i < n; i++) {
        cases[i] = all[i];
        cases[i].doc_level = smaller(cases[i].doc_level, model->docs_home);
        cases[i].unit_level = smaller(cases[i].unit_level, model->units_home);
    }
    return n;
}

/* --- lists ------------------------------------------------------------------------------------ */

bool blocking_is_same(struct blocking a, struct blocking b) {
    return a.order == b.order && a.docs == b.docs && a.units == b.units;
}

static void add(const struct blocking_candidate *candidate, struct blocking_candidate *list,
                size_t *n) {
    for (size_t i = 0; i < *n; i++)
        if (blocking_is_same(list[i].blocking, candidate->blocking))
            return;
    list[(*n)++] = *candidate;
}

void candidates_add(const struct blocking_problem *problem, struct blocking b,
                    struct blocking_candidate *list, size_t *n) {
    b = blocking_simplify(problem, b);
    struct blocking_candidate candidate = {.blocking = b, .range_case = blocking_case(problem, b)};
    candidate.cost = candidate_cost(problem, &candidate);
    add(&candidate, list, n);
}

static void add_case(const struct blocking_problem *problem, const struct range_case *c, double mu,
                     struct blocking_candidate *list, size_t *n) {
    struct blocking b = blocking_of_case(problem, c, mu);
    struct blocking simple = blocking_simplify(problem, b);
    if (!blocking_is_same(b, simple)) {
        candidates_add(problem, simple, list, n);
        return;
    }
    const struct blocking_candidate candidate = {.blocking = b,
                                                 .range_case = *c,
                                                 .docs_mu = c->doc_level ? mu : 0,
                                                 .units_mu = c->unit_level ? mu : 0,
                                                 .cost = cost_of(problem, c, b)};
    add(&candidate, list, n);
}

static void add_all_mus(const struct blocking_problem *problem, const struct range_case *c,
                        const struct candidate_request *request, struct blocking_candidate *list,
                        size_t *n) {
    for (size_t i = 0; i < MUS; i++)
        if (!request->standard_mu || block_mus[i] == MU_STANDARD)
            add_case(problem, c, block_mus[i], list, n);
}

static size_t all_cases(const struct cost_model *model, struct range_case *cases) {
    size_t n = 0;
    for (size_t i = 0; i < RANGE_CASES; i++)
        if (range_case_exists(&range_cases[i], model))
            cases[n++] = range_cases[i];
    return n;
}

/* Marks the cases that cost at most KEEP times the cheapest for these miss rates. */
static void mark_cheap(struct blocking_problem *problem, const struct range_case *cases, size_t n,
                       bool *is_kept) {
    double costs[RANGE_CASES], least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        costs[i] = cost_of(problem, &cases[i], blocking_of_case(problem, &cases[i], MU_STANDARD));
        least = fmin(least, costs[i]);
    }
    for (size_t i = 0; i < n; i++)
        is_kept[i] |= costs[i] <= KEEP * least;
}

static size_t cheap_cases(const struct blocking_problem *problem, struct range_case *cases) {
    struct blocking_problem varied = *problem;
    bool is_kept[RANGE_CASES] = {false};
    size_t n = all_cases(&problem->model, cases), kept = 0;
    for (int l1 = 0; l1 <= RATE_STEPS; l1++)
        for (int l2 = 0; l2 <= RATE_STEPS; l2++) {
            varied.model.rates =
                (struct miss_rates){(double)l1 / RATE_STEPS, (double)l2 / RATE_STEPS};
            mark_cheap(&varied, cases, n, is_kept);
        }
    for (size_t i = 0; i < n; i++)
        if (is_kept[i])
            cases[kept++] = cases[i];
    return kept;
}

static size_t choose_cases(const struct blocking_problem *problem,
                           const struct candidate_request *request, struct range_case *cases,
                           bool *by_proposition) {
    *by_proposition = false;
    if (request->cases == CASES_ALL)
        return all_cases(&problem->model, cases);
    size_t n = proposition_cases(problem, cases);
    *by_proposition = n > 0;
    return n ? n : cheap_cases(problem, cases);
}

size_t candidates_list(const struct blocking_problem *problem,
                       const struct candidate_request *request,
                       struct blocking_candidate list[static CANDIDATES_MOST],
                       bool *by_proposition) {
    struct range_case cases[RANGE_CASES];
    size_t n = 0, n_cases = choose_cases(problem, request, cases, by_proposition);
    candidates_add(problem, (struct blocking){ORDER_DS, 0, 0}, list, &n);
    for (size_t i = 0; i < n_cases; i++)
        add_all_mus(problem, &cases[i], request, list, &n);
    candidates_add(problem, request->also, list, &n);
    return n;
}
