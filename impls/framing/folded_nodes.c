/* Tables whose leaves have no node of their own. A child's number is the prediction itself if that
 * child is a leaf (buschjaeger2018, section V-B a). A node takes 12 bytes, 16 in a tree of over
 * 65,536 inner nodes or leaves, and 4 more with over 65,536 features.
 *
 *   native-folded  breadth first over inner nodes (the paper's StandardNativeTree)
 *   native-opt     probable paths are contiguous (its OptimizedNativeTree, Algorithm 2). The order
 *                  is made in frame_sets.c, by the model's counts of training documents. */
#include "impls/framing/framing_scorer.h"
#include "impls/shared/branch.h"

/* Offsets of a node's fields in bytes. The feature is at 0, then come two bytes: which children are
 * predictions, and where NaN goes. */
struct folded_offsets {
    size_t indicator, nan_left, split, left, right, bytes;
};

enum { LEFT_IS_LEAF = 1, RIGHT_IS_LEAF = 2 };

FRAMING_INLINE struct folded_offsets folded_offsets(struct framing_widths widths) {
    size_t indicator = widths.feature, split = widths.feature == 2 ? 4 : 8, left = split + 4;
    return (struct folded_offsets){.indicator = indicator,
                                   .nan_left = indicator + 1,
                                   .split = split,
                                   .left = left,
                                   .right = left + widths.child,
                                   .bytes = left + 2 * (size_t)widths.child};
}

static size_t folded_bytes(struct framing_widths widths) {
    return folded_offsets(widths).bytes;
}

/* What a node stores for a child: its prediction or its place. */
static uint32_t child_number(const struct framing_source *source, uint32_t child) {
    return frame_is_leaf(source->tree, child)
               ? framing_prediction(source->ensemble, source->t, source->tree->number[child])
               : source->place[child];
}

static void folded_write(const struct framing_source *source, unsigned char *nodes) {
    const struct ensemble *e = source->ensemble;
    const struct frame_tree *tree = source->tree;
    struct framing_widths widths = source->types.widths;
    const struct folded_offsets at = folded_offsets(widths);
    for (size_t i = 0; i < source->order->n_nodes; i++) {
        unsigned char *node = nodes + i * at.bytes;
        uint32_t here = source->order->node[i], left = tree->left[here], right = tree->right[here];
        size_t inner = e->tree_node[source->t] + tree->number[here];
        framing_store(node, widths.feature, e->feature[inner]);
        node[at.indicator] = (unsigned char)((frame_is_leaf(tree, left) ? LEFT_IS_LEAF : 0) |
                                             (frame_is_leaf(tree, right) ? RIGHT_IS_LEAF : 0));
        node[at.nan_left] = e->nan_left[inner];
        framing_store(node + at.split, 4, framing_split(e->threshold[inner], source->types.values));
        framing_store(node + at.left, widths.child, child_number(source, left));
        framing_store(node + at.right, widths.child, child_number(source, right));
    }
}

FRAMING_INLINE uint32_t framing_exit(const struct framing_tree *tree, const void *x,
                                     struct framing_widths widths, enum framing_values values,
                                     bool any_nan_left) {
    const struct folded_offsets at = folded_offsets(widths);
    const unsigned char *node = tree->nodes;
    if (!node)
        return tree->only;
    for (;;) {
        uint32_t child;
        if (framing_goes_left(x, framing_load(node, widths.feature), node + at.split,
                              node + at.nan_left, values, any_nan_left)) {
            child = framing_load(node + at.left, widths.child);
            if (node[at.indicator] & LEFT_IS_LEAF)
                return child;
            branch_keep();
        } else {
            child = framing_load(node + at.right, widths.child);
            if (node[at.indicator] & RIGHT_IS_LEAF)
                return child;
        }
        node = tree->nodes + child * at.bytes;
    }
}

#include "impls/framing/framing_tmpl.h"

const struct framing_form framing_folded = {
    .node_bytes = folded_bytes, .write = folded_write, .kernels = framing_kernels};

static enum status native_folded_build(const struct impl *impl, const struct ensemble *ensemble,
                                       const struct options *options, struct scorer **scorer,
                                       struct error *error) {
    return framing_build(impl, &framing_folded, ensemble, options, scorer, error);
}

const struct impl impl_native_folded = {.name = "native-folded",
                                        .title = "StandardNativeTree",
                                        .roles = IMPL_SURPASSED,
                                        .source = "buschjaeger2018 section V-B",
                                        .params = framing_params,
                                        .build = native_folded_build,
                                        FRAMING_FACTS};

static enum status native_opt_build(const struct impl *impl, const struct ensemble *ensemble,
                                    const struct options *options, struct scorer **scorer,
                                    struct error *error) {
    struct framing_form by_sets = framing_folded;
    by_sets.by_sets = true;
    return framing_build(impl, &by_sets, ensemble, options, scorer, error);
}

static const struct impl_param opt_params[] = {
    {"tau", "nodes per set; auto: as many as fit the ways of L1d", "1 25 auto all", "auto"},
    {"fill", "1: fill a set with further paths; 0: a set is one path", "1 0", "1"},
    FRAMING_VALUES_PARAMS,
    {0},
};

const struct impl impl_native_opt = {.name = "native-opt",
                                     .title = "OptimizedNativeTree",
                                     .source = "buschjaeger2018 Algorithm 2",
                                     .params = opt_params,
                                     .form = IMPL_FRAMES,
                                     .build = native_opt_build,
                                     FRAMING_FACTS};
