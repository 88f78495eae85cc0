/* Loop orders: the nested loops over blocks of documents and blocks of units. */
#include "impls/order.h"

#include "base/float_mode.h"

#include <string.h>

const char *const order_names[ORDERS + 1] = {
    [ORDER_DS] = "DS",     [ORDER_SD] = "SD",     [ORDER_DSD] = "DSD",   [ORDER_SDS] = "SDS",
    [ORDER_DSDS] = "DSDS", [ORDER_SDSD] = "SDSD", [ORDER_DSSD] = "DSSD", [ORDER_SDDS] = "SDDS"};

const char *order_name(enum order order) {
    return order_names[order];
}

bool order_has_d(enum order order) {
    return order != ORDER_DS && order != ORDER_SD && order != ORDER_SDS;
}

bool order_has_s(enum order order) {
    return order != ORDER_DS && order != ORDER_SD && order != ORDER_DSD;
}

const char *const parallel_names[] = {"documents", "trees", "both", NULL};

bool parallel_find(const char *name, enum parallel *parallel) {
    for (size_t i = 0; parallel_names[i]; i++)
        if (strcmp(name, parallel_names[i]) == 0) {
            *parallel = (enum parallel)i;
            return true;
        }
    return false;
}

/* Removes a block from the front of *left and returns it. If `block` is 0, it is all of *left. */
static struct span take_block(struct span *left, size_t block) {
    size_t size = left->end - left->begin;
    struct span taken = {left->begin, left->begin + (block && block < size ? block : size)};
    left->begin = taken.end;
    return taken;
}

static void run_documents_outside(const struct scorer *scorer, const struct plan *plan,
                                  struct span units, struct span docs, const struct batch *batch) {
    while (docs.begin < docs.end) {
        struct span block = take_block(&docs, plan->doc_block);
        for (struct span left = units; left.begin < left.end;)
            scorer->impl->score(scorer, take_block(&left, plan->unit_block), block, batch);
    }
}

static void run_units_outside(const struct scorer *scorer, const struct plan *plan,
                              struct span units, struct span docs, const struct batch *batch) {
    while (units.begin < units.end) {
        struct span block = take_block(&units, plan->unit_block);
        for (struct span left = docs; left.begin < left.end;)
            scorer->impl->score(scorer, block, take_block(&left, plan->doc_block), batch);
    }
}

/* --- units in the innermost loop -------------------------------------------------------------- */

/* A scorer that hands its documents to another scorer one step at a time. Within a block, the loop
 * over units is then the innermost. */
struct stepper {
    struct scorer scorer;
    const struct scorer *inner;
};

static void score_by_steps(const struct scorer *scorer, struct span units, struct span docs,
                           const struct batch *batch) {
    const struct scorer *inner = ((const struct stepper *)scorer)->inner;
    while (docs.begin < docs.end)
        inner->impl->score(inner, units, take_block(&docs, inner->lanes), batch);
}

static const struct impl impl_stepper = {.score = score_by_steps};

/* --- orders ----------------------------------------------------------------------------------- */

static void run_call(const struct scorer *scorer, const struct plan *plan, struct span units,
                     struct span docs, const struct batch *batch) {
    const struct stepper stepper = {.scorer = {.impl = &impl_stepper}, .inner = scorer};
    switch (plan->order) {
    case ORDER_DS:
    case ORDER_DSD:
    case ORDER_DSSD:
        run_documents_outside(scorer, plan, units, docs, batch);
        break;
    case ORDER_SD:
    case ORDER_SDSD:
        run_units_outside(scorer, plan, units, docs, batch);
        break;
    case ORDER_DSDS:
        run_documents_outside(&stepper.scorer, plan, units, docs, batch);
        break;
    case ORDER_SDS:
    case ORDER_SDDS:
        run_units_outside(&stepper.scorer, plan, units, docs, batch);
        break;
    case ORDERS:
        break;
    }
}

/* Not inlined, so that calls of few documents in the default order stay cheap. */
static __attribute__((noinline)) void run_calls(const struct scorer *scorer,
                                                const struct plan *plan, struct span units,
                                                struct span docs, const struct batch *batch) {
    while (docs.begin < docs.end)
        run_call(scorer, plan, units, take_block(&docs, plan->call), batch);
}

void order_run(const struct scorer *scorer, const struct plan *plan, struct span units,
               struct span docs, const struct batch *batch) {
    uint64_t mode = float_mode_begin();
    if (plan->order == ORDER_DS && !plan->call)
        run_documents_outside(scorer, plan, units, docs, batch);
    else
        run_calls(scorer, plan, units, docs, batch);
    float_mode_end(mode);
}

size_t order_usual_block(const struct scorer *scorer) {
    enum { USUAL = 256 };
    size_t lanes = scorer->lanes ? scorer->lanes : 1;
    if (scorer->impl->kind == IMPL_DEVICE)
        return 0;
    return lanes < USUAL ? USUAL / lanes * lanes : lanes;
}

size_t order_documents_of_score(const struct plan *plan, const struct scorer *scorer,
                                size_t n_docs) {
    bool by_steps =
        plan->order == ORDER_DSDS || plan->order == ORDER_SDS || plan->order == ORDER_SDDS;
    struct span docs = {0, n_docs}, call = take_block(&docs, plan->call);
    struct span block = take_block(&call, plan->order == ORDER_SDS ? 0 : plan->doc_block);
    struct span step = take_block(&block, by_steps ? scorer->lanes : 0);
    return step.end > step.begin ? step.end - step.begin : 1;
}
