#include "harness/measure/workload.h"

#include "base/origin.h"
#include "base/random.h"
#include "datasets/catalogue.h"
#include "harness/measure/trained.h"
#include "harness/rows/point.h"
#include "synth/grown.h"
#include "synth/synth.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* Loads the documents of a fold. After the last fold, trials start over at the first. */
static enum status load_documents(const struct workload *w, struct workload_inputs *made,
                                  struct error *error) {
    const struct data_set *set;
    struct workload of_fold = *w;
    enum status status = data_set_find(w->data, &set, error);
    if (status)
        return status;
    of_fold.trial = w->trial % set->folds;
    of_fold.documents = loaded_documents(w);
    return trained_load_documents(&of_fold, &made->documents, error);
}

/* Makes documents of independent random features, for trees that are grown on no data set. */
static enum status make_documents(const struct workload *w, struct workload_inputs *made,
                                  struct error *error) {
    struct workload of_stump = *w;
    of_stump.depth = of_stump.trees = 1;
    of_stump.documents = loaded_documents(w);
    enum status status = make_synthetic(&of_stump, made, error);
    ensemble_free(made->ensemble);
    made->ensemble = NULL;
    return status;
}

/* Grows trees on documents. */
static enum status make_grown(const struct workload *w, struct workload_inputs *made,
                              struct error *error) {
    struct grown_shape shape = {.n_trees = w->trees, .max_leaves = w->max_leaves};
    enum status status =
        w->data[0] ? load_documents(w, made, error) : make_documents(w, made, error);
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
    documents_keep_first(inputs->documents, workload->documents);
}

/* Returns true if a smaller model consists of the first trees of a larger one. */
static bool begins_alike(const struct workload *workload) {
    return strcmp(workload->kind, "grown") == 0 ||
           (kind_is_trained(workload->kind) && trained_begins_alike(workload));
}

/* Returns true if these inputs can be used for this workload too. */
static bool can_keep(const struct workload_inputs *inputs, const struct workload *workload) {
    return inputs->ensemble && workload_same_except_trees(&inputs->workload, workload) &&
           (inputs->workload.trees == workload->trees ||
            (inputs->workload.trees > workload->trees && begins_alike(workload)));
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
    if (kind_is_trained(workload->kind) || kind_is_forest(workload->kind))
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
