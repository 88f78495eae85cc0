#include "impls/planes/planes_sets.h"

#include "impls/shared/float_key.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The set of a node, before equal sets are merged. */
struct draft {
    struct planes_set set;
    size_t node;
};

/* Appends a key. If the last key is equal, removes it instead, because the XOR of a plane with
 * itself is empty. */
static void toggle_key(struct planes_set *set, int32_t *keys, int32_t key) {
    if (set->n_keys && keys[set->n_keys - 1] == key)
        set->n_keys--;
    else
        keys[set->n_keys++] = key;
}

/* Makes the set of a node. Writes the keys of the set to the array `keys`: at most one per cut, and
 * one for NaN. */
static struct planes_set make_set(const struct ensemble *e, size_t node, int32_t *keys) {
    struct planes_set set = {.feature = e->feature[node], .keys = keys};
    const size_t *cuts = e->set_cut + e->set[node];
    for (size_t i = cuts[0]; i < cuts[1]; i++)
        toggle_key(&set, keys, float_key(e->cut[i]));
    bool nan_right = set.n_keys % 2;
    if (nan_right == (e->nan_left[node] != 0))
        toggle_key(&set, keys, float_key(INFINITY));
    return set;
}

static int compare_sets(const struct planes_set *a, const struct planes_set *b) {
    if (a->feature != b->feature)
        return a->feature < b->feature ? -1 : 1;
    if (a->n_keys != b->n_keys)
        return a->n_keys < b->n_keys ? -1 : 1;
    return a->n_keys ? memcmp(a->keys, b->keys, a->n_keys * sizeof *a->keys) : 0;
}

static int compare_drafts(const void *a, const void *b) {
    return compare_sets(&((const struct draft *)a)->set, &((const struct draft *)b)->set);
}

static void make_drafts(const struct ensemble *e, struct draft *drafts, int32_t *keys) {
    size_t count = 0;
    for (size_t node = 0; node < e->n_nodes; node++) {
        if (!ensemble_is_set(e, node))
            continue;
        drafts[count++] = (struct draft){make_set(e, node, keys), node};
        keys += drafts[count - 1].set.n_keys;
    }
}

/* Numbers the distinct sets. Equal drafts are consecutive. */
static void number_sets(struct planes_sets *sets, const struct draft *drafts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_drafts(&drafts[i], &drafts[i - 1])) {
            sets->sets[sets->n_sets++] = drafts[i].set;
            sets->n_keys += drafts[i].set.n_keys;
        }
        sets->set_of[drafts[i].node] = (uint32_t)(sets->n_sets - 1);
    }
}

bool planes_sets_make(const struct ensemble *e, struct planes_sets *sets,
                      struct memory_pool *pool) {
    *sets = (struct planes_sets){0};
    if (!e->set)
        return true;
    size_t n_nodes = 0, n_cuts = 0;
    for (size_t node = 0; node < e->n_nodes; node++)
        if (ensemble_is_set(e, node)) {
            n_nodes++;
            n_cuts += e->set_cut[e->set[node] + 1] - e->set_cut[e->set[node]];
        }
    struct draft *drafts = memory_pool_array(pool, n_nodes, sizeof *drafts);
    int32_t *keys = memory_pool_array(pool, n_cuts + n_nodes, sizeof *keys);
    sets->sets = memory_pool_array(pool, n_nodes, sizeof *sets->sets);
    sets->set_of = memory_pool_array(pool, e->n_nodes, sizeof *sets->set_of);
    if (pool->failed)
        return false;
    make_drafts(e, drafts, keys);
    qsort(drafts, n_nodes, sizeof *drafts, compare_drafts);
    number_sets(sets, drafts, n_nodes);
    return true;
}
