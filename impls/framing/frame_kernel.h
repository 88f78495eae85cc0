/* The likely nodes of a tree whose machine code fits a budget (buschjaeger2018, Algorithm 1): the
 * kernel. The other nodes are moved behind it.
 *
 * The printed algorithm classifies a node again for each path that it lies on, so its size counts
 * several times. Here it is classified once. If a node is not in the kernel, no node below it
 * is, so each path leaves the kernel at most once. */
#ifndef IMPLS_FRAMING_FRAME_KERNEL_H
#define IMPLS_FRAMING_FRAME_KERNEL_H

#include "impls/framing/frame_tree.h"

/* The bytes of machine code of a node. */
struct frame_bytes {
    size_t split, leaf;
};

struct frame_kernel {
    bool *has;          /* [n_nodes] is the node in the kernel? */
    size_t bytes;       /* of its nodes, together */
    double probability; /* p(K) of Eq. 1: the sum of its nodes' probabilities */
    double stay;        /* the probability that a document's path does not leave the kernel */
    /* used while the kernel is chosen: */
    bool *known;
    uint32_t *parent, *stack;
    struct frame_path *paths;
};

/* Makes room for trees of up to n_nodes nodes, unless the pool fails. */
void frame_kernel_create(struct frame_kernel *kernel, size_t n_nodes, struct memory_pool *pool);

/* Chooses nodes along the paths to leaves, the most probable path first. Equally probable: the one
 * further left. A node of a path enters the kernel if the budget is not exceeded. If `strict`, the
 * first node that exceeds the budget enters it as the last one, as in the authors' program. */
void frame_kernel_choose(struct frame_kernel *kernel, const struct frame_tree *tree,
                         struct frame_bytes bytes, size_t budget, bool strict);

/* All nodes. */
void frame_kernel_take_all(struct frame_kernel *kernel, const struct frame_tree *tree);

/* The expected bytes of code of a split and of a leaf on this architecture, without constants: s(i)
 * of buschjaeger2018. The functions of real trees have more or fewer, because jumps are short or
 * long and leaves may share code. */
struct frame_bytes ifelse_node_bytes(bool as_int, bool votes);

/* The size of this machine's L1 instruction cache; 32 KiB if it is unknown. */
size_t ifelse_cache_bytes(void);

#endif
