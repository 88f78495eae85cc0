/* The scorer that the run-time tables of buschjaeger2018 share: everything except the form of a
 * node, the walk over such nodes, and their order.
 *
 * A tree is an array of nodes that begins a cache line. A leaf is a prediction: the number of its
 * value in the tree's own array of values, or of its class if the ensemble's trees vote. Trees with
 * equal kernels that follow each other are scored by one call of the kernel. */
#ifndef IMPLS_FRAMING_FRAMING_SCORER_H
#define IMPLS_FRAMING_FRAMING_SCORER_H

#include "impls/framing/frame_sets.h"
#include "impls/framing/framing_node.h"
#include "impls/impl.h"

/* Bytes of a feature's number and of a child's number, 2 or 4. A byte would leave all nodes at
 * their size, because the split between them is aligned to four bytes. */
struct framing_widths {
    unsigned feature, child;
};

struct framing_docs {
    const float *x; /* or integers, as in struct batch */
    size_t stride, n_docs;
    double *scores; /* of the first document */
    size_t n_outputs;
};

struct framing_tree;
typedef void framing_kernel(const struct framing_tree *trees, size_t n_trees,
                            const struct framing_docs *docs);

struct framing_tree {
    const unsigned char *nodes; /* NULL if no node is placed: a tree of one leaf */
    const double *values;       /* of the leaves, from left to right; NULL if trees vote */
    uint32_t output;
    uint32_t only; /* the prediction of a tree without nodes */
    uint32_t
        same_until; /* the next trees, up to but not including this one, have the same kernel */
    framing_kernel *kernel;
};

/* What a node stores, and of which type. */
struct framing_types {
    struct framing_widths widths;
    enum framing_values values;
    bool any_nan_left, votes;
};

enum { FRAMING_KERNELS = 64 };

static inline unsigned framing_kernel_index(const struct framing_types *types) {
    unsigned votes = types->votes, nan = types->any_nan_left;
    unsigned widths = (unsigned)(types->widths.feature == 4) << 1 | (types->widths.child == 4);
    return votes << 5 | (unsigned)types->values << 3 | nan << 2 | widths;
}

/* A tree to write, and where its nodes go. */
struct framing_source {
    const struct ensemble *ensemble;
    uint32_t t;
    const struct frame_tree *tree;
    const struct frame_order *order;
    const uint32_t *place; /* [tree->n_nodes] a node's index in the array, if it has a place */
    struct framing_types types;
};

/* The form of a node. */
struct framing_form {
    bool leaves; /* do leaves have nodes? */
    size_t (*node_bytes)(struct framing_widths widths);
    void (*write)(const struct framing_source *source, unsigned char *nodes);
    framing_kernel *const *kernels; /* [FRAMING_KERNELS] */
    bool by_sets;                   /* the order of nodes; otherwise breadth first */
};
extern const struct framing_form framing_folded; /* folded_nodes.c */

/* The leaves' predictions are below this number. */
uint32_t framing_predictions(const struct ensemble *ensemble, uint32_t t);
/* The prediction of leaf `leaf` of tree t. */
uint32_t framing_prediction(const struct ensemble *ensemble, uint32_t t, uint32_t leaf);

/* The value of a node's split, as framing_goes_left compares it. */
uint32_t framing_split(float threshold, enum framing_values values);

/* The nodes of node_bytes that fit the lines that a cache of this machine's L1d could hold in one
 * of its sets (line size times ways), at least 1. The paper's 25 are 8 ways of 64 bytes with nodes
 * of 20 bytes. */
size_t framing_tau(size_t node_bytes);

/* The bytes of a node of tree t. */
size_t framing_node_bytes(const struct ensemble *ensemble, const struct framing_form *form,
                          uint32_t t);

/* Reads the options `compare` (float, the default, or int) and `feature` (float, the default, int16
 * or int32). Generic tests know only the values that the parameters list, and give floats. */
#define FRAMING_VALUES_PARAMS                                                                      \
    {"compare", "int: compare floats by their bits, as integers", "float int", "float"}, {         \
        "feature", "float; int16 or int32: documents of integers, converted once", "float",        \
            "float"                                                                                \
    }
extern const struct impl_param framing_params[]; /* of implementations with only these options */
enum status framing_read_values(const struct impl *impl, const struct options *options,
                                enum framing_values *values, struct error *error);

/* The type of documents' values. */
enum values_type framing_values_type(enum framing_values values);

/* Builds the scorer of an implementation. Reads the options for values, and for the sizes of sets
 * if the form has them. */
enum status framing_build(const struct impl *impl, const struct framing_form *form,
                          const struct ensemble *ensemble, const struct options *options,
                          struct scorer **scorer, struct error *error);
void framing_score(const struct scorer *scorer, struct span units, struct span docs,
                   const struct batch *batch);

/* What the descriptors have in common. */
#define FRAMING_FACTS .kind = IMPL_TRAVERSAL, .votes = true, .score = framing_score

#endif
