/* Checks that the rows of nodes form trees, and folds chains of BRANCH_EQ. For a LightGBM test of
 * the categories 1, 4 and 7, onnxmltools writes three nodes that share their true child:
 *
 *     x == 1 ? yes : x == 4 ? yes : x == 7 ? yes : no
 *
 * The first node becomes a test of the set {1, 4, 7}, and the rows of the others are removed. */
#include "models/onnx/onnx.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const uint32_t FOLDED = UINT32_MAX;

struct tree_links {
    struct onnx_graph *g;
    size_t tree, begin;
    uint32_t n_nodes;
    uint32_t *parents; /* [n_nodes] number of references to each node */
    uint32_t *number;  /* [n_nodes] the node's number without the folded nodes, or FOLDED */
    size_t *n_sets;
};

static uint32_t *item(const struct tree_links *l, enum onnx_column column, uint32_t node) {
    return &l->g->lists[column].u32[l->begin + node];
}

static void count_parents(struct tree_links *l) {
    memset(l->parents, 0, l->n_nodes * sizeof *l->parents);
    memset(l->number, 0, l->n_nodes * sizeof *l->number);
    for (uint32_t i = 0; i < l->n_nodes; i++) {
        for (int c = TRUE_IDS; c <= FALSE_IDS; c++) {
            uint32_t child = *item(l, (enum onnx_column)c, i);
            if (*item(l, NODE_MODES, i) != LEAF && child < l->n_nodes)
                l->parents[child]++;
        }
    }
}

/* --- chains ----------------------------------------------------------------------------------- */

static bool tests_category(const struct tree_links *l, uint32_t node) {
    return *item(l, NODE_MODES, node) == BRANCH_EQ &&
           !isnan(l->g->lists[VALUES].number[l->begin + node]);
}

/* Does `next`, the false child of a node of a chain, belong to the chain that begins at `head`? */
static bool continues(const struct tree_links *l, uint32_t head, uint32_t next) {
    return next > head && next < l->n_nodes && l->number[next] != FOLDED && l->parents[next] == 1 &&
           tests_category(l, next) && *item(l, FEATURE_IDS, next) == *item(l, FEATURE_IDS, head) &&
           *item(l, TRUE_IDS, next) == *item(l, TRUE_IDS, head);
}

static enum status fold_chain(struct tree_links *l, uint32_t head) {
    struct onnx_graph *g = l->g;
    const double *values = g->lists[VALUES].number + l->begin;
    uint32_t yes = *item(l, TRUE_IDS, head), *no = item(l, FALSE_IDS, head);
    if (yes >= l->n_nodes || !tests_category(l, head) || !continues(l, head, *no))
        return STATUS_OK;
    enum status status = onnx_append_number(g, &g->members, values[head]);
    while (!status && continues(l, head, *no)) {
        uint32_t next = *no;
        status = onnx_append_number(g, &g->members, values[next]);
        l->number[next] = FOLDED;
        l->parents[yes]--;
        if (g->lists[MISSING_TRUE].count && *item(l, MISSING_TRUE, next) == 1)
            *item(l, MISSING_TRUE, head) = 1;
        *no = *item(l, FALSE_IDS, next);
    }
    *item(l, NODE_MODES, head) = BRANCH_MEMBER;
    g->lists[VALUES].number[l->begin + head] = (double)*l->n_sets;
    g->member_sets[++*l->n_sets] = g->members.count;
    return status;
}

static enum status fold_chains(struct tree_links *l) {
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < l->n_nodes && !status; i++)
        if (l->number[i] != FOLDED)
            status = fold_chain(l, i);
    return status;
}

/* --- checks ----------------------------------------------------------------------------------- */

static enum status check_parents(const struct tree_links *l, bool several) {
    for (uint32_t i = 1; i < l->n_nodes; i++)
        if (l->number[i] != FOLDED && (several ? l->parents[i] > 1 : l->parents[i] == 0))
            return onnx_fail(l->g, STATUS_INPUT,
                             "tree %zu, node %" PRIu32 ": is the child of %" PRIu32
                             " nodes, expected 1",
                             l->tree, i, l->parents[i]);
    return STATUS_OK;
}

static enum status check_children(const struct tree_links *l) {
    for (uint32_t i = 0; i < l->n_nodes; i++) {
        uint32_t yes = *item(l, TRUE_IDS, i), no = *item(l, FALSE_IDS, i);
        if (l->number[i] == FOLDED || *item(l, NODE_MODES, i) == LEAF ||
            (yes > i && no > i && yes < l->n_nodes && no < l->n_nodes))
            continue;
        return onnx_fail(l->g, STATUS_INPUT,
                         "tree %zu, node %" PRIu32 ": children %" PRIu32 " and %" PRIu32
                         ": children must be from %" PRIu32 " to %" PRIu32,
                         l->tree, i, yes, no, i + 1, l->n_nodes - 1);
    }
    return STATUS_OK;
}

static enum status check_tree(const struct tree_links *l) {
    enum status status = check_parents(l, true);
    if (!status)
        status = check_children(l);
    return status ? status : check_parents(l, false);
}

/* --- removing the folded rows ----------------------------------------------------------------- */

static void number_rows(struct tree_links *l) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->n_nodes; i++)
        if (l->number[i] != FOLDED)
            l->number[i] = count++;
}

/* Gives the weights the new numbers of their nodes. Weights of nodes that do not exist are reported
 * later. */
static void renumber_weights(struct onnx_graph *g, size_t n_trees, const size_t *tree_begin,
                             const uint32_t *number) {
    for (size_t i = 0; i < g->lists[WEIGHT_NODES].count; i++) {
        uint32_t tree = g->lists[WEIGHT_TREES].u32[i], *node = &g->lists[WEIGHT_NODES].u32[i];
        if (tree < n_trees && *node < tree_begin[tree + 1] - tree_begin[tree])
            *node = number[tree_begin[tree] + *node];
    }
}

static void move_row(struct tree_links *l, uint32_t node, size_t to) {
    for (int c = 0; c <= MISSING_TRUE; c++) {
        struct memory_list *list = &l->g->lists[c];
        if (list->count && c == VALUES)
            list->number[to] = list->number[l->begin + node];
        else if (list->count)
            list->u32[to] = list->u32[l->begin + node];
    }
    l->g->lists[NODE_IDS].u32[to] = l->number[node];
    for (int c = TRUE_IDS; c <= FALSE_IDS && l->g->lists[NODE_MODES].u32[to] != LEAF; c++)
        l->g->lists[c].u32[to] = l->number[l->g->lists[c].u32[to]];
}

/* Moves the rows that are left to row `to` and following. Returns the row after them. */
static size_t move_rows(struct tree_links *l, size_t to) {
    for (uint32_t i = 0; i < l->n_nodes; i++)
        if (l->number[i] != FOLDED)
            move_row(l, i, to++);
    return to;
}

/* --- all trees -------------------------------------------------------------------------------- */

static struct tree_links links_of(const struct tree_links *all, size_t tree,
                                  const size_t *tree_begin) {
    struct tree_links l = *all;
    l.tree = tree;
    l.begin = tree_begin[tree];
    l.n_nodes = (uint32_t)(tree_begin[tree + 1] - tree_begin[tree]);
    l.parents += l.begin;
    l.number += l.begin;
    return l;
}

static void remove_folded(const struct tree_links *all, size_t n_trees, size_t *tree_begin) {
    size_t to = 0;
    renumber_weights(all->g, n_trees, tree_begin, all->number);
    for (size_t t = 0; t < n_trees; t++) {
        struct tree_links l = links_of(all, t, tree_begin);
        tree_begin[t] = to;
        to = move_rows(&l, to);
    }
    tree_begin[n_trees] = to;
    for (int c = 0; c <= MISSING_TRUE; c++)
        if (all->g->lists[c].count)
            all->g->lists[c].count = to;
}

static enum status link_trees(const struct tree_links *all, size_t n_trees, size_t *tree_begin) {
    enum status status = STATUS_OK;
    for (size_t t = 0; t < n_trees && !status; t++) {
        struct tree_links l = links_of(all, t, tree_begin);
        count_parents(&l);
        status = fold_chains(&l);
        if (!status)
            status = check_tree(&l);
        number_rows(&l);
    }
    if (!status && *all->n_sets)
        remove_folded(all, n_trees, tree_begin);
    return status;
}

enum status onnx_link_trees(struct onnx_graph *g, size_t n_trees, size_t *tree_begin) {
    size_t n_rows = tree_begin[n_trees], n_sets = 0;
    struct tree_links all = {.g = g, .n_sets = &n_sets};
    all.parents = memory_pool_array(&g->pool, n_rows, sizeof *all.parents);
    all.number = memory_pool_array(&g->pool, n_rows, sizeof *all.number);
    /* A TreeEnsemble has sets of its own, but no chains: its nodes have one parent. */
    if (!g->member_sets)
        g->member_sets = memory_pool_array(&g->pool, n_rows + 1, sizeof *g->member_sets);
    return g->pool.failed ? error_memory(g->error, "the nodes of a model")
                          : link_trees(&all, n_trees, tree_begin);
}
