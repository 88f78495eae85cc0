#include "harness/judge/claim_rule.h"

#include <math.h>
#include <stdio.h>

enum { BOUNDS_TEXT_SIZE = 64 };

/* Writes for example "above 1.5" or "between 20 % and 50 %". */
static void describe_bounds(const struct claim *claim, char *text, size_t size) {
    double unit = claim->kind->is_share ? 100 : 1;
    const char *suffix = claim->kind->is_share ? " %" : "";
    if (isinf(claim->high))
        snprintf(text, size, "above %g%s", unit * claim->low, suffix);
    else if (isinf(claim->low))
        snprintf(text, size, "below %g%s", unit * claim->high, suffix);
    else
        snprintf(text, size, "between %g%s and %g%s", unit * claim->low, suffix, unit * claim->high,
                 suffix);
}

void claim_state_rule(const struct claim *claim, struct claim_result *result) {
    char bounds[BOUNDS_TEXT_SIZE];
    if (claim->kind->rule) {
        snprintf(result->rule, sizeof result->rule, "%s", claim->kind->rule);
        return;
    }
    describe_bounds(claim, bounds, sizeof bounds);
    snprintf(result->rule, sizeof result->rule,
             "Held if the 95 %% interval of %s%s lies %s at %s; not held if it lies outside at %s.",
             claim->kind->value, claim->per ? ", divided by how much x or the threads grow," : "",
             bounds, claim->most ? "more than half of the points" : "every point",
             claim->most ? "half of them or more" : "one point");
}
