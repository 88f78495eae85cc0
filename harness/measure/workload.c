#include "harness/measure/workload.h"

#include "base/cpu.h"
#include "base/files/file.h"
#include "base/origin.h"
#include "base/random.h"
#include "datasets/catalogue.h"
#include "datasets/recipes/recipe.h"
#include "harness/rows/point.h"
#include "models/format.h"
#include "models/learn/learner.h"
#include "synth/grown.h"
#include "synth/standin.h"
#include "synth/synth.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- forests ---------------------------------------------------------------------------------- */

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

static struct learner_data as_learned(const struct matrix *documents, const char *name) {
    return (struct learner_data){.name = name,
                                 .n_rows = documents->n_rows,
                                 .n_features = documents->n_features,
                                 .stride = documents->stride,
                                 .values = documents->values,
                                 .labels = documents->labels,
                                 .query_row = documents->query_row,
                                 .n_queries = documents->n_queries};
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
    const struct learner_data data = as_learned(fold->train, workload->data);
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
        (*ensemble)->origin = fold->train->origin | ORIGIN_TRAINED;
    if (!status && fold->train->note[0]) {
        char text[ENSEMBLE_NOTE_SIZE];
        snprintf(text, sizeof text, "trained on %s", fold->train->note);
        ensemble_set_note(*ensemble, text);
    }
    return status;
}

/* --- documents -------------------------------------------------------------------------------- */

/* Drops queries, or documents without queries, from the end until at most `limit` documents remain
 * (0: no limit). At least one query remains. */
static void keep_first(struct matrix *documents, uint64_t limit) {
    if (limit == 0 || documents->n_rows <= limit)
        return;
    if (documents->n_queries == 0) {
        documents->n_rows = limit;
        return;
    }
    while (documents->n_queries > 1 && documents->query_row[documents->n_queries] > limit)
        documents->n_queries--;
    documents->n_rows = documents->query_row[documents->n_queries];
}

static size_t at_most(uint64_t rows, uint64_t limit) {
    return (size_t)(limit > 0 && rows > limit ? limit : rows);
}

/* Makes a stand-in for a fold. Its parts have LETOR's proportions (three fifths, one fifth, one
 * fifth), up to a limit for each part. Each part of each fold has its own seed. */
static enum status make_standin(const struct data_set *set, const struct workload *workload,
                                enum fold_parts wanted, struct fold *fold, struct error *error) {
    struct data_set like = *set;
    if (workload->features > 0)
        like.features = workload->features;
    else if (set->features_used > 0)
        like.features = set->features_used;
    uint64_t fifth = set->rows / 5, seed = 3 * (uint64_t)workload->trial + 1;
    enum status status = STATUS_OK;
    if (wanted == FOLD_ALL)
        status = synth_standin(&like, at_most(3 * fifth, TRAINED_STANDIN_ROWS), seed, &fold->train,
                               error);
    if (!status && wanted == FOLD_ALL)
        status = synth_standin(&like, at_most(fifth, TRAINED_STANDIN_ROWS / 3), seed + 1,
                               &fold->validation, error);
    if (!status)
        status =
            synth_standin(&like, at_most(fifth, workload->documents), seed + 2, &fold->test, error);
    return status;
}

static enum status get_fold(const struct workload *workload, enum fold_parts wanted,
                            struct fold *fold, struct error *error) {
    const struct data_set *set;
    if (kind_is_forest(workload->kind)) {
        enum status status = forest_read_fold(workload, wanted, fold, error);
        if (!status)
            keep_first(fold->test, workload->documents);
        return status;
    }
    enum status status = data_set_find(workload->data, &set, error);
    if (!status && set->queries == 0)
        status = error_set(error, STATUS_INPUT, "%s: this data set has no queries to learn to rank",
                           workload->data);
    if (!status)
        status = fold_read(set, workload->trial, wanted, fold, error);
    if (!status && fold->test == NULL)
        status = make_standin(set, workload, wanted, fold, error);
    if (!status)
        keep_first(fold->test, workload->documents);
    return status;
}

/* --- models ----------------------------------------------------------------------------------- */

static enum status name_folder(const char *directory, char **path, struct error *error) {
    return asprintf(path, "%s/models", directory) >= 0 ? STATUS_OK : error_memory(error, "a path");
}

/* Names the file of a forest. */
static enum status name_forest(const char *directory, const struct workload *w,
                               const struct matrix *documents, char **path, struct error *error) {
    int length =
        asprintf(path, "%s/models/%s%s-%s-depth%" PRIu32 "-trees%" PRIu32 "-seed%" PRIu64 ".json",
                 directory, w->data, documents->origin & ORIGIN_NOT_REAL ? "-sample" : "", w->kind,
                 w->depth, w->trees, w->seed);
    return length >= 0 ? STATUS_OK : error_memory(error, "a path");
}

/* Writes the path of a model's file. The file's name contains everything that the model depends on,
 * and whether the data is a stand-in or a sample. */
static enum status name_model(const char *directory, const struct workload *w,
                              const struct matrix *documents, char **path, struct error *error) {
    if (kind_is_forest(w->kind))
        return name_forest(directory, w, documents, path, error);
    const char *what = documents->origin & ORIGIN_STAND_IN   ? "-standin"
                       : documents->origin & ORIGIN_NOT_REAL ? "-sample"
                                                             : "";
    char patience[24] = "", features[24] = "";
    if (w->patience > 0)
        snprintf(patience, sizeof patience, "-patience%" PRIu32, w->patience);
    if (w->features > 0)
        snprintf(features, sizeof features, "-features%" PRIu32, w->features);
    int length = asprintf(path,
                          "%s/models/%s%s-fold%" PRIu32 "-leaves%" PRIu32 "-trees%" PRIu32
                          "%s%s-seed%" PRIu64 ".json",
                          directory, w->data, what, w->trial + 1, w->max_leaves, w->trees, patience,
                          features, w->seed);
    return length >= 0 ? STATUS_OK : error_memory(error, "a path");
}

/* Trains with one thread, because with XGBoost the trees depend on the number of threads. */
static enum status train(const struct workload *workload, const struct fold *fold,
                         struct ensemble **ensemble, struct error *error) {
    const struct lambdamart_options options = {
        .n_trees = workload->trees,
        .max_leaves = workload->max_leaves,
        .patience = workload->patience ? workload->patience : workload->trees,
        .seed = random_derive(workload->seed, workload->trial) & INT64_MAX,
        .n_threads = 1};
    struct learner_data data = as_learned(fold->train, workload->data),
                        validation = as_learned(fold->validation, workload->data);
    struct lambdamart_result result;
    enum status status =
        learn_lambdamart(&data, workload->patience ? &validation : NULL, &options, &result, error);
    if (status)
        return status;
    *ensemble = result.ensemble;
    (*ensemble)->origin = fold->train->origin | ORIGIN_TRAINED;
    const char *note = fold->train->note;
    if (note[0]) {
        char text[ENSEMBLE_NOTE_SIZE];
        snprintf(text, sizeof text, "trained on %s%s", strncmp(note, "a ", 2) ? "a " : "", note);
        ensemble_set_note(*ensemble, text);
    }
    return STATUS_OK;
}

static enum status train_and_keep(const char *directory, const struct workload *workload,
                                  const char *path, bool with_shares, struct trained *trained,
                                  struct error *error) {
    char *folder = NULL;
    enum status status = name_folder(directory, &folder, error);
    if (!status)
        status = file_make_directories(folder, error);
    if (!status)
        status = kind_is_forest(workload->kind)
                     ? forest_train(workload, &trained->fold, &trained->ensemble,
                                    with_shares ? &trained->shares : NULL, error)
                     : train(workload, &trained->fold, &trained->ensemble, error);
    if (!status)
        status = model_write(trained->ensemble, path, NULL, error);
    free(folder);
    return status;
}

/* If the model's file exists, loads the model and the wanted parts of the fold. Otherwise loads all
 * parts of the fold and trains the model. */
static enum status load_or_train(const char *directory, const struct workload *workload,
                                 enum fold_parts wanted, bool with_shares, struct trained *trained,
                                 struct error *error) {
    char *path = NULL;
    enum status status = get_fold(workload, wanted, &trained->fold, error);
    if (!status)
        status = name_model(directory, workload, trained->fold.test, &path, error);
    if (!status && access(path, R_OK) == 0) {
        status = model_read(path, &trained->ensemble, error);
    } else if (!status && wanted == FOLD_TEST) {
        fold_free(&trained->fold);
        status = load_or_train(directory, workload, FOLD_ALL, with_shares, trained, error);
    } else if (!status) {
        status = train_and_keep(directory, workload, path, with_shares, trained, error);
    }
    free(path);
    return status;
}

enum status trained_make(const char *directory, const struct workload *workload,
                         struct trained *trained, struct error *error) {
    *trained = (struct trained){.ensemble = NULL};
    enum status status = load_or_train(directory, workload, FOLD_ALL, true, trained, error);
    if (status)
        trained_free(trained);
    return status;
}

void trained_free(struct trained *trained) {
    fold_free(&trained->fold);
    ensemble_free(trained->ensemble);
    ensemble_free(trained->shares);
    trained->ensemble = trained->shares = NULL;
}

enum status trained_load(const char *directory, const struct workload *workload,
                         struct ensemble **ensemble, struct matrix **documents,
                         struct error *error) {
    struct trained trained = {.ensemble = NULL};
    enum status status = load_or_train(directory, workload, FOLD_TEST, false, &trained, error);
    if (!status) {
        *ensemble = trained.ensemble;
        *documents = trained.fold.test;
        trained.ensemble = NULL;
        trained.fold.test = NULL;
    }
    trained_free(&trained);
    return status;
}

/* Like trained_load, but loads only the test documents. */
static enum status load_documents(const struct workload *workload, struct matrix **documents,
                                  struct error *error) {
    struct fold fold = {.test = NULL};
    enum status status = get_fold(workload, FOLD_TEST, &fold, error);
    if (!status) {
        *documents = fold.test;
        fold.test = NULL;
    }
    fold_free(&fold);
    return status;
}

/* --- workloads -------------------------------------------------------------------------------- */

/* Returns how many documents are loaded for the workload. For grown trees, these are at least
 * GROWN_ROWS. Each tree is grown on a sample of that size and would otherwise have fewer leaves. */
static uint64_t loaded_documents(const struct workload *w) {
    bool is_grown = strcmp(w->kind, "grown") == 0;
    return is_grown && w->documents > 0 && w->documents < GROWN_ROWS ? GROWN_ROWS : w->documents;
}

bool workload_same_except_trees(const struct workload *a, const struct workload *b) {
    return a->depth == b->depth && a->features == b->features && a->max_leaves == b->max_leaves &&
           a->patience == b->patience && a->resample == b->resample &&
           loaded_documents(a) == loaded_documents(b) && a->trial == b->trial &&
           a->seed == b->seed && strcmp(a->kind, b->kind) == 0 && strcmp(a->data, b->data) == 0;
}

bool workload_same(const struct workload *a, const struct workload *b) {
    return a->trees == b->trees && a->documents == b->documents && workload_same_except_trees(a, b);
}

static enum status make_synthetic(const struct workload *w, struct workload_inputs *made,
                                  struct error *error) {
    struct synth_shape shape = {.depth = w->depth, .n_features = w->features, .n_trees = w->trees};
    uint64_t point = ((uint64_t)w->depth << 48) ^ ((uint64_t)w->features << 16) ^ w->trial;
    uint64_t seed = random_derive(w->seed, point);
    enum status status = synth_trees(&shape, seed, &made->ensemble, error);
    if (!status)
        status = synth_documents(made->ensemble, w->documents, random_derive(seed, 1),
                                 &made->documents, error);
    return status;
}

/* Grows trees on the documents of a fold. After the last fold, trials start over at the first. */
static enum status make_grown(const struct workload *w, struct workload_inputs *made,
                              struct error *error) {
    const struct data_set *set;
    struct workload of_fold = *w;
    struct grown_shape shape = {.n_trees = w->trees, .max_leaves = w->max_leaves};
    enum status status = data_set_find(w->data, &set, error);
    if (status)
        return status;
    of_fold.trial = w->trial % set->folds;
    of_fold.documents = loaded_documents(w);
    status = load_documents(&of_fold, &made->documents, error);
    if (!status)
        status = synth_grown(made->documents, &shape, random_derive(w->seed, w->trial),
                             &made->ensemble, error);
    return status;
}

/* Returns documents that are drawn from the given ones with replacement. Labels and queries are not
 * kept. */
static enum status resample(const struct matrix *documents, uint32_t n, uint64_t seed,
                            struct matrix **resampled, struct error *error) {
    struct random random;
    enum status status = matrix_create(n, documents->n_features, resampled, error);
    if (status)
        return status;
    random_seed(&random, seed);
    for (size_t row = 0; row < n; row++) {
        size_t from = (size_t)random_below(&random, documents->n_rows);
        memcpy(matrix_row(*resampled, row), matrix_row(documents, from),
               documents->stride * sizeof *documents->values);
    }
    (*resampled)->origin = documents->origin | ORIGIN_RESAMPLED;
    snprintf((*resampled)->note, sizeof(*resampled)->note,
             "%.70s%s%" PRIu32 " documents resampled from %zu", documents->note,
             documents->note[0] ? "; " : "", n, documents->n_rows);
    return STATUS_OK;
}

static enum status make_trained(const char *directory, const struct workload *w,
                                struct workload_inputs *made, struct error *error) {
    enum status status = trained_load(directory, w, &made->ensemble, &made->documents, error);
    if (status || w->resample == 0)
        return status;
    struct matrix *all = made->documents;
    uint64_t seed = random_derive(random_derive(w->seed, w->trial), w->resample);
    made->documents = NULL;
    status = resample(all, w->resample, seed, &made->documents, error);
    matrix_free(all);
    return status;
}

/* Keeps only the first of the loaded documents to be scored, if trees were grown on all of them. */
static void choose_documents(struct workload_inputs *inputs, const struct workload *workload) {
    if (strcmp(workload->kind, "grown") != 0)
        return;
    inputs->documents->n_rows = inputs->n_loaded;
    inputs->documents->n_queries = inputs->n_queries;
    keep_first(inputs->documents, workload->documents);
}

/* Returns true if these inputs can be used for this workload too. A smaller grown model consists of
 * the first trees of a larger one. */
static bool can_keep(const struct workload_inputs *inputs, const struct workload *workload) {
    return inputs->ensemble && workload_same_except_trees(&inputs->workload, workload) &&
           (inputs->workload.trees == workload->trees ||
            (inputs->workload.trees > workload->trees && strcmp(workload->kind, "grown") == 0));
}

enum status workload_make_inputs(const char *directory, const struct workload *workload,
                                 struct workload_inputs *inputs, struct error *error) {
    if (can_keep(inputs, workload)) {
        if (inputs->workload.trees > workload->trees)
            ensemble_keep_first(inputs->ensemble, workload->trees);
        choose_documents(inputs, workload);
        inputs->workload = *workload;
        return STATUS_OK;
    }
    workload_free_inputs(inputs);
    enum status status;
    if (strcmp(workload->kind, "trained") == 0 || kind_is_forest(workload->kind))
        status = make_trained(directory, workload, inputs, error);
    else if (strcmp(workload->kind, "grown") == 0)
        status = make_grown(workload, inputs, error);
    else
        status = make_synthetic(workload, inputs, error);
    if (status) {
        workload_free_inputs(inputs);
        return status;
    }
    inputs->n_loaded = inputs->documents->n_rows;
    inputs->n_queries = inputs->documents->n_queries;
    choose_documents(inputs, workload);
    inputs->workload = *workload;
    return STATUS_OK;
}

void workload_free_inputs(struct workload_inputs *inputs) {
    ensemble_free(inputs->ensemble);
    matrix_free(inputs->documents);
    *inputs = (struct workload_inputs){.ensemble = NULL};
}
