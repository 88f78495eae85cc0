#include "harness/artefacts/origins.h"

#include "datasets/folds.h"
#include "datasets/recipes/recipe.h"

#include <stdio.h>
#include <string.h>

/* MISSING: the data set is not here, and nothing replaces it. */
enum { MISSING = FOLD_ABSENT + 1, N_ORIGINS };
static const char *const names[N_ORIGINS] = {[FOLD_REAL] = "real",
                                             [FOLD_SAMPLE] = "sample",
                                             [FOLD_UNKNOWN] = "unknown",
                                             [FOLD_STAND_IN] = "stand-in",
                                             [MISSING] = "missing"};

static bool is_of_forests(const struct panel *panel) {
    return panel->n_points > 0 && kind_is_forest(panel->points[0].kind);
}

static enum status add_recipe(const char *name, bool found[N_ORIGINS], struct error *error) {
    enum fold_origin origin;
    enum status status = recipe_origin(recipe_find(name), &origin, error);
    if (!status)
        found[origin == FOLD_ABSENT ? MISSING : (int)origin] = true;
    return status;
}

static enum status add_folds(const struct data_set *set, const struct panel *panel,
                             bool found[N_ORIGINS], struct error *error) {
    const struct point *point = &panel->points[0];
    /* grown trees: trial number `folds` uses the first fold again, the next trial the second, and
     * so on */
    bool is_grown = strcmp(point->kind, "grown") == 0;
    for (uint32_t trial = 0; trial < panel->trials; trial++) {
        enum fold_origin origin;
        enum status status = fold_find(set, is_grown ? trial % set->folds : trial, &origin, error);
        if (status)
            return status;
        found[origin == FOLD_ABSENT ? FOLD_STAND_IN : origin] = true;
    }
    return STATUS_OK;
}

static enum status add_artefact(const struct data_set *set, const struct artefact *artefact,
                                bool found[N_ORIGINS], struct error *error) {
    enum status status = STATUS_OK;
    for (size_t p = 0; p < artefact->scale.n_panels; p++) {
        const struct panel *panel = &artefact->scale.panels[p];
        if (!status && panel->n_points > 0 && strcmp(panel->points[0].data, set->name) == 0)
            status = is_of_forests(panel) ? add_recipe(set->name, found, error)
                                          : add_folds(set, panel, found, error);
    }
    return status;
}

static void name_found(const bool found[N_ORIGINS], char *text, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < N_ORIGINS; i++)
        if (found[i])
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", names[i]);
}

static bool is_trained(const struct panel *panel) {
    return panel->n_points > 0 && kind_is_trained(panel->points[0].kind);
}

/* Reduces the panel's trials to the folds before the first fold whose origin differs from fold
 * 0's. */
static enum status limit_panel(struct panel *panel, struct error *error) {
    const struct data_set *set;
    enum fold_origin first, origin;
    enum status status = data_set_find(panel->points[0].data, &set, error);
    if (!status)
        status = fold_find(set, 0, &first, error);
    for (uint32_t fold = 1; fold < panel->trials && !status; fold++) {
        status = fold_find(set, fold, &origin, error);
        if (!status && origin != first)
            panel->trials = fold;
    }
    return status;
}

enum status origins_limit_folds(struct scale *scale, size_t *dropped, struct error *error) {
    enum status status = STATUS_OK;
    for (size_t p = 0; p < scale->n_panels && !status; p++) {
        struct panel *panel = &scale->panels[p];
        uint32_t asked = panel->trials;
        if (is_trained(panel))
            status = limit_panel(panel, error);
        *dropped += (asked - panel->trials) * panel->n_points;
    }
    return status;
}

enum status origins_drop_missing(struct scale *scale, char *missing, size_t size,
                                 struct error *error) {
    enum status status = STATUS_OK;
    for (size_t p = 0; p < scale->n_panels && !status; p++) {
        struct panel *panel = &scale->panels[p];
        enum fold_origin origin = FOLD_REAL;
        const char *name = panel->points[0].data;
        if (!is_of_forests(panel))
            continue;
        status = recipe_origin(recipe_find(name), &origin, error);
        if (status || origin != FOLD_ABSENT)
            continue;
        panel->trials = 0;
        artefact_list_name(missing, size, name);
    }
    return status;
}

enum status origins_find(const struct artefact *artefacts, size_t n_artefacts, cJSON **origins,
                         struct error *error) {
    size_t n_sets;
    const struct data_set *sets = data_sets(&n_sets);
    enum status status = STATUS_OK;
    *origins = cJSON_CreateObject();
    if (!*origins)
        return error_memory(error, "the origins of data");
    for (size_t s = 0; s < n_sets && !status; s++) {
        bool found[N_ORIGINS] = {false};
        char text[64] = "";
        for (size_t a = 0; a < n_artefacts && !status; a++)
            status = add_artefact(&sets[s], &artefacts[a], found, error);
        name_found(found, text, sizeof text);
        if (*text && !cJSON_AddStringToObject(*origins, sets[s].name, text))
            status = error_memory(error, "the origins of data");
    }
    if (status) {
        cJSON_Delete(*origins);
        *origins = NULL;
    }
    return status;
}
