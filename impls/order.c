/* The loop orders: which block of documents meets which block of units when. */
#include "impls/impl.h"

/* The span of at most `block` elements that begins at `begin`; a block of 0 is the whole rest. */
static struct span next_block(size_t begin, size_t block, size_t total) {
    size_t rest = total - begin;
    return (struct span){begin, begin + (block && block < rest ? block : rest)};
}

static void run_documents_outside(const struct scorer *scorer, const struct plan *plan,
                                  const float *x, size_t stride, size_t n_docs, double *scores) {
    struct span docs, units;
    for (size_t doc = 0; doc < n_docs; doc = docs.end) {
        docs = next_block(doc, plan->doc_block, n_docs);
        for (size_t unit = 0; unit < scorer->n_units; unit = units.end) {
            units = next_block(unit, plan->unit_block, scorer->n_units);
            scorer->impl->score(scorer, units, x, stride, docs, scores);
        }
    }
}

static void run_units_outside(const struct scorer *scorer, const struct plan *plan, const float *x,
                              size_t stride, size_t n_docs, double *scores) {
    struct span docs, units;
    for (size_t unit = 0; unit < scorer->n_units; unit = units.end) {
        units = next_block(unit, plan->unit_block, scorer->n_units);
        for (size_t doc = 0; doc < n_docs; doc = docs.end) {
            docs = next_block(doc, plan->doc_block, n_docs);
            scorer->impl->score(scorer, units, x, stride, docs, scores);
        }
    }
}

void scorer_run(const struct scorer *scorer, const struct plan *plan, const float *x, size_t stride,
                size_t n_docs, double *scores) {
    switch (plan->order) {
    case ORDER_DS:
        run_documents_outside(scorer, plan, x, stride, n_docs, scores);
        break;
    case ORDER_SD:
        run_units_outside(scorer, plan, x, stride, n_docs, scores);
        break;
    }
}
