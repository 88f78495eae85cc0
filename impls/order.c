/* The loop orders: which block of documents meets which block of units when. */
#include "impls/order.h"

#include "base/float_mode.h"
#include "base/memory.h"

/* Takes a block from the front of what is left; a block of 0 is all of it. */
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

void order_run(const struct scorer *scorer, const struct plan *plan, struct span units,
               struct span docs, const struct batch *batch) {
    uint64_t mode = float_mode_begin();
    switch (plan->order) {
    case ORDER_DS:
        run_documents_outside(scorer, plan, units, docs, batch);
        break;
    case ORDER_SD:
        run_units_outside(scorer, plan, units, docs, batch);
        break;
    }
    float_mode_end(mode);
}

void *scorer_workspace(const struct scorer *scorer) {
    return memory_aligned_alloc(scorer->workspace);
}

void scorer_run(const struct scorer *scorer, const struct plan *plan, size_t n_docs,
                const struct batch *batch) {
    order_run(scorer, plan, (struct span){0, scorer->n_units}, (struct span){0, n_docs}, batch);
}
