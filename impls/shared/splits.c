#include "impls/shared/splits.h"

static void place_child(struct split *splits, int32_t child, uint32_t first, uint32_t depth) {
    if (child < 0)
        return;
    splits[child].first = first;
    splits[child].middle += first;
    splits[child].last += first;
    splits[child].depth = depth + 1;
}

void splits_find(const struct ensemble *e, uint32_t t, struct split *splits) {
    const int32_t *left = e->left + e->tree_node[t], *right = e->right + e->tree_node[t];
    uint32_t n_nodes = ensemble_tree_nodes(e, t);
    for (uint32_t i = n_nodes; i-- > 0;) { /* children come after their parents */
        uint32_t on_left = left[i] < 0 ? 1 : splits[left[i]].last;
        uint32_t on_right = right[i] < 0 ? 1 : splits[right[i]].last;
        splits[i] = (struct split){0, on_left, on_left + on_right, 0};
    }
    for (uint32_t i = 0; i < n_nodes; i++) {
        place_child(splits, left[i], splits[i].first, splits[i].depth);
        place_child(splits, right[i], splits[i].middle, splits[i].depth);
    }
}

enum status splits_check(const struct ensemble *e, uint32_t limit, const char *impl,
                         const char *instead, struct error *error) {
    for (uint32_t t = 0; t < e->n_trees; t++)
        if (ensemble_tree_leaves(e, t) > limit)
            return error_set(error, STATUS_UNSUPPORTED,
                             "%s: tree %u has %u leaves; the limit is %u. Use %s", impl, t,
                             ensemble_tree_leaves(e, t), limit, instead);
    return STATUS_OK;
}
