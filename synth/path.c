#include "synth/path.h"

#include "synth/by_feature.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const float below_one = 0x1.fffffep-1f;

static void set_parent(struct path *path, uint32_t tree, int32_t child, int32_t parent) {
    if (child >= 0)
        path->node_parent[path->ensemble->tree_node[tree] + (size_t)child] = parent;
    else
        path->leaf_parent[path->ensemble->tree_leaf[tree] + (size_t)~child] = parent;
}

static void set_parents(struct path *path, uint32_t tree) {
    const struct ensemble *e = path->ensemble;
    uint32_t count = ensemble_tree_nodes(e, tree);
    set_parent(path, tree, count ? 0 : ~0, -1);
    for (uint32_t i = 0; i < count; i++) {
        set_parent(path, tree, e->left[e->tree_node[tree] + i], (int32_t)i);
        set_parent(path, tree, e->right[e->tree_node[tree] + i], (int32_t)i);
    }
}

/* Allocates bounds for every feature that some node tests. */
static bool make_slots(struct path *path) {
    struct by_feature nodes;
    bool made = by_feature_make(path->ensemble, &nodes);
    if (made) {
        path->low = malloc((nodes.n_tested + 1) * sizeof *path->low);
        path->high = malloc((nodes.n_tested + 1) * sizeof *path->high);
        made = path->low && path->high;
    }
    for (size_t slot = 0; made && slot < nodes.n_tested; slot++) {
        path->low[slot] = -INFINITY;
        path->high[slot] = INFINITY;
        for (size_t i = nodes.begin[slot]; i < nodes.begin[slot + 1]; i++)
            path->slot[nodes.nodes[i]] = (uint32_t)slot;
    }
    by_feature_free(&nodes);
    return made;
}

enum status path_create(const struct ensemble *ensemble, struct path **path, struct error *error) {
    struct path *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error, "paths");
    made->ensemble = ensemble;
    /* + 1 because malloc(0) may return NULL */
    made->node_parent = malloc((ensemble->n_nodes + 1) * sizeof *made->node_parent);
    made->leaf_parent = malloc((ensemble->n_leaves + 1) * sizeof *made->leaf_parent);
    made->slot = malloc((ensemble->n_nodes + 1) * sizeof *made->slot);
    if (!made->node_parent || !made->leaf_parent || !made->slot || !make_slots(made)) {
        path_free(made);
        return error_memory(error, "paths");
    }
    for (uint32_t t = 0; t < ensemble->n_trees; t++)
        set_parents(made, t);
    *path = made;
    return STATUS_OK;
}

void path_free(struct path *path) {
    if (!path)
        return;
    free(path->node_parent);
    free(path->leaf_parent);
    free(path->slot);
    free(path->low);
    free(path->high);
    free(path);
}

/* Used instead of fminf and fmaxf, which may return either sign of zero. */
static float lesser(float a, float b) {
    return a < b ? a : b;
}

static float larger(float a, float b) {
    return a > b ? a : b;
}

/* Draws a float from (low, high]. Deterministic on every machine, because each step is a single
 * IEEE operation. */
static bool draw_between(float low, float high, struct random *random, float *value) {
    if (!(low < high) || low >= FLT_MAX)
        return false;
    float first = nextafterf(low, INFINITY), last = high;
    if (first <= below_one && last >= 0) {
        first = larger(first, 0);
        last = lesser(last, below_one);
    } else if (isinf(high)) {
        last = larger(first, first + 1);
    } else if (isinf(low)) {
        first = larger(-FLT_MAX, high - 1);
    }
    double width = (double)last - (double)first;
    float drawn = (float)((double)first + width * random_double(random));
    *value = lesser(larger(drawn, first), last); /* because rounding may leave the interval */
    return true;
}

/* Chooses a piece that a set node sends to the given side, and narrows the bounds to that piece. */
static void bound_by_set(struct path *path, size_t node, bool left, struct random *random) {
    const struct ensemble *e = path->ensemble;
    const float *cuts = e->cut + e->set_cut[e->set[node]];
    uint32_t slot = path->slot[node];
    size_t n_cuts = e->set_cut[e->set[node] + 1] - e->set_cut[e->set[node]];
    size_t n_pieces = left ? n_cuts / 2 + 1 : (n_cuts + 1) / 2; /* pieces 0, 2, 4, ... go left */
    size_t piece = 2 * (size_t)random_below(random, n_pieces) + !left;
    if (piece > 0)
        path->low[slot] = larger(path->low[slot], cuts[piece - 1]);
    if (piece < n_cuts)
        path->high[slot] = lesser(path->high[slot], cuts[piece]);
}

static void collect_bounds(struct path *path, uint32_t tree, uint32_t leaf, struct random *random) {
    const struct ensemble *e = path->ensemble;
    size_t nodes = e->tree_node[tree];
    int32_t child = ~(int32_t)leaf;
    int32_t parent = path->leaf_parent[e->tree_leaf[tree] + leaf];
    while (parent >= 0) {
        size_t node = nodes + (size_t)parent;
        uint32_t slot = path->slot[node];
        if (ensemble_is_set(e, node))
            bound_by_set(path, node, e->left[node] == child, random);
        else if (e->left[node] == child)
            path->high[slot] = lesser(path->high[slot], e->threshold[node]);
        else
            path->low[slot] = larger(path->low[slot], e->threshold[node]);
        child = parent;
        parent = path->node_parent[node];
    }
}

bool path_lead(struct path *path, uint32_t tree, uint32_t leaf, struct random *random, float *row) {
    const struct ensemble *e = path->ensemble;
    size_t nodes = e->tree_node[tree];
    bool reachable = true;
    collect_bounds(path, tree, leaf, random);
    int32_t parent = path->leaf_parent[e->tree_leaf[tree] + leaf];
    for (; parent >= 0; parent = path->node_parent[nodes + (size_t)parent]) {
        uint32_t slot = path->slot[nodes + (size_t)parent];
        float *low = &path->low[slot], *high = &path->high[slot];
        if (isinf(*low) && *low < 0 && isinf(*high) && *high > 0)
            continue; /* the value is already drawn, or may be any finite number */
        reachable &= draw_between(*low, *high, random, &row[e->feature[nodes + (size_t)parent]]);
        *low = -INFINITY;
        *high = INFINITY;
    }
    return reachable;
}

/* Converts the low 24 bits to a float in [0, 1), like random_float. */
static float unit_float(uint64_t bits) {
    return (float)(bits & 0xffffff) * 0x1p-24f;
}

/* Makes two values from every 64 random bits, because most values of documents are made here and
 * one draw per value would be slower. */
void path_fill_row(struct random *random, float *row, uint32_t n_features) {
    uint32_t f = 0;
    for (; f + 1 < n_features; f += 2) {
        uint64_t bits = random_u64(random);
        row[f] = unit_float(bits >> 40);
        row[f + 1] = unit_float(bits >> 16);
    }
    if (f < n_features)
        row[f] = random_float(random);
}
