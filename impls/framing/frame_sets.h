/* The order of nodes in memory that buschjaeger2018 calls optimized (Algorithm 2).
 *
 * The array of nodes is a sequence of sets of at most tau nodes. A set holds a path: it begins with
 * the most probable node that is not stored yet, and continues with the likelier child of each
 * node. If that child is not placed, the set ends, or it is filled up with further such paths.
 *
 * The printed algorithm loses the children of a set's last node if the node was taken from the
 * queue, and with them up to half of the tree. Here they always enter the queue. */
#ifndef IMPLS_FRAMING_FRAME_SETS_H
#define IMPLS_FRAMING_FRAME_SETS_H

#include "base/status.h"
#include "impls/framing/frame_tree.h"

/* Where `leaves` is a parameter: whether leaves have a place in the array. Inner nodes always do.
 */

struct frame_order {
    size_t n_nodes, n_sets;
    uint32_t *node;  /* [n_nodes] the placed nodes in their order */
    uint32_t *end;   /* [n_sets] where each set ends in `node` */
    uint32_t *queue; /* used while the order is made */
};

/* Makes room for trees of up to n_nodes nodes, unless the pool fails. */
void frame_order_create(struct frame_order *order, size_t n_nodes, struct memory_pool *pool);

/* The naive order: breadth first, one set. */
void frame_order_by_level(struct frame_order *order, const struct frame_tree *tree, bool leaves);

/* Sets of tau >= 1 nodes. If `fill`, a set whose path ends goes on with the most probable node of
 * the queue; otherwise it stays short. */
void frame_order_by_sets(struct frame_order *order, const struct frame_tree *tree, bool leaves,
                         size_t tau, bool fill);

/* Sets *lines to the expected number of cache lines of line_bytes that a path touches, exactly, by
 * the tree's probabilities. The nodes of `order` take node_bytes each, one after the other, from
 * the beginning of a line. All bytes of a node count as touched. Values of leaves are not counted
 * unless leaves have a place in `order`. 0 if no node is placed. */
enum status frame_lines_per_path(const struct frame_tree *tree, const struct frame_order *order,
                                 size_t node_bytes, size_t line_bytes, double *lines,
                                 struct error *error);

#endif
