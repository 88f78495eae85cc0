/* The library's interface, over the rooms below it. */
#include "library/treebench.h"

#include "base/float_mode.h"
#include "library/sharing.h"
#include "library/wrap.h"
#include "models/categories.h"
#include "models/format.h"
#include "models/placing.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)TB_INPUT == (int)STATUS_INPUT && (int)TB_UNSUPPORTED == STATUS_UNSUPPORTED &&
                   (int)TB_MACHINE == STATUS_MACHINE && (int)TB_MEMORY == STATUS_MEMORY &&
                   (int)TB_IO == STATUS_IO,
               "a status is handed on as it is");
_Static_assert(sizeof(struct tb_error) == sizeof(struct error), "and so is the text of an error");

/* The most memory for a block of documents that are placed before they are scored. */
enum { PLACED_BYTES = 4 << 20 };

/* The placing of a model. The model and its scorers own it together, because the model may be freed
 * before its scorers. */
struct shared_placing {
    atomic_size_t owners;
    struct placing *placing; /* NULL if the model compares float32 */
};

struct tb_model {
    struct ensemble *ensemble;
    struct shared_placing *placing;
    const char **feature_names; /* [n_features]; NULL if the model has no names */
};

struct tb_scorer {
    struct scorer *scorer;
    struct shared_placing *placing;
    double base[]; /* [n_outputs] */
};

/* Points at the one context that uses the pool, so that freeing either detaches both. */
struct tb_pool {
    struct pool *threads;
    struct tb_context *context; /* NULL: none */
};

struct tb_context {
    const struct tb_scorer *scorer;
    struct tb_pool *pool;    /* NULL: none */
    struct sharing *sharing; /* NULL without a pool */
    size_t block;
    void *workspace;
    float *placed; /* [placed_block * n_features] */
    size_t placed_block;
};

/* Reports that a required argument is NULL. */
static enum tb_status refuse_null(const char *what, struct tb_error *error) {
    struct error inner;
    error_set(&inner, STATUS_INPUT, "%s is NULL", what);
    if (error)
        memcpy(error->text, inner.text, sizeof error->text);
    return TB_INPUT;
}

/* Converts a status and its error to those of the public header. */
static enum tb_status told(enum status status, const struct error *from, struct tb_error *to) {
    if (status && to)
        memcpy(to->text, from->text, sizeof to->text);
    return (enum tb_status)status;
}

const char *tb_version(void) {
    return TB_VERSION;
}

/* --- placing ---------------------------------------------------------------------------------- */

static struct shared_placing *share_placing(struct shared_placing *shared) {
    atomic_fetch_add(&shared->owners, 1);
    return shared;
}

static void drop_placing(struct shared_placing *shared) {
    if (!shared || atomic_fetch_sub(&shared->owners, 1) > 1)
        return;
    placing_free(shared->placing);
    free(shared);
}

/* --- models ----------------------------------------------------------------------------------- */

static const char **index_names(const struct ensemble *ensemble) {
    const char **names = malloc(ensemble->n_features * sizeof *names);
    const char *name = ensemble->feature_names;
    for (uint32_t f = 0; names && f < ensemble->n_features; f++) {
        names[f] = name;
        name += strlen(name) + 1;
    }
    return names;
}

static enum status make_placing(struct tb_model *model, struct error *error) {
    model->placing = calloc(1, sizeof *model->placing);
    if (!model->placing)
        return error_memory(error, "a model");
    atomic_init(&model->placing->owners, 1);
    return placing_create(model->ensemble, &model->placing->placing, error);
}

static enum status open_model(const char *path, struct tb_model *model, struct error *error) {
    uint64_t mode = float_mode_begin();
    enum status status = model_read(path, &model->ensemble, error);
    float_mode_end(mode);
    struct error reason;
    if (!status && (status = ensemble_check_computed(model->ensemble, &reason)))
        return error_set(error, status, "%s: %s", path, reason.text);
    if (!status)
        status = make_placing(model, error);
    if (status || !model->ensemble->feature_names)
        return status;
    model->feature_names = index_names(model->ensemble);
    return model->feature_names ? STATUS_OK : error_memory(error, "the names of features");
}

enum tb_status tb_model_open(const char *path, struct tb_model **model, struct tb_error *error) {
    if (!path || !model)
        return refuse_null(path ? "the place for the model" : "the path of the model", error);
    struct error inner;
    struct tb_model *new = calloc(1, sizeof *new);
    enum status status = new ? open_model(path, new, &inner) : error_memory(&inner, "a model");
    if (status)
        tb_model_free(new);
    else
        *model = new;
    return told(status, &inner, error);
}

void tb_model_free(struct tb_model *model) {
    if (!model)
        return;
    ensemble_free(model->ensemble);
    drop_placing(model->placing);
    free(model->feature_names);
    free(model);
}

size_t tb_model_trees(const struct tb_model *model) {
    return model ? model->ensemble->n_trees : 0;
}

size_t tb_model_features(const struct tb_model *model) {
    return model ? model->ensemble->n_features : 0;
}

size_t tb_model_outputs(const struct tb_model *model) {
    return model ? model->ensemble->n_outputs : 0;
}

const char *tb_model_feature_name(const struct tb_model *model, size_t feature) {
    if (!model || !model->feature_names || feature >= model->ensemble->n_features)
        return NULL;
    return model->feature_names[feature];
}

double tb_model_category(const struct tb_model *model, size_t feature, const char *text) {
    if (!model || !text || feature >= model->ensemble->n_features ||
        categories_count(model->ensemble->categories, (uint32_t)feature) == 0)
        return (double)NAN;
    uint32_t code =
        categories_find(model->ensemble->categories, (uint32_t)feature, text, strlen(text));
    return code == CATEGORIES_UNKNOWN ? (double)NAN : (double)code;
}

/* --- implementations -------------------------------------------------------------------------- */

/* Returns the implementation with this index among those with exact scores; NULL if there are
 * fewer. */
static const struct impl *traversal(size_t number) {
    size_t count;
    const struct impl *const *all = impl_all(&count);
    for (size_t i = 0; i < count; i++)
        if (all[i]->kind == IMPL_TRAVERSAL && number-- == 0)
            return all[i];
    return NULL;
}

size_t tb_impl_count(void) {
    size_t count = 0;
    while (traversal(count))
        count++;
    return count;
}

const char *tb_impl_name(size_t number) {
    const struct impl *impl = traversal(number);
    return impl ? impl->name : NULL;
}

const char *tb_impl_title(size_t number) {
    const struct impl *impl = traversal(number);
    return impl ? impl->title : NULL;
}

bool tb_impl_runs_here(size_t number) {
    const struct impl *impl = traversal(number);
    return impl && impl_runs_here(impl);
}

/* --- scorers ---------------------------------------------------------------------------------- */

static enum status build(const struct ensemble *ensemble, const char *impl, struct scorer **scorer,
                         struct error *error) {
    enum status status = scorer_build(impl, ensemble, scorer, error);
    bool is_exact = !status && (*scorer)->impl->kind == IMPL_TRAVERSAL;
    if (!status && (!is_exact || (*scorer)->values != VALUES_FLOAT)) {
        status = error_set(error, STATUS_INPUT, "%s: only for measuring; %s", impl,
                           is_exact ? "documents of libtreebench are floats"
                                    : "its scores are not exact");
        scorer_destroy(*scorer);
    }
    return status;
}

/* Returns a scorer that only has the base scores; NULL if memory runs out. */
static struct tb_scorer *create_scorer(const struct ensemble *ensemble, struct error *error) {
    size_t base_bytes = ensemble->n_outputs * sizeof *ensemble->base;
    struct tb_scorer *new = malloc(sizeof *new + base_bytes);
    if (!new) {
        error_memory(error, "a scorer");
        return NULL;
    }
    *new = (struct tb_scorer){.scorer = NULL};
    memcpy(new->base, ensemble->base, base_bytes);
    return new;
}

enum tb_status tb_scorer_build(const struct tb_model *model, const char *impl,
                               struct tb_scorer **scorer, struct tb_error *error) {
    if (!model || !scorer)
        return refuse_null(model ? "the place for the scorer" : "the model", error);
    const struct ensemble *ensemble = model->ensemble;
    struct error inner;
    struct tb_scorer *new = create_scorer(ensemble, &inner);
    enum status status =
        new ? build(ensemble, impl ? impl : "auto", &new->scorer, &inner) : STATUS_MEMORY;
    if (status) {
        free(new);
    } else {
        new->placing = share_placing(model->placing);
        *scorer = new;
    }
    return told(status, &inner, error);
}

void tb_scorer_free(struct tb_scorer *scorer) {
    if (!scorer)
        return;
    scorer_destroy(scorer->scorer);
    drop_placing(scorer->placing);
    free(scorer);
}

enum status library_wrap(const struct ensemble *ensemble, struct scorer *scorer,
                         struct tb_scorer **wrapped, struct error *error) {
    struct shared_placing *placing = calloc(1, sizeof *placing);
    struct tb_scorer *new = placing ? create_scorer(ensemble, error) : NULL;
    if (!new) {
        free(placing);
        return error_memory(error, "a scorer");
    }
    atomic_init(&placing->owners, 1);
    new->placing = placing;
    new->scorer = scorer;
    *wrapped = new;
    return STATUS_OK;
}

void library_unwrap(struct tb_scorer *wrapped) {
    if (wrapped)
        drop_placing(wrapped->placing);
    free(wrapped);
}

const char *tb_scorer_impl(const struct tb_scorer *scorer) {
    return scorer ? scorer->scorer->impl->name : NULL;
}

const char *tb_scorer_note(const struct tb_scorer *scorer) {
    return scorer ? scorer->scorer->note : NULL;
}

size_t tb_scorer_features(const struct tb_scorer *scorer) {
    return scorer ? scorer->scorer->n_features : 0;
}

size_t tb_scorer_outputs(const struct tb_scorer *scorer) {
    return scorer ? scorer->scorer->n_outputs : 0;
}

/* --- pools ------------------------------------------------------------------------------------ */

enum { USUAL_SPIN_US = 1000 };

enum tb_status tb_pool_create(size_t n_threads, const int *processors, unsigned spin_us,
                              struct tb_pool **pool, struct tb_error *error) {
    if (!pool)
        return refuse_null("the place for the pool", error);
    struct error inner;
    struct tb_pool *new = calloc(1, sizeof *new);
    uint64_t spin_ns = (uint64_t)(spin_us ? spin_us : USUAL_SPIN_US) * 1000;
    enum status status = new ? pool_create(n_threads, processors, spin_ns, &new->threads, &inner)
                             : error_memory(&inner, "a pool");
    if (status)
        free(new);
    else
        *pool = new;
    return told(status, &inner, error);
}

static void detach(struct tb_context *context) {
    sharing_free(context->sharing);
    context->sharing = NULL;
    if (context->pool)
        context->pool->context = NULL;
    context->pool = NULL;
}

void tb_pool_free(struct tb_pool *pool) {
    if (!pool)
        return;
    if (pool->context)
        detach(pool->context);
    pool_free(pool->threads);
    free(pool);
}

size_t tb_pool_threads(const struct tb_pool *pool) {
    return pool ? pool_threads(pool->threads) : 0;
}

enum tb_status tb_context_use_pool(struct tb_context *context, struct tb_pool *pool,
                                   struct tb_error *error) {
    if (!context)
        return refuse_null("the context", error);
    struct error inner;
    struct sharing *sharing = NULL;
    if (pool && pool->context && pool->context != context)
        return told(error_set(&inner, STATUS_INPUT,
                              "the pool belongs to another context. Take it from that one first, "
                              "or create another pool"),
                    &inner, error);
    enum status status =
        pool ? sharing_create(context->scorer->scorer, pool->threads, &sharing, &inner) : STATUS_OK;
    if (status)
        return told(status, &inner, error);
    detach(context);
    context->sharing = sharing;
    context->pool = pool;
    if (pool)
        pool->context = context;
    return TB_OK;
}

size_t tb_context_threads(const struct tb_context *context, size_t n_rows) {
    if (!context)
        return 0;
    return context->sharing ? sharing_threads(context->sharing, n_rows) : 1;
}

/* --- scoring ---------------------------------------------------------------------------------- */

enum tb_status tb_context_create(const struct tb_scorer *scorer, struct tb_context **context,
                                 struct tb_error *error) {
    if (!scorer || !context)
        return refuse_null(scorer ? "the place for the context" : "the scorer", error);
    struct error inner;
    size_t block = order_usual_block(scorer->scorer), n_features = scorer->scorer->n_features;
    size_t fitting = PLACED_BYTES / (n_features * sizeof(float)) + 1;
    size_t placed_block = fitting < block ? fitting : block;
    struct tb_context *new = calloc(1, sizeof *new);
    if (new) {
        new->scorer = scorer;
        new->block = block;
        new->placed_block = placed_block;
        new->workspace = scorer_workspace(scorer->scorer);
        new->placed = malloc(placed_block * n_features * sizeof *new->placed);
    }
    if (!new || !new->workspace || !new->placed) {
        tb_context_free(new);
        return told(error_memory(&inner, "a context"), &inner, error);
    }
    *context = new;
    return TB_OK;
}

void tb_context_free(struct tb_context *context) {
    if (!context)
        return;
    detach(context);
    free(context->workspace);
    free(context->placed);
    free(context);
}

static enum status check_rows(const struct scorer *scorer, size_t n_features, size_t stride,
                              bool missing, struct error *error) {
    if (missing)
        return error_set(error, STATUS_INPUT, "rows or scores are NULL for some documents");
    if (n_features < scorer->n_features)
        return error_set(error, STATUS_INPUT, "documents have %zu features; the model needs %u",
                         n_features, scorer->n_features);
    if (stride < n_features)
        return error_set(error, STATUS_INPUT,
                         "a stride of %zu is less than the %zu features of a document", stride,
                         n_features);
    return STATUS_OK;
}

static void start_from_base(const struct tb_scorer *scorer, struct span docs, double *scores) {
    size_t n_outputs = scorer->scorer->n_outputs;
    for (size_t doc = docs.begin; doc < docs.end; doc++)
        memcpy(scores + doc * n_outputs, scorer->base, n_outputs * sizeof *scores);
}

/* The caller's documents, either as floats or as doubles. */
struct rows {
    const float *floats;
    const double *doubles;
    size_t stride;
};

/* Converts the documents of a block to the model's float32. */
static void place_rows(const struct tb_context *context, const struct rows *rows,
                       struct span docs) {
    const struct placing *placing = context->scorer->placing->placing;
    uint32_t n_features = context->scorer->scorer->n_features;
    float *placed = context->placed;
    for (size_t doc = docs.begin; doc < docs.end; doc++) {
        size_t begin = doc * rows->stride;
        if (rows->doubles)
            placing_place_row(placing, rows->doubles + begin, n_features, placed);
        for (uint32_t f = 0; !rows->doubles && f < n_features; f++)
            placed[f] = placing_place(placing, f, (double)rows->floats[begin + f]);
        placed += n_features;
    }
}

static void score_block(const struct tb_context *context, struct span docs,
                        const struct batch *batch) {
    const struct scorer *scorer = context->scorer->scorer;
    if (!context->sharing || !sharing_score(context->sharing, docs, batch))
        scorer->impl->score(scorer, (struct span){0, scorer->n_units}, docs, batch);
}

static void score_rows(const struct tb_context *context, const struct rows *rows, size_t n_rows,
                       double *scores) {
    const struct scorer *scorer = context->scorer->scorer;
    const bool place = rows->doubles || placing_count_coded(context->scorer->placing->placing) > 0;
    const size_t block = place ? context->placed_block : context->block;
    for (struct span docs = {0, 0}; docs.begin < n_rows; docs.begin = docs.end) {
        size_t left = n_rows - docs.begin;
        docs.end = docs.begin + (left < block ? left : block);
        start_from_base(context->scorer, docs, scores);
        struct batch batch = {rows->floats, rows->stride, scores, context->workspace};
        struct span here = docs;
        if (place) {
            place_rows(context, rows, docs);
            batch.x = context->placed;
            batch.stride = scorer->n_features;
            batch.scores = scores + docs.begin * scorer->n_outputs;
            here = (struct span){0, docs.end - docs.begin};
        }
        score_block(context, here, &batch);
    }
}

static enum tb_status score_checked(const struct tb_context *context, const struct rows *rows,
                                    size_t n_rows, size_t n_features, double *scores,
                                    struct tb_error *error) {
    if (!context)
        return refuse_null("the context", error);
    struct error inner;
    bool missing = n_rows && (!(rows->floats || rows->doubles) || !scores);
    enum status status =
        check_rows(context->scorer->scorer, n_features, rows->stride, missing, &inner);
    if (status)
        return told(status, &inner, error);
    uint64_t mode = float_mode_begin();
    score_rows(context, rows, n_rows, scores);
    float_mode_end(mode);
    return TB_OK;
}

enum tb_status tb_score(struct tb_context *context, const float *rows, size_t n_rows,
                        size_t n_features, size_t stride, double *scores, struct tb_error *error) {
    return score_checked(context, &(struct rows){.floats = rows, .stride = stride}, n_rows,
                         n_features, scores, error);
}

enum tb_status tb_score_doubles(struct tb_context *context, const double *rows, size_t n_rows,
                                size_t n_features, size_t stride, double *scores,
                                struct tb_error *error) {
    return score_checked(context, &(struct rows){.doubles = rows, .stride = stride}, n_rows,
                         n_features, scores, error);
}
