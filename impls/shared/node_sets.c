#include "impls/shared/node_sets.h"

void node_sets_copy(const struct ensemble *e, struct node_sets *sets, struct memory_pool *pool) {
    *sets = (struct node_sets){0};
    if (!e->set)
        return;
    size_t n_begins = (size_t)e->n_sets + 1, n_cuts = e->set_cut[e->n_sets];
    sets->begin = memory_pool_copy(pool, e->set_cut, n_begins, sizeof *sets->begin);
    sets->cuts = memory_pool_copy(pool, e->cut, n_cuts, sizeof *sets->cuts);
}
