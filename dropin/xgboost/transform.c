#include "dropin/xgboost/transform.h"

#include <math.h>
#include <string.h>

static void to_probability(float *margins, size_t n_outputs) {
    const float largest = 88.7F, never_zero = 1e-16F; /* XGBoost's */
    for (size_t k = 0; k < n_outputs; k++) {
        float x = -margins[k] > largest ? largest : -margins[k];
        margins[k] = 1.0F / (expf(x) + 1.0F + never_zero);
    }
}

static void to_exponential(float *margins, size_t n_outputs) {
    for (size_t k = 0; k < n_outputs; k++)
        margins[k] = expf(margins[k]);
}

/* For this objective, XGBoost calls the exp of doubles. */
static void to_time(float *margins, size_t n_outputs) {
    for (size_t k = 0; k < n_outputs; k++)
        margins[k] = (float)exp((double)margins[k]);
}

static void to_side(float *margins, size_t n_outputs) {
    for (size_t k = 0; k < n_outputs; k++)
        margins[k] = margins[k] > 0 ? 1.0F : 0.0F;
}

static void to_probabilities(float *margins, size_t n_outputs) {
    float most = margins[0];
    for (size_t k = 1; k < n_outputs; k++)
        most = fmaxf(margins[k], most);
    double sum = 0;
    for (size_t k = 0; k < n_outputs; k++) {
        margins[k] = expf(margins[k] - most);
        sum += (double)margins[k];
    }
    for (size_t k = 0; k < n_outputs; k++)
        margins[k] /= (float)sum;
}

static void to_class(float *margins, size_t n_outputs) {
    size_t most = 0;
    for (size_t k = 1; k < n_outputs; k++)
        if (margins[k] > margins[most])
            most = k;
    margins[0] = (float)most;
}

static const struct objective objectives[] = {
    {"reg:squarederror", NULL, 0},
    {"reg:linear", NULL, 0},
    {"reg:squaredlogerror", NULL, 0},
    {"reg:pseudohubererror", NULL, 0},
    {"reg:absoluteerror", NULL, 0},
    {"binary:logitraw", NULL, 0},
    {"rank:pairwise", NULL, 0},
    {"rank:ndcg", NULL, 0},
    {"rank:map", NULL, 0},
    {"reg:logistic", to_probability, 0},
    {"binary:logistic", to_probability, 0},
    {"binary:hinge", to_side, 0},
    {"count:poisson", to_exponential, 0},
    {"reg:gamma", to_exponential, 0},
    {"reg:tweedie", to_exponential, 0},
    {"survival:cox", to_exponential, 0},
    {"survival:aft", to_time, 0},
    {"multi:softprob", to_probabilities, 0},
    {"multi:softmax", to_class, 1},
};

const struct objective *objective_find(const char *name) {
    for (size_t i = 0; i < sizeof objectives / sizeof *objectives; i++)
        if (strcmp(objectives[i].name, name) == 0)
            return &objectives[i];
    return NULL;
}
