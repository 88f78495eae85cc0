/* Calls of boosters, except those that predict. */
#include "dropin/xgboost/booster.h"

#include "base/files/file.h"
#include "dropin/announce.h"
#include "dropin/handles.h"
#include "dropin/last_error.h"
#include "dropin/xgboost/api.h"
#include "dropin/xgboost/dmatrix.h"
#include "dropin/xgboost/flat.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

static struct handles boosters = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct booster *booster_find(const void *handle) {
    return handles_get(&boosters, handle);
}

unsigned booster_threads(const struct booster *booster) {
    int usual = booster->threads ? (int)booster->threads : omp_get_max_threads();
    return usual > 1 ? (unsigned)usual : 1;
}

static void drop_scorer(struct booster *booster) {
    xgboost_scorer_free(booster->scorer);
    booster->scorer = NULL;
}

void xgboost_forget(void *handle) {
    struct booster *booster = booster_find(handle);
    if (!xgboost_is_here()) /* the call fails */
        return;
    dmatrix_forget(handle);
    if (!booster)
        return;
    drop_scorer(booster);
    booster->is_set = true;
}

/* --- creating and freeing --------------------------------------------------------------------- */

int XGBoosterCreate(void *const *dmats, uint64_t len, void **out) {
    struct error error;
    int status = xgboost_is_here() ? real_XGBoosterCreate(dmats, len, out) : 0;
    if (status)
        return status;
    struct booster *booster = calloc(1, sizeof *booster);
    void *handle = xgboost_is_here() ? *out : (void *)booster;
    if (booster)
        pthread_mutex_init(&booster->results.lock, NULL);
    if (booster && handles_put(&boosters, handle, booster)) {
        *out = handle;
        return 0;
    }
    free(booster);
    error_memory(&error, "a booster");
    return xgboost_is_here() ? 0 : last_error_set(&error);
}

int XGBoosterFree(void *handle) {
    struct booster *booster = handles_take(&boosters, handle);
    if (!booster)
        return real_XGBoosterFree(handle);
    drop_scorer(booster);
    results_free(&booster->results);
    free(booster);
    return xgboost_is_here() ? real_XGBoosterFree(handle) : 0;
}

/* --- models ----------------------------------------------------------------------------------- */

/* Copies the text of a member, without its quotes. */
static void copy_word(const char *at, char *word, size_t size) {
    size_t length = at && *at == '"' ? strcspn(at + 1, "\"") : 0;
    length = length < size ? length : size - 1;
    memcpy(word, length ? at + 1 : "", length);
    word[length] = '\0';
}

/* Asks the real library what it will do with the model: a parameter may have changed the objective.
 */
static bool ask_real(void *handle, struct booster *booster) {
    uint64_t length;
    const char *text;
    int rounds = 0;
    if (real_XGBoosterSaveJsonConfig(handle, &length, &text))
        return false;
    char name[ENSEMBLE_OBJECTIVE_SIZE];
    const char *objective = flat_find(text, "objective");
    copy_word(objective ? flat_find(objective, "name") : NULL, name, sizeof name);
    booster->objective = objective_find(name);
    if (real_XGBoosterBoostedRounds(handle, &rounds) == 0)
        booster->rounds = rounds;
    return true;
}

/* Serves the model that the real library, if there is one, has loaded. */
static int serve(void *handle, struct booster *booster, const char *name, const char *text,
                 size_t size) {
    struct error error;
    enum status status = xgboost_scorer_read(name, text, size, &booster->scorer, &error);
    if (status && !xgboost_is_here())
        return last_error_set(&error);
    if (status) {
        note_tell(announcer(), "XGBoost: passed on: %s", error.text);
        return 0;
    }
    struct xgboost_scorer_facts facts = xgboost_scorer_facts(booster->scorer);
    booster->objective = facts.objective;
    if (xgboost_is_here() && !ask_real(handle, booster))
        drop_scorer(booster);
    else
        note_tell(announcer(), "XGBoost: %s: %zu trees, %zu features: treebench predicts", name,
                  facts.n_trees, facts.n_features);
    return 0;
}

/* May treebench serve a model that is loaded into the booster? */
static bool may_serve(const struct booster *booster) {
    if (!booster || booster->is_set)
        return false;
    if (!xgboost_is_followed())
        note_tell(announcer(), "XGBoost: passed on: treebench only follows XGBoost 1.7");
    return xgboost_is_followed();
}

int XGBoosterLoadModel(void *handle, const char *fname) {
    struct booster *booster = booster_find(handle);
    struct file_text text;
    struct error error;
    if (booster)
        drop_scorer(booster);
    bool is_real = xgboost_is_here() || !booster || !fname;
    int loaded = is_real ? real_XGBoosterLoadModel(handle, fname) : 0;
    if (loaded || !may_serve(booster))
        return loaded;
    if (file_read(fname, &text, &error)) {
        note_tell(announcer(), "XGBoost: %s", error.text);
        return is_real ? 0 : last_error_set(&error);
    }
    loaded = serve(handle, booster, fname, text.data, text.size);
    file_text_free(&text);
    return loaded;
}

int XGBoosterLoadModelFromBuffer(void *handle, const void *buf, uint64_t len) {
    struct booster *booster = booster_find(handle);
    if (booster)
        drop_scorer(booster);
    bool is_real = xgboost_is_here() || !booster || !buf;
    int loaded = is_real ? real_XGBoosterLoadModelFromBuffer(handle, buf, len) : 0;
    if (loaded || !may_serve(booster))
        return loaded;
    return serve(handle, booster, "the buffer", buf, len);
}

/* --- parameters ------------------------------------------------------------------------------- */

static bool is_one_of(const char *name, const char *const *names) {
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* Follows a parameter. Parameters that may change scores end what treebench does for the booster.
 */
static void follow(struct booster *booster, const char *name, const char *value) {
    static const char *const threads[] = {"nthread", "n_jobs", NULL};
    static const char *const harmless[] = {"verbosity", "silent", "seed", "random_state", NULL};
    if (is_one_of(name, threads)) {
        long n = value ? strtol(value, NULL, 10) : 0;
        booster->threads = n > 0 && n < 4096 ? (unsigned)n : 0;
    } else if (!is_one_of(name, harmless)) {
        drop_scorer(booster);
        booster->is_set = true;
    }
}

int XGBoosterSetParam(void *handle, const char *name, const char *value) {
    struct booster *booster = booster_find(handle);
    if (booster && name && xgboost_is_here())
        follow(booster, name, value);
    if (booster && name && !xgboost_is_here()) {
        follow(booster, name, value);
        if (!booster->is_set)
            return 0;
    }
    return real_XGBoosterSetParam(handle, name, value);
}

int XGBoosterGetNumFeature(void *handle, uint64_t *out) {
    const struct booster *booster = booster_find(handle);
    if (!booster || !booster->scorer || !out)
        return real_XGBoosterGetNumFeature(handle, out);
    *out = xgboost_scorer_facts(booster->scorer).n_features;
    return 0;
}
