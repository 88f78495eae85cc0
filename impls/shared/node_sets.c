#include "impls/shared/node_sets.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

bool node_sets_copy(const struct ensemble *e, struct node_sets *sets) {
    *sets = (struct node_sets){0};
    if (!e->set)
        return true;
    size_t n_begins = (size_t)e->n_sets + 1, n_cuts = e->set_cut[e->n_sets];
    sets->begin = memory_aligned_alloc(n_begins * sizeof *sets->begin);
    sets->cuts = memory_aligned_alloc(n_cuts * sizeof *sets->cuts);
    if (!sets->begin || !sets->cuts) {
        node_sets_free(sets);
        return false;
    }
    memcpy(sets->begin, e->set_cut, n_begins * sizeof *sets->begin);
    memcpy(sets->cuts, e->cut, n_cuts * sizeof *sets->cuts);
    sets->bytes = n_begins * sizeof *sets->begin + n_cuts * sizeof *sets->cuts;
    return true;
}

void node_sets_free(struct node_sets *sets) {
    free(sets->begin);
    free(sets->cuts);
}
