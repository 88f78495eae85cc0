#include "library/sharing.h"

#include "base/memory.h"
#include "impls/auto/auto_cost.h"

#include <stdlib.h>
#include <string.h>

/* A scorer that is shared out. */
struct spread_part {
    const struct scorer *scorer;
    struct spread spread;
};

/* The memory of a helper. Values are computed in `values`, which nobody else reads, and then copied
 * to `handed`, which the caller reads. Then only these stores move lines between cores. */
struct helper_memory {
    void *workspace;
    double *values; /* [SHARING_DOCS * n_trees] */
    double
        *handed; /* the same size: the values of the helper's trees, one document after another */
};

/* What a helper does in calls of a number of documents. Nothing is written to it during a call, so
 * that it stays in the helper's cache. */
struct helper_part {
    const struct scorer *scorer;
    struct span units, trees;
    struct helper_memory *memory;
};

/* How calls of a number of documents are shared out. */
struct shared_call {
    const struct spread_part *part;
    struct shares shares;
    struct helper_part *helpers; /* [shares.threads - 1] */
};

struct sharing {
    struct pool *pool;
    struct shared_call calls[SHARING_DOCS + 1]; /* by number of documents; [0] is unused */
    size_t n_parts;
    struct spread_part parts[SHARING_DOCS];
    struct helper_memory *memories; /* [pool_threads(pool) - 1] */
};

/* --- shares ----------------------------------------------------------------------------------- */

static struct shares alone(size_t n_units) {
    return (struct shares){1, n_units};
}

/* What a call of some documents costs, in ns. */
struct unit_costs {
    double fixed, unit;
    double addition; /* of the values of a unit of a helper */
};

/* The time of a call: that of the slower of the caller and a helper, and then the additions of the
 * helpers' values, which wait for each other. */
static double predict(const struct unit_costs *costs, struct shares shares, size_t n_units) {
    size_t rest = n_units - shares.own, helpers = shares.threads - 1;
    double most = (double)((rest + helpers - 1) / helpers);
    double own_ns = (double)shares.own * costs->unit;
    double helper_ns = most * costs->unit + 2 * AUTO_HAND_OVER_NS;
    return costs->fixed + (own_ns > helper_ns ? own_ns : helper_ns) +
           costs->addition * (double)rest;
}

/* The units of the caller with which it and the helpers take about equally long. */
static size_t balance(const struct unit_costs *costs, size_t n_units, size_t threads) {
    double helper = ((double)n_units - 2 * AUTO_HAND_OVER_NS / costs->unit) / (double)threads;
    double rest = helper > 0 ? helper * (double)(threads - 1) : 0;
    return (size_t)((double)n_units - rest);
}

struct shares sharing_choose(const struct call_cost *cost, size_t n_units, double trees,
                             size_t n_docs, size_t threads) {
    size_t most = threads < n_units ? threads : n_units;
    if (!cost || most < 2)
        return most < 2 ? alone(n_units) : (struct shares){most, (n_units + most - 1) / most};
    const struct unit_costs costs = {cost->fixed_ns, (cost->ns - cost->fixed_ns) / (double)n_units,
                                     AUTO_ADD_NS * trees * (double)n_docs};
    struct shares best = alone(n_units);
    double least = cost->ns;
    for (size_t n = 2; n <= most; n++) {
        size_t own = balance(&costs, n_units, n);
        for (size_t i = own; i <= own + 1; i++) {
            struct shares shares = {n, i};
            if (i < 1 || i + n - 1 > n_units)
                continue;
            double ns = predict(&costs, shares, n_units);
            if (ns < least) {
                least = ns;
                best = shares;
            }
        }
    }
    return best;
}

/* --- scoring ---------------------------------------------------------------------------------- */

/* Fetches lines from another core's cache, to write to them. Otherwise stores would wait for one
 * line after the other. */
static void fetch_lines(const double *values, size_t n) {
    for (size_t i = 0; i < n; i += MEMORY_ALIGNMENT / sizeof *values) {
#if defined __x86_64__
        __asm__ volatile("prefetchw %0" : : "m"(values[i])); /* compilers fetch lines to read */
#else
        __builtin_prefetch(values + i, 1);
#endif
    }
}

static size_t count_trees(const struct helper_part *part) {
    return part->trees.end - part->trees.begin;
}

/* Adding a value to -0.0 gives the value, even if it is -0.0. */
static void clear(double *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        values[i] = -0.0;
}

static void run_part(const struct pool_job *job) {
    const struct helper_part *part = job->part;
    const struct helper_memory *memory = part->memory;
    const struct batch batch = {job->x, job->stride, memory->values, memory->workspace};
    size_t n_trees = count_trees(part), all_trees = part->scorer->n_outputs;
    double *values = memory->values + part->trees.begin;
    fetch_lines(memory->handed, job->n_docs * n_trees);
    for (size_t doc = 0; doc < job->n_docs; doc++)
        clear(values + doc * all_trees, n_trees);
    part->scorer->impl->score(part->scorer, part->units, (struct span){0, job->n_docs}, &batch);
    for (size_t doc = 0; doc < job->n_docs; doc++)
        memcpy(memory->handed + doc * n_trees, values + doc * all_trees, n_trees * sizeof *values);
}

/* Adds the values of some trees to the scores of a document. */
static void add_values(const struct scorer *scorer, const uint32_t *output, const double *values,
                       size_t n_trees, double *scores) {
    if (scorer->n_outputs > 1) {
        for (size_t tree = 0; tree < n_trees; tree++) {
            if (scorer->votes)
                scores[(size_t)values[tree]] += 1;
            else
                scores[output[tree]] += values[tree];
        }
        return;
    }
    double sum = *scores;
    for (size_t tree = 0; tree < n_trees; tree++)
        sum += values[tree];
    *scores = sum;
}

static const struct shared_call *find_call(const struct sharing *sharing, size_t n_docs) {
    const struct shared_call *call = n_docs <= SHARING_DOCS ? &sharing->calls[n_docs] : NULL;
    return call && call->shares.threads > 1 ? call : NULL;
}

size_t sharing_threads(const struct sharing *sharing, size_t n_docs) {
    const struct shared_call *call = find_call(sharing, n_docs);
    return call ? call->shares.threads : 1;
}

static void give_all(const struct sharing *sharing, const struct shared_call *call,
                     struct span docs, const struct batch *batch) {
    const float *x = batch->x + docs.begin * batch->stride;
    for (size_t i = 0; i + 1 < call->shares.threads; i++) {
        const struct pool_job job = {run_part, &call->helpers[i], x, batch->stride,
                                     docs.end - docs.begin};
        pool_give(sharing->pool, i, &job);
    }
}

bool sharing_score(const struct sharing *sharing, struct span docs, const struct batch *batch) {
    const struct shared_call *call = find_call(sharing, docs.end - docs.begin);
    if (!call || !pool_is_awake(sharing->pool, call->shares.threads - 1))
        return false;
    const struct scorer *scorer = call->part->scorer;
    give_all(sharing, call, docs, batch);
    scorer->impl->score(scorer, (struct span){0, call->shares.own}, docs, batch);
    for (size_t i = 0; i + 1 < call->shares.threads; i++) {
        const struct helper_part *part = &call->helpers[i];
        size_t n_trees = count_trees(part);
        pool_wait(sharing->pool, i);
        for (size_t doc = docs.begin; doc < docs.end; doc++)
            add_values(scorer, call->part->spread.output + part->trees.begin,
                       part->memory->handed + (doc - docs.begin) * n_trees, n_trees,
                       batch->scores + doc * scorer->n_outputs);
    }
    return true;
}

/* --- creating --------------------------------------------------------------------------------- */

/* Finds the part of a scorer, or makes it. NULL, with *status set if memory ran out: the scorer
 * cannot be shared out. */
static const struct spread_part *find_part(struct sharing *sharing, const struct scorer *scorer,
                                           enum status *status, struct error *error) {
    for (size_t i = 0; i < sharing->n_parts; i++)
        if (sharing->parts[i].scorer == scorer)
            return &sharing->parts[i];
    if (!scorer->impl->spread)
        return NULL;
    struct spread_part *part = &sharing->parts[sharing->n_parts];
    part->scorer = scorer;
    *status = scorer->impl->spread(scorer, &part->spread, error);
    if (*status)
        return NULL;
    sharing->n_parts++;
    return part;
}

static enum status plan_call(const struct scorer *scorer, size_t n_docs, struct sharing *sharing,
                             struct error *error) {
    struct call_cost cost = {0};
    bool chooses = scorer->impl->choose;
    const struct scorer *chosen = chooses ? scorer->impl->choose(scorer, n_docs, &cost) : scorer;
    enum status status = STATUS_OK;
    const struct spread_part *part = chosen ? find_part(sharing, chosen, &status, error) : NULL;
    if (!part)
        return status;
    size_t threads = pool_threads(sharing->pool);
    struct shared_call *call = &sharing->calls[n_docs];
    call->part = part;
    call->shares = sharing_choose(chooses ? &cost : NULL, chosen->n_units,
                                  (double)part->spread.unit_trees, n_docs, threads);
    return STATUS_OK;
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static bool allocate_memory(struct helper_memory *memory, size_t workspace, size_t n_trees) {
    memory->workspace = memory_aligned_alloc(workspace);
    memory->values = memory_aligned_alloc(SHARING_DOCS * n_trees * sizeof *memory->values);
    memory->handed = memory_aligned_alloc(SHARING_DOCS * n_trees * sizeof *memory->handed);
    return memory->workspace && memory->values && memory->handed;
}

static enum status allocate(struct sharing *sharing, struct error *error) {
    size_t n_helpers = pool_threads(sharing->pool) - 1, n_trees = 0, workspace = 0;
    for (size_t i = 0; i < sharing->n_parts; i++) {
        const struct scorer *spread = sharing->parts[i].spread.scorer;
        n_trees = larger(n_trees, spread->n_outputs);
        workspace = larger(workspace, spread->workspace);
    }
    sharing->memories = calloc(n_helpers + 1, sizeof *sharing->memories);
    bool has_memory = sharing->memories;
    for (size_t i = 0; has_memory && i < n_helpers; i++)
        has_memory = allocate_memory(&sharing->memories[i], workspace, n_trees);
    return has_memory ? STATUS_OK : error_memory(error, "what threads of a pool share");
}

static struct span trees_of(const struct spread *spread, struct span units) {
    size_t n_trees = spread->scorer->n_outputs, end = units.end * spread->unit_trees;
    return (struct span){units.begin * spread->unit_trees, end < n_trees ? end : n_trees};
}

/* Gives each helper its units. */
static enum status share_out(struct sharing *sharing, struct shared_call *call,
                             struct error *error) {
    const struct spread_part *part = call->part;
    size_t n_helpers = part ? call->shares.threads - 1 : 0, unit = call->shares.own;
    if (n_helpers == 0)
        return STATUS_OK;
    call->helpers = calloc(n_helpers, sizeof *call->helpers);
    if (!call->helpers)
        return error_memory(error, "what threads of a pool share");
    for (size_t i = 0; i < n_helpers; i++) {
        size_t left = n_helpers - i, end = unit + (part->scorer->n_units - unit + left - 1) / left;
        struct span units = {unit, end};
        call->helpers[i] = (struct helper_part){
            part->spread.scorer, units, trees_of(&part->spread, units), &sharing->memories[i]};
        unit = end;
    }
    return STATUS_OK;
}

enum status sharing_create(const struct scorer *scorer, struct pool *pool, struct sharing **sharing,
                           struct error *error) {
    struct sharing *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error, "what threads of a pool share");
    made->pool = pool;
    enum status status = STATUS_OK;
    for (size_t n_docs = 1; n_docs <= SHARING_DOCS && !status; n_docs++)
        status = plan_call(scorer, n_docs, made, error);
    if (!status)
        status = allocate(made, error);
    for (size_t n_docs = 1; n_docs <= SHARING_DOCS && !status; n_docs++)
        status = share_out(made, &made->calls[n_docs], error);
    if (status)
        sharing_free(made);
    else
        *sharing = made;
    return status;
}

void sharing_free(struct sharing *sharing) {
    if (!sharing)
        return;
    for (size_t i = 0; sharing->memories && i + 1 < pool_threads(sharing->pool); i++) {
        free(sharing->memories[i].workspace);
        free(sharing->memories[i].values);
        free(sharing->memories[i].handed);
    }
    for (size_t i = 0; i < sharing->n_parts; i++)
        free(sharing->parts[i].spread.scorer);
    for (size_t n_docs = 1; n_docs <= SHARING_DOCS; n_docs++)
        free(sharing->calls[n_docs].helpers);
    free(sharing->memories);
    free(sharing);
}
