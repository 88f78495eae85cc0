/* Converts base scores to margins, depending on XGBoost's objective. */
#include "models/xgboost/xgboost_model.h"

#include <math.h>
#include <string.h>

/* How the base score, a prediction, becomes a margin (ProbToMargin). */
enum link {
    LINK_NONE, /* the margin is the prediction */
    LINK_LOGIT,
    LINK_RAW_LOGIT, /* LINK_LOGIT up to version 1.3.0, LINK_NONE later */
    LINK_LOG,
    LINK_SOFTPLUS_STEPS /* the margin encodes the step from the prediction of the output before */
};

static const struct objective {
    const char *name;
    enum link link;
} objectives[] = {
    {"binary:logistic", LINK_LOGIT},
    {"binary:logitraw", LINK_RAW_LOGIT},
    {"reg:logistic", LINK_LOGIT},
    {"count:poisson", LINK_LOG},
    {"reg:gamma", LINK_LOG},
    {"reg:tweedie", LINK_LOG},
    {"survival:aft", LINK_LOG},
    {"survival:cox", LINK_LOG},
    {"binary:hinge", LINK_NONE},
    {"multi:softmax", LINK_NONE},
    {"multi:softprob", LINK_NONE},
    {"rank:map", LINK_NONE},
    {"rank:ndcg", LINK_NONE},
    {"rank:pairwise", LINK_NONE},
    {"reg:absoluteerror", LINK_NONE},
    {"reg:expectileerror", LINK_SOFTPLUS_STEPS},
    {"reg:linear", LINK_NONE},
    {"reg:pseudohubererror", LINK_NONE},
    {"reg:quantileerror", LINK_NONE},
    {"reg:squarederror", LINK_NONE},
    {"reg:squaredlogerror", LINK_NONE},
};

static const float SMALLEST = 1e-6F; /* XGBoost's kRtEps */

static const struct objective *find_objective(const char *name) {
    for (size_t i = 0; i < sizeof objectives / sizeof *objectives; i++) {
        if (strcmp(objectives[i].name, name) == 0)
            return &objectives[i];
    }
    return NULL;
}

/* Compares the version of a file. A file without a version counts as the newest. */
static bool is_before(const struct xgboost_version *version, uint32_t major, uint32_t minor,
                      uint32_t patch) {
    if (!version->is_known || version->major != major)
        return version->is_known && version->major < major;
    if (version->minor != minor)
        return version->minor < minor;
    return version->has_patch && version->patch < patch;
}

/* Version 3.2 and later keep predictions away from 0 and 1, so that the margin is finite. */
static float logit(float p, const struct xgboost_version *version) {
    if (!is_before(version, 3, 2, 0) && p >= 0 && p <= 1)
        p = fminf(fmaxf(p, SMALLEST), 1.0F - SMALLEST);
    return -logf(1.0F / p - 1.0F);
}

static float softplus_inverse(float x) {
    x = fmaxf(x, SMALLEST);
    return x + logf(-expm1f(-x));
}

static float base_of(const struct xgboost_header *header, uint32_t output) {
    return header->base.real[header->base.count == 1 ? 0 : output];
}

static float to_margin(enum link link, const struct xgboost_header *header, uint32_t output) {
    float value = base_of(header, output);
    switch (link) {
    case LINK_LOGIT:
        return logit(value, &header->version);
    case LINK_RAW_LOGIT:
        return is_before(&header->version, 1, 3, 1) ? logit(value, &header->version) : value;
    case LINK_LOG:
        return logf(value);
    case LINK_SOFTPLUS_STEPS:
        return output ? softplus_inverse(value - base_of(header, output - 1) - SMALLEST) : value;
    case LINK_NONE:
    default:
        return value;
    }
}

/* The releases 1.3.0 and 1.3.1 differ, but the binary format does not distinguish them. */
static bool is_ambiguous(const struct objective *objective, const struct xgboost_version *version) {
    return objective && objective->link == LINK_RAW_LOGIT && version->is_known &&
           !version->has_patch && version->major == 1 && version->minor == 3;
}

static enum status check(const char *name, const struct xgboost_header *header,
                         const struct objective *objective, struct error *error) {
    if (header->base_is_margin)
        return STATUS_OK;
    if (!objective)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s: unknown objective '%.100s', so its base score cannot be converted. "
                         "Only XGBoost's own objectives are supported",
                         name, header->objective);
    if (is_ambiguous(objective, &header->version))
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s: binary:logitraw in a binary file of version 1.3 is ambiguous: 1.3.0 "
                         "stores the base score as a probability, 1.3.1 as a margin. Save the "
                         "model as JSON with the version that trained it",
                         name);
    return STATUS_OK;
}

enum status xgboost_margins(const char *name, const struct xgboost_header *header, double *margins,
                            struct error *error) {
    const struct objective *objective = find_objective(header->objective);
    enum status status = check(name, header, objective, error);
    if (status)
        return status;
    if (header->base.count != 1 && header->base.count != header->n_outputs)
        return error_set(
            error, STATUS_INPUT,
            "%s: base_score has %zu values, but the model has %u output%s. Expected one "
            "value, or one per output",
            name, header->base.count, header->n_outputs, header->n_outputs == 1 ? "" : "s");
    enum link link = header->base_is_margin ? LINK_NONE : objective->link;
    for (uint32_t k = 0; k < header->n_outputs; k++) {
        float margin = to_margin(link, header, k);
        if (!isfinite(margin))
            return error_set(
                error, STATUS_INPUT,
                "%s: base_score: %g cannot be converted to a finite raw score (margin) for %s",
                name, (double)base_of(header, k), header->objective);
        margins[k] = (double)margin + 0.0; /* -0 becomes 0 */
    }
    return STATUS_OK;
}
