#include "dropin/lightgbm/booster.h"

#include "dropin/handles.h"
#include "models/lightgbm/lightgbm.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { RANGES_MAX = 64 };

static struct handles boosters = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- handles ---------------------------------------------------------------------------------- */

enum status booster_put(const void *handle, struct booster *booster, struct error *error) {
    return handles_put(&boosters, handle, booster) ? STATUS_OK : error_memory(error, "a handle");
}

struct booster *booster_get(const void *handle) {
    struct booster *booster = handles_get(&boosters, handle);
    return booster && !atomic_load_explicit(&booster->changed, memory_order_acquire) ? booster
                                                                                     : NULL;
}

struct booster *booster_take(const void *handle) {
    return handles_take(&boosters, handle);
}

/* Without a real library, the call that wanted to change the model fails. */
void booster_drop(const void *handle) {
    struct booster *booster = booster_get(handle);
    if (booster && booster->has_real)
        atomic_store(&booster->changed, true);
}

/* --- ranges of iterations --------------------------------------------------------------------- */

/* Adds trees to a builder. With leaf numbers, these become the values of the leaves. */
static void copy_trees(const struct ensemble *e, uint32_t begin, uint32_t end,
                       const uint32_t *leaf_number, struct ensemble_builder *builder) {
    for (uint32_t t = begin; t < end; t++) {
        ensemble_builder_copy_nodes(builder, e, t);
        for (size_t leaf = e->tree_leaf[t]; leaf < e->tree_leaf[t + 1]; leaf++)
            ensemble_builder_add_leaf(builder,
                                      leaf_number ? (double)leaf_number[leaf] : e->value[leaf],
                                      e->leaf_count ? e->leaf_count[leaf] : ENSEMBLE_NO_COUNT);
    }
}

/* Copies trees. With leaf numbers, each tree becomes an output. */
static enum status cut_trees(const struct ensemble *e, uint32_t begin, uint32_t end,
                             const uint32_t *leaf_number, struct ensemble **cut,
                             struct error *error) {
    struct ensemble_shape shape = ensemble_shape_of(e);
    if (leaf_number) {
        shape.base = NULL;
        shape.n_outputs = end - begin;
    }
    struct ensemble_builder *builder = ensemble_builder_create();
    if (!builder)
        return error_memory(error, "a model");
    copy_trees(e, begin, end, leaf_number, builder);
    enum status status = ensemble_builder_finish(builder, &shape, cut, error);
    for (uint32_t t = 0; !status && leaf_number && t < end - begin; t++)
        (*cut)->tree_output[t] = t;
    return status;
}

static enum status build_scoring(const struct booster *booster, struct range *range,
                                 struct error *error) {
    const struct ensemble *e = booster->ensemble;
    uint32_t per = e->n_outputs, begin = (uint32_t)range->first * per;
    uint32_t end = begin + (uint32_t)range->count * per;
    if (begin == 0 && end == e->n_trees && !range->leaves)
        return scoring_create(e, booster->placing, "auto", &range->scoring, error);
    struct ensemble *cut = NULL;
    enum status status =
        cut_trees(e, begin, end, range->leaves ? booster->leaf_number : NULL, &cut, error);
    if (!status)
        status = scoring_create(cut, booster->placing, "auto", &range->scoring, error);
    ensemble_free(cut);
    return status;
}

static struct range *find_range(const struct booster *booster, int first, int count, bool leaves,
                                size_t *n_ranges) {
    struct range *range = atomic_load_explicit(&booster->ranges, memory_order_acquire);
    for (; range; range = range->next, ++*n_ranges)
        if (range->first == first && range->count == count && range->leaves == leaves)
            return range;
    return NULL;
}

/* The caller holds the lock. */
static struct range *add_range(struct booster *booster, int first, int count, bool leaves,
                               struct error *error) {
    struct range *range = calloc(1, sizeof *range);
    if (!range) {
        error_memory(error, "a range of iterations");
        return NULL;
    }
    uint32_t per = booster->ensemble->n_outputs;
    *range = (struct range){.first = first,
                            .count = count,
                            .leaves = leaves,
                            .n_outputs = leaves ? (uint32_t)count * per : per};
    if (count > 0 && build_scoring(booster, range, error)) {
        free(range);
        return NULL;
    }
    range->next = atomic_load(&booster->ranges);
    atomic_store_explicit(&booster->ranges, range, memory_order_release);
    return range;
}

void booster_clip(const struct booster *booster, int *start, int *number) {
    if (*start < 0)
        *start = 0;
    if (*start > booster->n_iterations)
        *start = booster->n_iterations;
    int left = booster->n_iterations - *start;
    if (*number <= 0 || *number > left)
        *number = left;
}

const struct range *booster_range(struct booster *booster, int first, int count, bool leaves,
                                  struct error *error) {
    size_t n_ranges = 0;
    struct range *range = find_range(booster, first, count, leaves, &n_ranges);
    if (range)
        return range;
    pthread_mutex_lock(&booster->lock);
    n_ranges = 0;
    range = find_range(booster, first, count, leaves, &n_ranges);
    if (!range && n_ranges < RANGES_MAX)
        range = add_range(booster, first, count, leaves, error);
    else if (!range)
        error_set(error, STATUS_UNSUPPORTED,
                  "treebench serves at most %d ranges of iterations of a model", RANGES_MAX);
    pthread_mutex_unlock(&booster->lock);
    return range;
}

/* --- models ----------------------------------------------------------------------------------- */

static enum status number_leaves(const char *name, const char *text, size_t size,
                                 struct booster *booster, struct error *error) {
    struct ensemble *numbers = NULL;
    enum status status =
        lightgbm_read_leaves(name, text, size, LIGHTGBM_LEAF_NUMBERS, &numbers, error);
    if (status)
        return status;
    booster->leaf_number = malloc(numbers->n_leaves * sizeof *booster->leaf_number);
    for (size_t leaf = 0; booster->leaf_number && leaf < numbers->n_leaves; leaf++)
        booster->leaf_number[leaf] = (uint32_t)numbers->value[leaf];
    ensemble_free(numbers);
    return booster->leaf_number ? STATUS_OK : error_memory(error, "the leaves of a model");
}

static enum status read_model(const char *name, const char *text, size_t size,
                              struct booster *booster, struct error *error) {
    struct lightgbm_header header;
    enum status status = lightgbm_read_header(name, text, size, &header, error);
    if (!status)
        status =
            lightgbm_read_leaves(name, text, size, LIGHTGBM_LEAF_SUMS, &booster->ensemble, error);
    if (status)
        return status;
    const struct ensemble *e = booster->ensemble;
    if (header.n_classes != e->n_outputs)
        return error_set(error, STATUS_UNSUPPORTED, "%s: %u classes, but %u trees per iteration",
                         name, header.n_classes, e->n_outputs);
    booster->averages = header.averages;
    booster->n_iterations = (int)(e->n_trees / e->n_outputs);
    struct error reason;
    status = objective_read(e->objective, e->n_outputs, &booster->objective, &reason);
    if (status)
        return error_set(error, status, "%s: %s", name, reason.text);
    return number_leaves(name, text, size, booster, error);
}

enum status booster_create(const char *name, const char *text, size_t size,
                           struct booster **booster, struct error *error) {
    struct booster *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error, "a model");
    pthread_mutex_init(&made->lock, NULL);
    enum status status = read_model(name, text, size, made, error);
    if (!status)
        status = placing_create(made->ensemble, &made->placing, error);
    if (!status && !booster_range(made, 0, made->n_iterations, false, error))
        status = STATUS_UNSUPPORTED;
    if (status)
        booster_free(made);
    else
        *booster = made;
    return status;
}

void booster_free(struct booster *booster) {
    if (!booster)
        return;
    for (struct range *range = booster->ranges, *next; range; range = next) {
        next = range->next;
        scoring_free(range->scoring);
        free(range);
    }
    ensemble_free(booster->ensemble);
    placing_free(booster->placing);
    free(booster->leaf_number);
    pthread_mutex_destroy(&booster->lock);
    free(booster);
}
