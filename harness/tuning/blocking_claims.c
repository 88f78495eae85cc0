#include "harness/tuning/blocking_claims.h"

#include "harness/blocking/proposition.h"

#include <math.h>

static enum verdict at_most(struct interval interval, double most) {
    return interval.high <= most ? VERDICT_HELD
           : interval.low > most ? VERDICT_NOT_HELD
                                 : VERDICT_UNRESOLVED;
}

enum verdict blocking_judge_close(const struct ratio *error) {
    return at_most(error->interval, GUIDED_MOST);
}

static bool is_proposed(const struct blocking_problem *problem, const struct range_case *best) {
    struct range_case cases[PROPOSITION_CASES];
    size_t n = proposition_cases(
        &problem->model, (double)block_docs(&problem->machine, &problem->workload, 2, 0.5),
        (double)block_units(&problem->machine, &problem->workload, 2, 0.5), cases);
    for (size_t i = 0; i < n; i++)
        if (cases[i].order == best->order && cases[i].doc_level == best->doc_level &&
            cases[i].unit_level == best->unit_level)
            return true;
    return false;
}

enum verdict blocking_judge_proposition(const struct blocking_problem *problem, bool by_proposition,
                                        const struct range_case *best, const struct ratio *error) {
    if (!by_proposition)
        return VERDICT_UNRESOLVED;
    if (is_proposed(problem, best) || !(error->interval.low > 0))
        return VERDICT_HELD;
    return VERDICT_NOT_HELD;
}

enum verdict blocking_judge_pays(const struct ratio *ds_to_choice) {
    return ds_to_choice->interval.low > 1     ? VERDICT_HELD
           : ds_to_choice->interval.high <= 1 ? VERDICT_NOT_HELD
                                              : VERDICT_UNRESOLVED;
}
