#include "harness/measure/trained.h"

#include "base/cpu.h"
#include "base/files/file.h"
#include "base/origin.h"
#include "base/random.h"
#include "datasets/catalogue.h"
#include "datasets/recipes/recipe.h"
#include "harness/instruments/progress.h"
#include "harness/rows/point.h"
#include "models/format.h"
#include "models/learn/learner.h"
#include "synth/grown.h"
#include "synth/standin.h"

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

/* Says on which documents the ensemble was trained. */
static void tell_training(struct ensemble *ensemble, const struct matrix *documents,
                          const char *article) {
    char text[ENSEMBLE_NOTE_SIZE];
    ensemble->origin = documents->origin | ORIGIN_TRAINED;
    snprintf(text, sizeof text, "trained on %s%s", article, documents->note);
    if (documents->note[0])
        ensemble_set_note(ensemble, text);
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
        tell_training(*ensemble, fold->train, "");
    return status;
}

/* --- kinds of boosted models ------------------------------------------------------------------ */

/* How LambdaMART trains the models of a kind. With all cores, the trees depend on their number,
 * because XGBoost's additions do. */
static const struct boosting {
    const char *kind;
    double learning_rate, share;
    uint32_t n_pairs;
    bool all_cores;
    uint32_t n_boosted; /* a model of more trees consists of several; 0: of one */
    bool is_bag;        /* these are boosted anew, and otherwise copied */
} boostings[] = {
    /* asadi2014 section 4.2 */
    {"trained", 0.05, 0.3, 1, false, 0, false},
    /* lettich2018 section 7.1; the rate and the shares are the defaults of its QuickRank, which
     * pairs each document with the ten that rank highest */
    {"boosted", 0.1, 1, 10, true, 0, false},
    /* jin2016 section 5.1, with the parameters of asadi2014, which used the same jforests */
    {"bagged", 0.05, 0.3, 1, true, 1000, true},
    /* the parameters of "boosted" */
    {"repeated", 0.1, 1, 10, true, 100, false},
};

static const struct boosting *boosting_of(const struct workload *workload) {
    size_t i = 0;
    while (strcmp(boostings[i].kind, workload->kind) != 0)
        i++;
    return &boostings[i];
}

/* --- documents -------------------------------------------------------------------------------- */

void documents_keep_first(struct matrix *documents, uint64_t limit) {
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

/* Training documents of a stand-in, at most. */
static uint64_t standin_rows(const struct workload *workload) {
    return kind_is_trained(workload->kind) && boosting_of(workload)->all_cores
               ? 3 * TRAINED_STANDIN_ROWS
               : TRAINED_STANDIN_ROWS;
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
        status = synth_standin(&like, at_most(3 * fifth, standin_rows(workload)), seed,
                               &fold->train, error);
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
            documents_keep_first(fold->test, workload->documents);
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
        documents_keep_first(fold->test, workload->documents);
    return status;
}

/* --- models ----------------------------------------------------------------------------------- */

/* If all documents and features are used, trees do not depend on interruptions, and the first trees
 * of a boosted ensemble are a smaller one. */
static bool is_resumable(const struct workload *workload) {
    return !kind_is_forest(workload->kind) && boosting_of(workload)->share >= 1;
}

bool trained_begins_alike(const struct workload *workload) {
    return is_resumable(workload) && boosting_of(workload)->n_boosted == 0;
}

enum { FILE_NAME_SIZE = ROW_PATH_SIZE + 256 };

/* Writes the name of a model's file, which contains everything that the model depends on, and
 * whether the data is a stand-in or a sample. */
static void name_file(const struct workload *w, const struct matrix *documents,
                      char name[static FILE_NAME_SIZE]) {
    const bool is_forest = kind_is_forest(w->kind), is_shared = is_resumable(w);
    const char *what = !is_forest && documents->origin & ORIGIN_STAND_IN ? "-standin"
                       : documents->origin & ORIGIN_NOT_REAL             ? "-sample"
                                                                         : "";
    snprintf(name, FILE_NAME_SIZE, "%s%s", w->data, what);
    if (strcmp(w->kind, "trained") != 0)
        text_append(name, FILE_NAME_SIZE, "-%s", w->kind);
    if (is_forest)
        text_append(name, FILE_NAME_SIZE, "-depth%" PRIu32, w->depth);
    else
        text_append(name, FILE_NAME_SIZE, "-fold%" PRIu32 "-leaves%" PRIu32, w->trial + 1,
                    w->max_leaves);
    if (!is_shared) /* by all numbers of trees and seeds */
        text_append(name, FILE_NAME_SIZE, "-trees%" PRIu32, w->trees);
    if (!is_forest && w->patience > 0)
        text_append(name, FILE_NAME_SIZE, "-patience%" PRIu32, w->patience);
    if (!is_forest && w->features > 0)
        text_append(name, FILE_NAME_SIZE, "-features%" PRIu32, w->features);
    text_append(name, FILE_NAME_SIZE, "-seed%" PRIu64 ".json", is_shared ? 0 : w->seed);
}

/* Shows that a tree was grown. */
static void show_tree(void *context, bool is_kept) {
    if (is_kept)
        progress_skip(context);
    else
        progress_done(context);
    progress_step(context, "trees");
}

/* Trains. `keep` names a file for the trees grown so far; NULL: none. */
static enum status train(const struct workload *workload, const struct fold *fold, const char *keep,
                         struct ensemble **ensemble, struct error *error) {
    const struct boosting *boosting = boosting_of(workload);
    struct cpu_info cpu;
    struct progress progress;
    cpu_read_info(&cpu);
    progress_begin(&progress, workload->trees);
    progress.patience_ns = PROGRESS_PATIENCE_NS;
    const struct lambdamart_options options = {
        .n_trees = workload->trees,
        .max_leaves = workload->max_leaves,
        .learning_rate = boosting->learning_rate,
        .share = boosting->share,
        .n_pairs = boosting->n_pairs,
        .patience = workload->patience ? workload->patience : workload->trees,
        /* without shares, nothing is drawn */
        .seed =
            boosting->share < 1 ? random_derive(workload->seed, workload->trial) & INT64_MAX : 0,
        .n_threads = boosting->all_cores ? cpu.cores : 1,
        .keep = keep,
        .progress = {show_tree, &progress}};
    struct learner_data data = as_learned(fold->train, workload->data),
                        validation = as_learned(fold->validation, workload->data);
    struct lambdamart_result result;
    enum status status =
        learn_lambdamart(&data, workload->patience ? &validation : NULL, &options, &result, error);
    progress_clear(&progress);
    if (status)
        return status;
    *ensemble = result.ensemble;
    tell_training(*ensemble, fold->train, strncmp(fold->train->note, "a ", 2) ? "a " : "");
    return STATUS_OK;
}

static enum status train_and_keep(const char *directory, const struct workload *workload,
                                  const char *path, bool with_shares, struct trained *trained,
                                  struct error *error) {
    char *folder = NULL, *keep = NULL;
    enum status status = asprintf(&folder, "%s/models", directory) >= 0
                             ? file_make_directories(folder, error)
                             : error_memory(error, "a path");
    if (!status && is_resumable(workload) && asprintf(&keep, "%s.trees", path) < 0)
        status = error_memory(error, "a path");
    if (!status)
        status = kind_is_forest(workload->kind)
                     ? forest_train(workload, &trained->fold, &trained->ensemble,
                                    with_shares ? &trained->shares : NULL, error)
                     : train(workload, &trained->fold, keep, &trained->ensemble, error);
    if (!status)
        status = model_write(trained->ensemble, path, NULL, error);
    free(folder);
    free(keep);
    return status;
}

/* Reads the model's file, if there is one with enough trees. Otherwise *ensemble stays NULL. */
static enum status read_kept(const char *path, const struct workload *workload,
                             struct ensemble **ensemble, struct error *error) {
    if (access(path, R_OK) != 0)
        return STATUS_OK;
    enum status status = model_read(path, ensemble, error);
    if (status || !is_resumable(workload))
        return status;
    if ((*ensemble)->n_trees >= workload->trees) {
        ensemble_keep_first(*ensemble, workload->trees);
    } else {
        ensemble_free(*ensemble);
        *ensemble = NULL;
    }
    return STATUS_OK;
}

/* If the model's file exists, loads the model and the wanted parts of the fold. Otherwise loads all
 * parts of the fold and trains the model. */
static enum status load_or_train(const char *directory, const struct workload *workload,
                                 enum fold_parts wanted, bool with_shares, struct trained *trained,
                                 struct error *error) {
    char *path = NULL, name[FILE_NAME_SIZE];
    enum status status = get_fold(workload, wanted, &trained->fold, error);
    if (!status)
        name_file(workload, trained->fold.test, name);
    if (!status && asprintf(&path, "%s/models/%s", directory, name) < 0)
        status = error_memory(error, "a path");
    if (!status)
        status = read_kept(path, workload, &trained->ensemble, error);
    if (!status && !trained->ensemble && wanted == FOLD_TEST) {
        fold_free(&trained->fold);
        status = load_or_train(directory, workload, FOLD_ALL, with_shares, trained, error);
    } else if (!status && !trained->ensemble) {
        status = train_and_keep(directory, workload, path, with_shares, trained, error);
    }
    free(path);
    return status;
}

/* --- ensembles of several boosted ones -------------------------------------------------------- */

/* The ensembles of a bag. The first one has its fold. */
struct bag {
    struct trained *members;
    uint32_t n_members;
};

static enum status load_members(const char *directory, const struct workload *workload,
                                struct bag *bag, struct error *error) {
    const uint32_t n_boosted = boosting_of(workload)->n_boosted;
    enum status status = STATUS_OK;
    for (uint32_t left = workload->trees; !status && left > 0;) {
        struct workload member = *workload;
        member.trees = left < n_boosted ? left : n_boosted;
        member.seed += bag->n_members;
        struct trained *trained = &bag->members[bag->n_members++];
        status = load_or_train(directory, &member, FOLD_TEST, false, trained, error);
        left = boosting_of(workload)->is_bag ? left - member.trees : 0;
        if (bag->n_members > 1)
            fold_free(&trained->fold);
    }
    return status;
}

static enum status fill_bag(struct bag *bag, uint32_t n_trees, struct ensemble **ensemble,
                            struct error *error) {
    struct trained *first = bag->members;
    if (bag->n_members == 1 && n_trees > first->ensemble->n_trees)
        return synth_copies(first->ensemble, n_trees, ensemble, error);
    if (bag->n_members == 1) {
        *ensemble = first->ensemble;
        first->ensemble = NULL;
        return STATUS_OK;
    }
    const struct ensemble **members = malloc(bag->n_members * sizeof *members);
    if (!members)
        return error_memory(error, "a bag of ensembles");
    for (uint32_t i = 0; i < bag->n_members; i++)
        members[i] = bag->members[i].ensemble;
    enum status status = synth_bag(members, bag->n_members, ensemble, error);
    free(members);
    return status;
}

/* Loads a model that consists of several boosted ones, or of copies of one, and test documents. */
static enum status load_bag(const char *directory, const struct workload *workload,
                            struct ensemble **ensemble, struct matrix **documents,
                            struct error *error) {
    uint32_t most = workload->trees / boosting_of(workload)->n_boosted + 1;
    struct bag bag = {.members = calloc(most, sizeof *bag.members)};
    if (!bag.members)
        return error_memory(error, "a bag of ensembles");
    enum status status = load_members(directory, workload, &bag, error);
    if (!status)
        status = fill_bag(&bag, workload->trees, ensemble, error);
    if (!status) {
        *documents = bag.members->fold.test;
        bag.members->fold.test = NULL;
    }
    for (uint32_t i = 0; i < bag.n_members; i++)
        trained_free(&bag.members[i]);
    free(bag.members);
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
    if (!kind_is_forest(workload->kind) && boosting_of(workload)->n_boosted)
        return load_bag(directory, workload, ensemble, documents, error);
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

enum status trained_load_documents(const struct workload *workload, struct matrix **documents,
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
