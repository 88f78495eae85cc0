#include "dropin/lightgbm/request.h"

#include "base/number.h"
#include "dropin/lightgbm/api.h"

#include <limits.h>
#include <omp.h>
#include <stdatomic.h>
#include <string.h>
#include <strings.h>

/* What to do about a call that fails only without the real library. */
#define SET_REAL "Set TREEBENCH_LIGHTGBM to the path of LightGBM's library"

static atomic_int most_threads = -1;

void request_set_most_threads(int threads) {
    atomic_store(&most_threads, threads > 0 ? threads : -1);
}

int request_most_threads(void) {
    return atomic_load(&most_threads);
}

/* --- parameters ------------------------------------------------------------------------------- */

/* The parameters that matter when treebench predicts. */
struct parameters {
    int64_t threads; /* 0 or less: OpenMP's default */
    bool any_shape;  /* documents may have another number of columns than the model */
    bool stops;      /* trees are left out once a prediction is certain */
};

/* A parameter of the text, or NULLs. */
struct word {
    const char *begin, *end;
};

static bool is_text(struct word word, const char *text) {
    size_t length = (size_t)(word.end - word.begin);
    return length == strlen(text) && strncasecmp(word.begin, text, length) == 0;
}

/* Finds the first KEY=VALUE; the value may be missing. As in LightGBM, later ones are ignored. */
static struct word find_value(const char *text, const char *key) {
    static const char space[] = " \t\r\n";
    for (const char *at = text + strspn(text, space), *end; *at; at = end + strspn(end, space)) {
        end = at + strcspn(at, space);
        size_t length = strlen(key);
        if (strncmp(at, key, length) == 0 && at[length] == '=')
            return (struct word){at + length + 1, end};
    }
    return (struct word){NULL, NULL};
}

static enum status refuse(struct word word, const char *key, struct error *error) {
    return error_set(error, STATUS_INPUT, "treebench cannot read %s=%.*s", key,
                     (int)(word.end - word.begin < 99 ? word.end - word.begin : 99), word.begin);
}

static enum status read_switch(const char *text, const char *key, bool *value,
                               struct error *error) {
    struct word word = find_value(text, key);
    *value = word.begin && (is_text(word, "true") || is_text(word, "+"));
    if (*value || word.begin == word.end || is_text(word, "false") || is_text(word, "-"))
        return STATUS_OK;
    return refuse(word, key, error);
}

static enum status read_threads(const char *text, int64_t *threads, struct error *error) {
    static const char *const keys[] = {"num_threads", "num_thread", "nthread", "nthreads",
                                       "n_jobs"};
    struct word word = {NULL, NULL};
    size_t i = 0;
    while (!word.begin && i < sizeof keys / sizeof *keys)
        word = find_value(text, keys[i++]);
    *threads = 0;
    if (word.begin == word.end || number_parse_i64(word.begin, word.end, threads) == word.end)
        return STATUS_OK;
    return refuse(word, keys[i - 1], error);
}

static enum status read_parameters(const char *text, struct parameters *parameters,
                                   struct error *error) {
    *parameters = (struct parameters){0};
    if (!text || !*text)
        return STATUS_OK;
    enum status status = read_threads(text, &parameters->threads, error);
    if (!status)
        status = read_switch(text, "predict_disable_shape_check", &parameters->any_shape, error);
    if (!status)
        status = read_switch(text, "pred_early_stop", &parameters->stops, error);
    return status;
}

static unsigned count_threads(int64_t asked) {
    int threads = asked > 0 && asked < INT_MAX ? (int)asked : omp_get_max_threads();
    int most = request_most_threads();
    return (unsigned)(most > 0 && threads > most ? most : threads);
}

/* --- requests --------------------------------------------------------------------------------- */

static enum status check(const struct booster *booster, const struct request *request,
                         const struct parameters *parameters, struct error *error) {
    uint32_t n_features = booster->ensemble->n_features;
    if (request->predict_type == PREDICT_CONTRIBUTIONS)
        return error_set(error, STATUS_UNSUPPORTED,
                         "treebench does not compute contributions. " SET_REAL);
    if (request->data_type != DTYPE_FLOAT32 && request->data_type != DTYPE_FLOAT64)
        return error_set(error, STATUS_INPUT, "documents must be float32 or float64");
    if (request->n_columns <= 0 || request->n_columns >= INT32_MAX)
        return error_set(error, STATUS_INPUT, "documents must have 1 to %d columns", INT32_MAX - 1);
    if (!parameters->any_shape && request->n_columns != n_features)
        return error_set(error, STATUS_INPUT,
                         "documents have %lld columns, but the model has %u features. "
                         "predict_disable_shape_check=true allows this",
                         (long long)request->n_columns, n_features);
    if (parameters->stops && booster->objective.may_stop)
        return error_set(error, STATUS_UNSUPPORTED,
                         "treebench does not serve pred_early_stop. " SET_REAL);
    return STATUS_OK;
}

enum status request_prepare(struct booster *booster, const struct request *request,
                            struct answer *answer, struct error *error) {
    struct parameters parameters;
    enum status status = read_parameters(request->parameters, &parameters, error);
    if (!status)
        status = check(booster, request, &parameters, error);
    if (status)
        return status;
    bool leaves = request->predict_type == PREDICT_LEAVES;
    int first = request->start_iteration, count = request->num_iteration;
    booster_clip(booster, &first, &count);
    *answer = (struct answer){.booster = booster,
                              .range = booster_range(booster, first, count, leaves, error),
                              .threads = count_threads(parameters.threads),
                              .converts = !leaves && request->predict_type != PREDICT_RAW};
    return answer->range ? STATUS_OK : STATUS_UNSUPPORTED;
}

/* --- answers ---------------------------------------------------------------------------------- */

struct predictions {
    struct scores scores;
    const struct answer *answer;
};

static void convert(const struct scores *scores, struct span docs, double *values) {
    const struct answer *answer = ((const struct predictions *)scores)->answer;
    const struct objective *objective = &answer->booster->objective;
    size_t n = docs.end - docs.begin;
    for (size_t i = 0; answer->booster->averages && i < n * answer->range->n_outputs; i++)
        values[i] /= answer->range->count;
    if (objective->convert)
        objective->convert(objective, values, n);
}

enum status request_answer(const struct answer *answer, const struct rows *rows, size_t n_docs,
                           double *results, int64_t *n_results, struct error *error) {
    const struct range *range = answer->range;
    const struct predictions to = {.scores = {.scores = results}, .answer = answer};
    enum status status = STATUS_OK;
    struct predictions here = to;
    if (answer->converts)
        here.scores.take = convert;
    if (range->scoring) {
        status = scoring_answer(range->scoring, rows, n_docs, answer->threads, &here.scores, error);
    } else {
        memset(results, 0, n_docs * range->n_outputs * sizeof *results);
        if (answer->converts)
            convert(&here.scores, (struct span){0, n_docs}, results);
    }
    *n_results = (int64_t)(n_docs * range->n_outputs);
    return status;
}
