/* Calls that load models, free them, and ask for facts about them. */
#include "base/files/file.h"
#include "dropin/announce.h"
#include "dropin/last_error.h"
#include "dropin/lightgbm/api.h"
#include "dropin/lightgbm/booster.h"
#include "dropin/lightgbm/request.h"

#include <string.h>

/* --- loading ---------------------------------------------------------------------------------- */

static void tell_scorer(const char *name, const struct booster *booster) {
    const struct ensemble *e = booster->ensemble;
    note_tell(announcer(), "LightGBM: %s: %u trees, %u features: treebench predicts", name,
              e->n_trees, e->n_features);
}

/* Without a real library, the handle is treebench's own. */
static int load_own(const char *name, const char *text, size_t size, int *n_iterations,
                    void **handle) {
    struct booster *booster = NULL;
    struct error error;
    enum status status = booster_create(name, text, size, &booster, &error);
    if (!status)
        status = booster_put(booster, booster, &error);
    if (status) {
        booster_free(booster);
        return last_error_set(&error);
    }
    tell_scorer(name, booster);
    *n_iterations = booster->n_iterations;
    *handle = booster;
    return 0;
}

/* Does the real library see the same model? A file may contradict itself. */
static bool agrees(void *handle, const struct booster *booster) {
    int n_trees = 0, n_features = 0;
    return real_LGBM_BoosterNumberOfTotalModel(handle, &n_trees) == 0 &&
           real_LGBM_BoosterGetNumFeature(handle, &n_features) == 0 &&
           n_trees == (int)booster->ensemble->n_trees &&
           n_features == (int)booster->ensemble->n_features;
}

/* Adds treebench's scorer to a handle of the real library. If treebench refuses the model, the real
 * library answers its calls. */
static void join_real(const char *name, const char *text, size_t size, void *handle) {
    struct booster *booster = NULL;
    struct error error;
    enum status status = booster_create(name, text, size, &booster, &error);
    if (!status && !agrees(handle, booster))
        status =
            error_set(&error, STATUS_INPUT, "%s: LightGBM reads another number of trees", name);
    if (!status) {
        booster->has_real = true;
        status = booster_put(handle, booster, &error);
    }
    if (status) {
        booster_free(booster);
        note_tell(announcer(), "LightGBM: passed on: %s", error.text);
    } else {
        tell_scorer(name, booster);
    }
}

int LGBM_BoosterCreateFromModelfile(const char *filename, int *out_num_iterations, void **out) {
    struct file_text text;
    struct error error;
    bool is_real = lightgbm_is_here();
    if (is_real && real_LGBM_BoosterCreateFromModelfile(filename, out_num_iterations, out))
        return -1;
    if (file_read(filename, &text, &error)) {
        note_tell(announcer(), "LightGBM: %s", error.text);
        return is_real ? 0 : last_error_set(&error);
    }
    int result = 0;
    if (is_real)
        join_real(filename, text.data, text.size, *out);
    else
        result = load_own(filename, text.data, text.size, out_num_iterations, out);
    file_text_free(&text);
    return result;
}

int LGBM_BoosterLoadModelFromString(const char *model_str, int *out_num_iterations, void **out) {
    static const char name[] = "model string";
    if (!lightgbm_is_here())
        return load_own(name, model_str, strlen(model_str), out_num_iterations, out);
    if (real_LGBM_BoosterLoadModelFromString(model_str, out_num_iterations, out))
        return -1;
    join_real(name, model_str, strlen(model_str), *out);
    return 0;
}

int LGBM_BoosterFree(void *handle) {
    struct booster *booster = booster_take(handle);
    bool is_own = booster && !booster->has_real;
    booster_free(booster);
    return is_own ? 0 : real_LGBM_BoosterFree(handle);
}

/* --- facts ------------------------------------------------------------------------------------ */

/* The booster of a handle that is treebench's own. NULL if the real library knows the handle. */
static const struct booster *own(const void *handle) {
    const struct booster *booster = booster_get(handle);
    return booster && !booster->has_real ? booster : NULL;
}

static int answer(int *out, int64_t value) {
    *out = (int)value;
    return 0;
}

int LGBM_BoosterGetLinear(void *handle, int *out) {
    return own(handle) ? answer(out, 0) : real_LGBM_BoosterGetLinear(handle, out);
}

int LGBM_BoosterGetNumClasses(void *handle, int *out_len) {
    const struct booster *booster = own(handle);
    return booster ? answer(out_len, booster->ensemble->n_outputs)
                   : real_LGBM_BoosterGetNumClasses(handle, out_len);
}

int LGBM_BoosterGetCurrentIteration(void *handle, int *out_iteration) {
    const struct booster *booster = own(handle);
    return booster ? answer(out_iteration, booster->n_iterations)
                   : real_LGBM_BoosterGetCurrentIteration(handle, out_iteration);
}

int LGBM_BoosterNumModelPerIteration(void *handle, int *out_tree_per_iteration) {
    const struct booster *booster = own(handle);
    return booster ? answer(out_tree_per_iteration, booster->ensemble->n_outputs)
                   : real_LGBM_BoosterNumModelPerIteration(handle, out_tree_per_iteration);
}

int LGBM_BoosterNumberOfTotalModel(void *handle, int *out_models) {
    const struct booster *booster = own(handle);
    return booster ? answer(out_models, booster->ensemble->n_trees)
                   : real_LGBM_BoosterNumberOfTotalModel(handle, out_models);
}

int LGBM_BoosterGetNumFeature(void *handle, int *out_len) {
    const struct booster *booster = own(handle);
    return booster ? answer(out_len, booster->ensemble->n_features)
                   : real_LGBM_BoosterGetNumFeature(handle, out_len);
}

int LGBM_BoosterCalcNumPredict(void *handle, int num_row, int predict_type, int start_iteration,
                               int num_iteration, int64_t *out_len) {
    const struct booster *booster = own(handle);
    if (!booster)
        return real_LGBM_BoosterCalcNumPredict(handle, num_row, predict_type, start_iteration,
                                               num_iteration, out_len);
    int64_t n_outputs = booster->ensemble->n_outputs, per_row = n_outputs;
    booster_clip(booster, &start_iteration, &num_iteration);
    if (predict_type == PREDICT_LEAVES)
        per_row = n_outputs * num_iteration;
    else if (predict_type == PREDICT_CONTRIBUTIONS)
        per_row = n_outputs * ((int64_t)booster->ensemble->n_features + 1);
    *out_len = num_row * per_row;
    return 0;
}

/* --- the library ------------------------------------------------------------------------------ */

/* treebench logs nothing itself. */
int LGBM_RegisterLogCallback(void (*callback)(const char *)) {
    return lightgbm_is_here() ? real_LGBM_RegisterLogCallback(callback) : 0;
}

int LGBM_SetMaxThreads(int num_threads) {
    request_set_most_threads(num_threads);
    return lightgbm_is_here() ? real_LGBM_SetMaxThreads(num_threads) : 0;
}

int LGBM_GetMaxThreads(int *out) {
    return answer(out, request_most_threads());
}
