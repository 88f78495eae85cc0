/* Loop orders: the nested loops over blocks of documents and blocks of units. */
#include "impls/order.h"

#include "base/float_mode.h"

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

const char *order_name(enum order order) {
    static const char *const names[] = {[ORDER_DS] = "DS", [ORDER_SD] = "SD"};
    return names[order];
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
