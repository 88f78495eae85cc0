/* NATIVE: a table of nodes per tree, and a loop that branches at each node (buschjaeger2018,
 * Listing 1). It is the paper's naive form, the denominator of its speed-ups.
 *
 * Inner nodes and leaves are in one array, breadth first. A node takes 20 bytes, or 24 in a tree of
 * over 65,536 nodes. */
#include "impls/framing/framing_scorer.h"
#include "impls/shared/branch.h"

/* Offsets of a node's fields in bytes, in the order of Listing 1. `nan_left` is in its padding. */
enum { IS_LEAF = 0, NAN_LEFT = 1, PREDICTION = 4, FEATURE = 8, SPLIT = 12, LEFT = 16 };

FRAMING_INLINE size_t native_bytes(struct framing_widths widths) {
    return LEFT + 2 * (size_t)widths.child;
}

static void native_write(const struct framing_source *source, unsigned char *nodes) {
    const struct ensemble *e = source->ensemble;
    const struct frame_tree *tree = source->tree;
    struct framing_widths widths = source->types.widths;
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        unsigned char *node = nodes + source->place[i] * native_bytes(widths);
        node[IS_LEAF] = frame_is_leaf(tree, i);
        if (node[IS_LEAF]) {
            uint32_t prediction = framing_prediction(e, source->t, tree->number[i]);
            framing_store(node + PREDICTION, 4, prediction);
            continue;
        }
        size_t inner = e->tree_node[source->t] + tree->number[i];
        node[NAN_LEFT] = e->nan_left[inner];
        framing_store(node + FEATURE, widths.feature, e->feature[inner]);
        framing_store(node + SPLIT, 4, framing_split(e->threshold[inner], source->types.values));
        framing_store(node + LEFT, widths.child, source->place[tree->left[i]]);
        framing_store(node + LEFT + widths.child, widths.child, source->place[tree->right[i]]);
    }
}

FRAMING_INLINE uint32_t framing_exit(const struct framing_tree *tree, const void *x,
                                     struct framing_widths widths, enum framing_values values,
                                     bool any_nan_left) {
    const unsigned char *node = tree->nodes;
    while (!node[IS_LEAF]) {
        uint32_t child;
        if (framing_goes_left(x, framing_load(node + FEATURE, widths.feature), node + SPLIT,
                              node + NAN_LEFT, values, any_nan_left)) {
            child = framing_load(node + LEFT, widths.child);
            branch_keep();
        } else {
            child = framing_load(node + LEFT + widths.child, widths.child);
        }
        node = tree->nodes + child * native_bytes(widths);
    }
    return framing_load(node + PREDICTION, 4);
}

#include "impls/framing/framing_tmpl.h"

static const struct framing_form form = {
    .leaves = true, .node_bytes = native_bytes, .write = native_write, .kernels = framing_kernels};

static enum status native_build(const struct impl *impl, const struct ensemble *ensemble,
                                const struct options *options, struct scorer **scorer,
                                struct error *error) {
    return framing_build(impl, &form, ensemble, options, scorer, error);
}

const struct impl impl_native = {.name = "native",
                                 .title = "NATIVE",
                                 .roles = IMPL_SURPASSED,
                                 .source = "buschjaeger2018 Listing 1",
                                 .params = framing_params,
                                 .build = native_build,
                                 FRAMING_FACTS};
