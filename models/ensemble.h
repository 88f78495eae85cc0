/* An additive ensemble of binary decision trees. Every model reader creates a struct ensemble, and
 * every implementation is built from one.
 *
 * A document is a vector of float32. At a plain inner node, it goes left exactly if x[feature] <=
 * threshold, compared in float32. At a set node, it goes left exactly if x[feature] lies in the
 * node's set of numbers: (-inf, cut 0], (cut 1, cut 2], and so on. Sets test categories. NaN goes
 * right, unless the node's nan_left is set.
 *
 * Some libraries compare doubles (LightGBM). For their models, the exact thresholds are stored in
 * `threshold_double`. `threshold` holds them rounded down to float32, which gives the same result
 * for every float32 x. Documents of doubles must be placed first; see models/placing.h.
 *
 * The score of an output is base[output] plus the values of the exit leaves of the trees of that
 * output. These numbers are added in double, in the order of the trees.
 *
 * In an ensemble that votes, each leaf names a class instead: its value is the number of the class,
 * there is one output per class, and each tree adds 1 to the output of its exit leaf's class.
 * The predicted class is the first of those with the largest score. models/votes.h converts such
 * an ensemble to one tree per class.
 *
 * Canonical form, which ensemble_builder_finish creates for files in any order:
 *   - the inner nodes of a tree are contiguous and breadth first, with the root at 0;
 *   - the leaves of a tree are contiguous and numbered from left to right;
 *   - a child c >= 0 is inner node c of the same tree, a child c < 0 is leaf ~c of the same tree. A
 *     tree that consists of one leaf has no inner node. */
#ifndef MODELS_ENSEMBLE_H
#define MODELS_ENSEMBLE_H

#include "base/memory.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Larger ensembles are rejected, so that invalid input cannot request absurd amounts of memory. */
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
struct ctrs;       /* models/ctrs.h */

enum { ENSEMBLE_OBJECTIVE_SIZE = 64 };

struct ensemble {
    uint32_t n_features; /* documents have at least this many values */
    uint32_t n_outputs;  /* 1, or the number of classes of a multiclass model */
    bool votes;          /* the leaves name classes, 0 to n_outputs - 1 */
    uint32_t n_trees;
    size_t n_nodes, n_leaves; /* of all trees together */

    struct memory_pool pool; /* of the arrays, except counts and names, which can be replaced */

    size_t *tree_node;     /* [n_trees + 1] first inner node of tree t */
    size_t *tree_leaf;     /* [n_trees + 1] first leaf of tree t */
    uint32_t *tree_output; /* [n_trees] output that tree t adds to; 0 if the trees vote */
    uint32_t *tree_depth;  /* [n_trees] decisions on the longest path; 0 for a single leaf */

    uint32_t *feature; /* [n_nodes] */
    float *threshold;  /* [n_nodes] never NaN, may be infinite; for a set node, its first cut */
    int32_t *left;     /* [n_nodes] */
    int32_t *right;    /* [n_nodes] */
    uint8_t *nan_left; /* [n_nodes] 1 if NaN goes left */
    double *value;     /* [n_leaves] finite; the number of a class if the trees vote */

    /* Set nodes. NULL and 0 if there are none. */
    uint32_t *set; /* [n_nodes] the node's set; ENSEMBLE_NO_SET for a plain node */
    uint32_t n_sets;
    size_t *set_cut; /* [n_sets + 1] first cut of each set */
    float *cut;      /* increasing within a set; two may be equal if no float32 lies between them */

    /* The exact thresholds and cuts of libraries that compare doubles. */
    double *threshold_double; /* [n_nodes]; NULL if float32 is compared */
    double *cut_double;       /* [set_cut[n_sets]]; NULL if there are no sets */

    /* Maps the words of a table to codes. NULL if the model does not store categories. */
    struct categories *categories;

    /* Computes the last features from the others. NULL if documents have all features. */
    struct ctrs *ctrs;

    /* Number of training documents that passed each node or leaf. Both are NULL if the model has no
     * counts. */
    uint64_t *node_count; /* [n_nodes] */
    uint64_t *leaf_count; /* [n_leaves] */

    double *base; /* [n_outputs] score of a document before the trees are added */

    /* n_features names, each terminated by a NUL. NULL if the model has none. */
    char *feature_names;

    bool any_nan_left;
    /* No training document had a value of feature 0, and features have no names. This suggests that
     * the training data numbered features from 1. */
    bool first_is_empty;
    /* The model does not store its number of features. n_features is then one more than the largest
     * feature index tested. */
    bool open_width;

    /* Facts from the file. */
    const struct model_format *format;       /* NULL if not read from a file */
    char objective[ENSEMBLE_OBJECTIVE_SIZE]; /* as named in the file, for people; "" if unknown */
    uint32_t best_trees; /* trees up to the best iteration of early stopping; 0 if unknown */
    uint32_t averaged;   /* LightGBM's random forests: divisor of all leaves; else 0 */

    /* Describes a model that treebench generated, such as "random trees ..., not trained". The note
     * is shown with every result. One line of printable ASCII; "" for a model from elsewhere. Only
     * treebench's JSON stores notes. */
    char note[ENSEMBLE_NOTE_SIZE];
    unsigned origin; /* bits of base/origin.h, stored with the note */
};

void ensemble_free(struct ensemble *ensemble); /* NULL is allowed */

/* Ends a function that makes an ensemble: gives `made` to the caller, or frees it if `status` is an
 * error. Returns `status`. */
enum status ensemble_give(enum status status, struct ensemble *made, struct ensemble **ensemble);

/* The number of features that are not computed from others (ctrs). */
uint32_t ensemble_given_features(const struct ensemble *ensemble);

/* Fails if some features are computed from categories, for users of ensembles whose documents
 * consist of numbers. The error does not name the file. */
enum status ensemble_check_computed(const struct ensemble *ensemble, struct error *error);

/* Are all leaf values and base scores in the range of float32? */
bool ensemble_fits_float32(const struct ensemble *ensemble);

/* Drops all trees after the first n_trees. The memory of the dropped trees is freed with the
 * ensemble. */
void ensemble_keep_first(struct ensemble *ensemble, uint32_t n_trees);

/* Sets the note. A long note is cut. Unprintable characters, quotes and backslashes become '?'. */
void ensemble_set_note(struct ensemble *ensemble, const char *note);

/* Sets the objective to the text [begin, end), cut and changed in the same way as a note. */
void ensemble_set_objective(struct ensemble *ensemble, const char *begin, const char *end);

/* The number of inner nodes or leaves of tree t. */
static inline uint32_t ensemble_tree_nodes(const struct ensemble *e, uint32_t t) {
    return (uint32_t)(e->tree_node[t + 1] - e->tree_node[t]);
}
static inline uint32_t ensemble_tree_leaves(const struct ensemble *e, uint32_t t) {
    return (uint32_t)(e->tree_leaf[t + 1] - e->tree_leaf[t]);
}

static inline bool ensemble_is_set(const struct ensemble *e, size_t node) {
    return e->set && e->set[node] != ENSEMBLE_NO_SET;
}

/* Does tree t have set nodes? */
bool ensemble_tree_has_sets(const struct ensemble *ensemble, uint32_t t);

/* The most leaves of the trees [begin, end); 0 without trees. */
uint32_t ensemble_most_leaves(const struct ensemble *ensemble, size_t begin, size_t end);

/* The inner nodes and leaves of the largest tree; 0 without trees. */
size_t ensemble_largest_tree(const struct ensemble *ensemble);

/* Fills order[n_trees] with the trees, sorted by output and otherwise in their order. The trees of
 * output k are at begin[k] to begin[k + 1]; `begin` has n_outputs + 2 elements, which are 0 before.
 */
void ensemble_sort_trees(const struct ensemble *ensemble, size_t *begin, uint32_t *order);

/* Fills tests[n_nodes] with the feature and threshold of each node, sorted by both. */
struct ensemble_test {
    uint32_t feature;
    float threshold;
};
void ensemble_sort_tests(const struct ensemble *ensemble, struct ensemble_test *tests);

/* Returns the number of decisions on a tree's longest path, averaged over the trees. NaN without
 * trees. */
double ensemble_mean_depth(const struct ensemble *ensemble);

/* Does a document go left at a node? `x` is the document's value of the node's feature. */
bool ensemble_goes_left(const struct ensemble *ensemble, size_t node, float x);

/* --- building ---------------------------------------------------------------------------------
 * Trees are added one by one. The caller numbers the nodes of each tree from 0 in the order of
 * adding, leaves and inner nodes together. The root is node 0. Children may come before or after
 * parents.
 *
 *     struct ensemble_builder *b = ensemble_builder_create();
 *     ensemble_builder_add_tree(b, 0);                 begins a tree of output 0
 *     ensemble_builder_add_inner(b, &(struct inner_node){...});
 *     ensemble_builder_add_leaf(b, value, count);
 *     ensemble_builder_finish(b, &shape, &ensemble, error);
 *
 *
 * The builder rounds thresholds and cuts down to float32. A set with a single threshold becomes a
 * plain node. The children of a node with lowest_right are swapped.
 *
 * Errors are sticky and returned by ensemble_builder_finish, so that callers need to check only
 * once, even that there is memory for a builder: adding to NULL does nothing.
 * ensemble_builder_finish accepts only a forest of binary trees within the limits. Every
 * child must exist, every node must be reachable from the root, and no node may have two parents.
 * Features must be less than n_features. Thresholds must not be NaN, and leaf values must be
 * finite. Errors name the tree and the node: "tree 3, node 5: ...". */
struct ensemble_builder;

struct inner_node {
    uint32_t feature;
    double threshold;
    uint32_t left, right; /* node numbers in this tree */
    bool nan_left;
    uint64_t count; /* ENSEMBLE_NO_COUNT if unknown */

    /* Set nodes only, otherwise zero. */
    const double *cuts; /* [n_cuts] strictly increasing; copied */
    uint32_t n_cuts;    /* 0 if the set contains all numbers */
    bool lowest_right;  /* numbers up to the first cut go right, then left, and so on */
};
#define ENSEMBLE_NO_COUNT UINT64_MAX

/* Begins a tree with the inner nodes of tree t of an ensemble. The caller then adds one leaf for
 * each leaf of tree t, from left to right. */
void ensemble_builder_copy_nodes(struct ensemble_builder *builder, const struct ensemble *ensemble,
                                 uint32_t t);

/* A node of an ensemble, without its children. The ensemble owns the cuts. */
struct inner_node ensemble_inner_node(const struct ensemble *ensemble, size_t node);

struct ensemble_shape {
    uint32_t n_features;   /* 0: one more than the largest feature index used, at least 1 */
    uint32_t n_outputs;    /* 0 means 1 */
    const double *base;    /* [n_outputs]; NULL means zeros */
    const char *note;      /* see ensemble_set_note; NULL if none */
    unsigned origin;       /* bits of base/origin.h */
    bool compares_doubles; /* keep doubles, because the library compares doubles */
    bool votes;            /* the leaves name classes; n_outputs must be at least 2 */
};

/* The shape of an ensemble, for its copies. */
struct ensemble_shape ensemble_shape_of(const struct ensemble *ensemble);

struct ensemble_builder *ensemble_builder_create(void); /* NULL if out of memory */
void ensemble_builder_add_tree(struct ensemble_builder *builder, uint32_t output);
void ensemble_builder_add_inner(struct ensemble_builder *builder, const struct inner_node *node);
void ensemble_builder_add_leaf(struct ensemble_builder *builder, double value, uint64_t count);

/* Checks the ensemble, brings it into canonical form and frees the builder, even on errors. Counts
 * are kept only if every node and leaf has one. */
enum status ensemble_builder_finish(struct ensemble_builder *builder,
                                    const struct ensemble_shape *shape, struct ensemble **ensemble,
                                    struct error *error);
void ensemble_builder_free(struct ensemble_builder *builder); /* for callers that do not finish */

/* --- statistics ------------------------------------------------------------------------------ */
struct ensemble_stats {
    uint32_t trees, features, features_used, outputs;
    uint32_t leaves_max, depth_max;
    double leaves_mean, depth_mean;
    double path_mean;     /* mean decisions per tree if all leaves of a tree are equally likely */
    double path_weighted; /* the same, weighted by the counts; NaN without counts */
    uint32_t thresholds_max; /* largest number of different thresholds of a feature */
    double thresholds_mean;  /* number of different thresholds, averaged over the features used */
    uint32_t nan_left_nodes, set_nodes;
};
enum status ensemble_compute_stats(const struct ensemble *ensemble, struct ensemble_stats *stats,
                                   struct error *error);

/* --- exact sums ---------------------------------------------------------------------------------
 *
 * All leaf values are integers times 2^exponent, and the exponent is at most 0. `most` is the sum
 * of each tree's largest integer, of the output with the largest sum; INFINITY if a value is not
 * finite. While `most` plus the start of a sum, in the same units, is below 2^53, every sum in
 * double is exact, in any order. */
struct sum_grid {
    int exponent;
    double most;
};

enum { SUM_GRID_BITS = 53 };

/* STATUS_MEMORY if memory ran out. */
enum status ensemble_find_sum_grid(const struct ensemble *ensemble, struct sum_grid *grid,
                                   struct error *error);

/* Are sums that start from 0 exact? */
static inline bool sum_grid_is_exact(const struct sum_grid *grid) {
    return grid->most < (double)((int64_t)1 << SUM_GRID_BITS);
}

/* --- leaf-exact copies --------------------------------------------------------------------------
 *
 * Creates a copy in which the leaf values of each tree are distinct small integers. Their sums over
 * trees are exact in double, and in float32 if n_trees is moderate. Equal scores then mean equal
 * exit leaves: with certainty for one tree, with overwhelming probability for several. For tests
 * and `verify`. */
enum status ensemble_copy_with_exact_leaves(const struct ensemble *ensemble, uint64_t seed,
                                            struct ensemble **copy, struct error *error);

#endif
