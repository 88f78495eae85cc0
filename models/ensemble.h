/* An additive ensemble of binary decision trees: the one representation that every reader makes
 * and every implementation is built from.
 *
 * A document is a vector of float32. At a plain inner node it goes left exactly when
 * x[feature] <= threshold, compared in float32. At a set node it goes left exactly when x[feature]
 * lies in the node's set of numbers: (-inf, cut 0], (cut 1, cut 2], and so on. That is how
 * categories are tested. A NaN goes to the node's NaN side, which is right unless nan_left says
 * otherwise.
 *
 * Some makers compare doubles (LightGBM). Their thresholds are kept as doubles too, and `threshold`
 * holds them rounded down, which decides every float32 alike. Documents that are doubles must be
 * placed first: models/placing.h.
 *
 * Its score is base[output] plus the values of the exit leaves of
 * the trees of that output, added in double, in the order of the trees.
 *
 * Canonical form (ensemble_builder_finish makes it, whatever order a file has):
 *   - the inner nodes of a tree lie together, breadth first, the root at 0;
 *   - the leaves of a tree lie together, numbered from left to right;
 *   - a child c >= 0 is the inner node c of the same tree, a child c < 0 is the leaf ~c of the same
 *     tree. A tree that is one leaf has no inner node.
 */
#ifndef MODELS_ENSEMBLE_H
#define MODELS_ENSEMBLE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits over which an ensemble is refused, so that bad input cannot ask for absurd memory. */
enum {
    ENSEMBLE_MAX_TREES = 10 * 1000 * 1000,
    ENSEMBLE_MAX_FEATURES = 16 * 1000 * 1000,
    ENSEMBLE_MAX_OUTPUTS = 100 * 1000,
    ENSEMBLE_MAX_DEPTH = 4096,
    ENSEMBLE_NOTE_SIZE = 192
};
#define ENSEMBLE_MAX_NODES ((size_t)1 << 30) /* inner nodes of all trees together */
#define ENSEMBLE_NO_SET UINT32_MAX

struct model_format;
struct categories; /* models/categories.h */

enum { ENSEMBLE_OBJECTIVE_SIZE = 64 };

struct ensemble {
    uint32_t n_features; /* documents have at least so many */
    uint32_t n_outputs;  /* 1, or the classes of a multiclass model */
    uint32_t n_trees;
    size_t n_nodes, n_leaves; /* of all trees together */

    size_t *tree_node;     /* [n_trees + 1] where the inner nodes of tree t begin */
    size_t *tree_leaf;     /* [n_trees + 1] where the leaves of tree t begin */
    uint32_t *tree_output; /* [n_trees] the output to which tree t adds */
    uint32_t *tree_depth;  /* [n_trees] decisions on the longest path: 0 for a single leaf */

    uint32_t *feature; /* [n_nodes] */
    float *threshold;  /* [n_nodes] never NaN; may be infinite; of a set node: its first cut */
    int32_t *left;     /* [n_nodes] */
    int32_t *right;    /* [n_nodes] */
    uint8_t *nan_left; /* [n_nodes] 1: NaN goes left */
    double *value;     /* [n_leaves] finite */

    /* Set nodes; NULL and 0 if there are none. */
    uint32_t *set; /* [n_nodes] the number of the node's set, or ENSEMBLE_NO_SET: a plain node */
    uint32_t n_sets;
    size_t *set_cut; /* [n_sets + 1] where the cuts of a set begin */
    float *cut;      /* increasing within a set; two may be equal: nothing lies between them */

    /* The same as the maker compares them. */
    double *threshold_double; /* [n_nodes]; NULL: it compares float32 */
    double *cut_double;       /* [set_cut[n_sets]]; NULL: there are no sets */

    /* How a table's words become categories; NULL: the model does not say. */
    struct categories *categories;

    /* Training documents that passed a node or a leaf; both NULL where the model has no counts. */
    uint64_t *node_count; /* [n_nodes] */
    uint64_t *leaf_count; /* [n_leaves] */

    double *base; /* [n_outputs] */

    /* n_features names, one behind the other, each ended by a NUL; NULL: the model has none. */
    char *feature_names;

    bool any_nan_left;
    bool first_is_empty; /* no training document had a value of feature 0, and features have no
                          * names: a sign that the training data numbered features from 1 */
    bool open_width;     /* nobody said how many features there are: n_features is what it tests */

    /* Of the file it was read from. */
    const struct model_format *format;       /* NULL: of none */
    char objective[ENSEMBLE_OBJECTIVE_SIZE]; /* as the file names it, for people; "": unknown */
    uint32_t best_trees; /* up to early stopping's best iteration; 0: the file does not say */
    uint32_t averaged;   /* LightGBM's random forests: leaves were divided by it; 0: not */

    /* "" for a model as it was found; else what it is, for everything that shows a result of it:
     * "random trees ..., not trained". Printable ASCII, one line. Only treebench's JSON keeps it.
     */
    char note[ENSEMBLE_NOTE_SIZE];
};

void ensemble_free(struct ensemble *ensemble); /* NULL is fine */

/* Are all leaves and base scores in float32's range? */
bool ensemble_fits_float32(const struct ensemble *ensemble);

/* Drops all but the first n_trees trees. Their memory is freed with the ensemble. */
void ensemble_keep_first(struct ensemble *ensemble, uint32_t n_trees);

/* Sets the note: cut, with '?' for each character that is not printable ASCII, a quote or a
 * backslash.
 * */
void ensemble_set_note(struct ensemble *ensemble, const char *note);

/* Sets the objective to the text [begin, end), likewise. */
void ensemble_set_objective(struct ensemble *ensemble, const char *begin, const char *end);

/* The node count of tree t, and its arrays through the offsets. */
static inline uint32_t ensemble_tree_nodes(const struct ensemble *e, uint32_t t) {
    return (uint32_t)(e->tree_node[t + 1] - e->tree_node[t]);
}
static inline uint32_t ensemble_tree_leaves(const struct ensemble *e, uint32_t t) {
    return (uint32_t)(e->tree_leaf[t + 1] - e->tree_leaf[t]);
}

static inline bool ensemble_is_set(const struct ensemble *e, size_t node) {
    return e->set && e->set[node] != ENSEMBLE_NO_SET;
}

/* Where a document goes at a node; x is its value of the node's feature. */
bool ensemble_goes_left(const struct ensemble *ensemble, size_t node, float x);

/* --- building -------------------------------------------------------------------------------
 * Trees are added one by one. Nodes of a tree are numbered by the caller as they are added, from
 * 0, leaves and inner nodes in one numbering, children in any order and also before they exist;
 * the root is the node 0.
 *
 *     struct ensemble_builder *b = ensemble_builder_create();
 *     ensemble_builder_add_tree(b, 0);                 begins a tree of output 0
 *     ensemble_builder_add_inner(b, &(struct inner_node){...});
 *     ensemble_builder_add_leaf(b, value, count);
 *     ensemble_builder_finish(b, &shape, &ensemble, error);
 *
 * Thresholds and cuts are rounded down to float32. A set that is one threshold becomes a plain
 * node, and the children of a node with lowest_right change places.
 *
 * Any failure is sticky and ensemble_builder_finish returns it, so that callers may check once.
 * finish refuses what is not a forest of binary trees: a child that does not exist, a node with two
 * parents, a cycle, a node that no path from the root reaches, a feature >= n_features, a NaN
 * threshold, a leaf that is not finite, a size over the limits. Errors name the tree and the node:
 * "tree 3, node 5: ...". */
struct ensemble_builder;

struct inner_node {
    uint32_t feature;
    double threshold;
    uint32_t left, right; /* numbers of nodes of this tree */
    bool nan_left;
    uint64_t count; /* ENSEMBLE_NO_COUNT where unknown */

    /* Of a set node, otherwise zeros. */
    const double *cuts; /* [n_cuts] strictly increasing; copied */
    uint32_t n_cuts;    /* 0: all numbers are in the set */
    bool lowest_right;  /* numbers up to the first cut go right, those up to the second left, ... */
};
#define ENSEMBLE_NO_COUNT UINT64_MAX

/* A node of an ensemble, without its children. The cuts are the ensemble's. */
struct inner_node ensemble_inner_node(const struct ensemble *ensemble, size_t node);

struct ensemble_shape {
    uint32_t n_features;   /* 0: one more than the largest feature used (at least 1) */
    uint32_t n_outputs;    /* 0: 1 */
    const double *base;    /* [n_outputs], NULL: zeros */
    const char *note;      /* NULL: none; as ensemble_set_note */
    bool compares_doubles; /* keep thresholds and cuts as doubles: the maker compares doubles */
};

struct ensemble_builder *ensemble_builder_create(void); /* NULL: no memory */
void ensemble_builder_add_tree(struct ensemble_builder *builder, uint32_t output);
void ensemble_builder_add_inner(struct ensemble_builder *builder, const struct inner_node *node);
void ensemble_builder_add_leaf(struct ensemble_builder *builder, double value, uint64_t count);

/* Checks, brings into canonical form and frees the builder, whatever the outcome. Counts are kept
 * only when every node and leaf has one. */
enum status ensemble_builder_finish(struct ensemble_builder *builder,
                                    const struct ensemble_shape *shape, struct ensemble **ensemble,
                                    struct error *error);
void ensemble_builder_free(struct ensemble_builder *builder); /* for callers that give up */

/* --- statistics ------------------------------------------------------------------------------ */
struct ensemble_stats {
    uint32_t trees, features, features_used, outputs;
    uint32_t leaves_max, depth_max;
    double leaves_mean, depth_mean;
    double path_mean;        /* decisions per tree, every leaf of a tree equally likely */
    double path_weighted;    /* the same weighted by the counts; NaN without counts */
    uint32_t thresholds_max; /* distinct thresholds of one feature, of the features used */
    double thresholds_mean;
    uint32_t nan_left_nodes, set_nodes;
};
enum status ensemble_compute_stats(const struct ensemble *ensemble, struct ensemble_stats *stats,
                                   struct error *error);

/* --- leaf-exact copies ------------------------------------------------------------------------
 * A copy whose leaf values are distinct small integers chosen so that sums over trees are exact in
 * double and in float32 while n_trees is moderate: equal scores then mean equal exit leaves with
 * overwhelming probability, and, for one tree, with certainty. For tests and `verify`. */
enum status ensemble_copy_with_exact_leaves(const struct ensemble *ensemble, uint64_t seed,
                                            struct ensemble **copy, struct error *error);

#endif
