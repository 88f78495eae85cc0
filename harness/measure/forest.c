#include "harness/measure/forest.h"

#include "base/cpu.h"
#include "base/origin.h"
#include "base/random.h"
#include "datasets/recipes/recipe.h"
#include "models/learn/learner.h"

#include <stdio.h>
#include <string.h>

enum status forest_read_fold(const struct workload *workload, enum fold_parts wanted,
                             struct fold *fold, struct error *error) {
    const struct data_set *set;
    const struct recipe *recipe = recipe_find(workload->data);
    enum status status = data_set_find(workload->data, &set, error);
    if (!status && !recipe)
        status = error_set(error, STATUS_INPUT,
                           "%s: this data set has no recipe for classification (docs/data-sets.md)",
                           workload->data);
    if (!status && workload->trial > 0)
        status = error_set(error, STATUS_INPUT, "%s: this data set has one split, so only trial 0",
                           workload->data);
    if (!status)
        status = recipe_read(recipe, wanted, fold, error);
    if (!status && !fold->test)
        status = error_set(error, STATUS_INPUT,
                           "%s: this machine does not have the data set, and forests have no "
                           "stand-ins. See docs/data-sets.md",
                           workload->data);
    return status;
}

static enum forest_kind kind_of(const struct workload *workload) {
    return strcmp(workload->kind, "cart") == 0            ? FOREST_CART
           : strcmp(workload->kind, "random-forest") == 0 ? FOREST_RANDOM
                                                          : FOREST_EXTRA;
}

enum status forest_train(const struct workload *workload, const struct fold *fold,
                         struct ensemble **ensemble, struct ensemble **shares,
                         struct error *error) {
    struct cpu_info cpu;
    cpu_read_info(&cpu);
    const struct matrix *train = fold->train;
    const struct learner_data data = {.name = workload->data,
                                      .n_rows = train->n_rows,
                                      .n_features = train->n_features,
                                      .stride = train->stride,
                                      .values = train->values,
                                      .labels = train->labels};
    const struct forest_options options = {
        .kind = kind_of(workload),
        .task = FOREST_CLASSIFY,
        .n_trees = workload->trees,
        .max_depth = workload->depth,
        .seed = random_derive(workload->seed, workload->trial),
        .n_threads = cpu.cores,
    };
    enum status status = shares ? learn_forest_both(&data, &options, ensemble, shares, error)
                                : learn_forest(&data, &options, ensemble, error);
    if (!status)
        (*ensemble)->origin = train->origin | ORIGIN_TRAINED;
    if (!status && train->note[0]) {
        char text[ENSEMBLE_NOTE_SIZE];
        snprintf(text, sizeof text, "trained on %s", train->note);
        ensemble_set_note(*ensemble, text);
    }
    return status;
}
