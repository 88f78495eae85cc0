/* Source: ConvertOutput in src/objective of LightGBM 4.6. */
#include "dropin/lightgbm/objective.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- conversions ------------------------------------------------------------------------------ */

static void convert_sigmoid(const struct objective *objective, double *scores, size_t n) {
    for (size_t i = 0; i < n * objective->n_outputs; i++)
        scores[i] = 1.0 / (1.0 + exp(-objective->sigmoid * scores[i]));
}

static void softmax(double *scores, uint32_t n_outputs) {
    double most = scores[0], sum = 0;
    for (uint32_t k = 1; k < n_outputs; k++)
        most = most < scores[k] ? scores[k] : most;
    for (uint32_t k = 0; k < n_outputs; k++) {
        scores[k] = exp(scores[k] - most);
        sum += scores[k];
    }
    for (uint32_t k = 0; k < n_outputs; k++)
        scores[k] /= sum;
}

static void convert_softmax(const struct objective *objective, double *scores, size_t n) {
    for (size_t i = 0; i < n; i++)
        softmax(scores + i * objective->n_outputs, objective->n_outputs);
}

static void convert_exp(const struct objective *objective, double *scores, size_t n) {
    (void)objective;
    for (size_t i = 0; i < n; i++)
        scores[i] = exp(scores[i]);
}

static void convert_log1p_exp(const struct objective *objective, double *scores, size_t n) {
    (void)objective;
    for (size_t i = 0; i < n; i++)
        scores[i] = log1p(exp(scores[i]));
}

static void convert_square(const struct objective *objective, double *scores, size_t n) {
    (void)objective;
    for (size_t i = 0; i < n; i++) {
        double sign = (double)((scores[i] > 0) - (scores[i] < 0));
        scores[i] = sign * scores[i] * scores[i];
    }
}

/* --- objectives ------------------------------------------------------------------------------- */

enum { SIGMOID = 1, CLASSES = 2, ROOT = 4, STOPS = 8 }; /* what the line may have, and may_stop */

static const struct known {
    const char *name;
    void (*convert)(const struct objective *objective, double *scores, size_t n);
    unsigned has;
} known[] = {
    {"regression", NULL, ROOT},
    {"regression_l1", NULL, ROOT},
    {"quantile", NULL, ROOT},
    {"fair", NULL, ROOT},
    {"mape", NULL, ROOT},
    {"huber", NULL, 0},
    {"poisson", convert_exp, 0},
    {"gamma", convert_exp, 0},
    {"tweedie", convert_exp, 0},
    {"binary", convert_sigmoid, SIGMOID | STOPS},
    {"multiclass", convert_softmax, CLASSES | STOPS},
    {"multiclassova", convert_sigmoid, SIGMOID | CLASSES | STOPS},
    {"cross_entropy", convert_sigmoid, 0},
    {"xentropy", convert_sigmoid, 0},
    {"cross_entropy_lambda", convert_log1p_exp, 0},
    {"xentlambda", convert_log1p_exp, 0},
    {"lambdarank", NULL, STOPS},
    {"rank_xendcg", NULL, STOPS},
    {"custom", NULL, 0},
};

static const struct known *find_known(const char *text, size_t length) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == length && memcmp(text, known[i].name, length) == 0)
            return &known[i];
    return NULL;
}

/* Finds a word of the line that begins with `key`; the text after it, or NULL. */
static const char *find_word(const char *text, const char *key) {
    for (const char *at = text; (at = strchr(at, ' '));) {
        at++;
        if (strncmp(at, key, strlen(key)) == 0)
            return at + strlen(key);
    }
    return NULL;
}

/* Reads a number as LightGBM's Atof does, which rounds the fraction, and then the sum. Only up to
 * 15 digits without an exponent, as LightGBM writes them: then all other steps are exact. */
static bool read_decimal(const char *at, double *number) {
    enum { DIGITS = 15 };
    double whole = 0, fraction = 0, scale = 1;
    size_t n_digits = 0;
    for (; *at >= '0' && *at <= '9'; at++, n_digits++)
        whole = whole * 10 + (*at - '0');
    if (*at == '.')
        at++;
    for (; *at >= '0' && *at <= '9'; at++, n_digits++, scale *= 10)
        fraction = fraction * 10 + (*at - '0');
    *number = whole + fraction / scale;
    return n_digits > 0 && n_digits <= DIGITS && (!*at || *at == ' ');
}

static bool read_sigmoid(const char *text, struct objective *objective) {
    const char *at = find_word(text, "sigmoid:");
    return at && read_decimal(at, &objective->sigmoid) && objective->sigmoid > 0;
}

static bool has_classes(const char *text, uint32_t n_outputs) {
    const char *at = find_word(text, "num_class:");
    uint32_t classes;
    return at && number_parse_u32(at, text + strlen(text), &classes) && classes == n_outputs;
}

enum status objective_read(const char *text, uint32_t n_outputs, struct objective *objective,
                           struct error *error) {
    *objective = (struct objective){.n_outputs = n_outputs, .sigmoid = 1};
    if (!*text)
        return STATUS_OK;
    const struct known *found = find_known(text, strcspn(text, " "));
    if (!found)
        return error_set(error, STATUS_UNSUPPORTED, "the objective '%s' is unknown", text);
    if ((found->has & SIGMOID && !read_sigmoid(text, objective)) ||
        (found->has & CLASSES ? !has_classes(text, n_outputs) : found->convert && n_outputs != 1))
        return error_set(error, STATUS_UNSUPPORTED,
                         "the objective '%s' does not fit a model of %u outputs", text, n_outputs);
    objective->convert = found->convert;
    objective->may_stop = found->has & STOPS;
    const char *root = find_word(text, "sqrt");
    if (found->has & ROOT && root && (!*root || *root == ' '))
        objective->convert = convert_square;
    return STATUS_OK;
}
