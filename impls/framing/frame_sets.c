#include "impls/framing/frame_sets.h"

#include <stdlib.h>

bool frame_place_all(const struct frame_tree *tree, uint32_t node) {
    (void)tree, (void)node;
    return true;
}

bool frame_place_inner(const struct frame_tree *tree, uint32_t node) {
    return !frame_is_leaf(tree, node);
}

bool frame_order_create(struct frame_order *order, size_t n_nodes) {
    *order = (struct frame_order){.node = malloc(n_nodes * sizeof *order->node + 1),
                                  .end = malloc(n_nodes * sizeof *order->end + 1),
                                  .queue = malloc(n_nodes * sizeof *order->queue + 1)};
    if (order->node && order->end && order->queue)
        return true;
    frame_order_free(order);
    return false;
}

void frame_order_free(struct frame_order *order) {
    free(order->node);
    free(order->end);
    free(order->queue);
}

void frame_order_by_level(struct frame_order *order, const struct frame_tree *tree,
                          frame_placed *is_placed) {
    order->n_nodes = 0;
    for (uint32_t node = 0; node < tree->n_nodes; node++)
        if (is_placed(tree, node))
            order->node[order->n_nodes++] = node;
    order->n_sets = order->n_nodes > 0;
    if (order->n_sets)
        order->end[0] = (uint32_t)order->n_nodes;
}

/* --- the queue: a binary heap ----------------------------------------------------------------- */

struct queue {
    const struct frame_tree *tree;
    uint32_t *node;
    size_t count;
};

/* The more probable node comes first. Equally probable: the smaller number. */
static bool comes_first(const struct frame_tree *tree, uint32_t a, uint32_t b) {
    double of_a = tree->weight[a], of_b = tree->weight[b];
    return of_a > of_b || (of_a == of_b && a < b);
}

static void push(struct queue *queue, uint32_t node) {
    size_t at = queue->count++;
    while (at > 0 && comes_first(queue->tree, node, queue->node[(at - 1) / 2])) {
        queue->node[at] = queue->node[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    queue->node[at] = node;
}

static uint32_t pop(struct queue *queue) {
    uint32_t first = queue->node[0], last = queue->node[--queue->count];
    size_t at = 0;
    for (size_t child = 1; child < queue->count; child = 2 * at + 1) {
        if (child + 1 < queue->count &&
            comes_first(queue->tree, queue->node[child + 1], queue->node[child]))
            child++;
        if (comes_first(queue->tree, last, queue->node[child]))
            break;
        queue->node[at] = queue->node[child];
        at = child;
    }
    queue->node[at] = last;
    return first;
}

/* --- Algorithm 2 ------------------------------------------------------------------------------ */

struct maker {
    struct frame_order *order;
    frame_placed *is_placed;
    struct queue queue;
};

static void push_if_placed(struct maker *maker, uint32_t node) {
    if (maker->is_placed(maker->queue.tree, node))
        push(&maker->queue, node);
}

/* The next node of a set after `node`, which is no longer the set's last. FRAME_NONE ends the set.
 */
static uint32_t next_of_set(struct maker *maker, uint32_t node, bool fill) {
    const struct frame_tree *tree = maker->queue.tree;
    if (!frame_is_leaf(tree, node)) {
        uint32_t likelier = frame_likelier(tree, node);
        push_if_placed(maker, frame_other(tree, node));
        if (maker->is_placed(tree, likelier))
            return likelier;
    }
    return fill && maker->queue.count ? pop(&maker->queue) : FRAME_NONE;
}

static void push_children(struct maker *maker, uint32_t node) {
    const struct frame_tree *tree = maker->queue.tree;
    if (frame_is_leaf(tree, node))
        return;
    push_if_placed(maker, tree->left[node]);
    push_if_placed(maker, tree->right[node]);
}

static void add_set(struct maker *maker, size_t tau, bool fill) {
    struct frame_order *order = maker->order;
    uint32_t node = pop(&maker->queue);
    for (size_t size = 1; node != FRAME_NONE; size++) {
        order->node[order->n_nodes++] = node;
        if (size == tau) {
            push_children(maker, node);
            break;
        }
        node = next_of_set(maker, node, fill);
    }
    order->end[order->n_sets++] = (uint32_t)order->n_nodes;
}

void frame_order_by_sets(struct frame_order *order, const struct frame_tree *tree,
                         frame_placed *is_placed, size_t tau, bool fill) {
    struct maker maker = {order, is_placed, {tree, order->queue, 0}};
    order->n_nodes = order->n_sets = 0;
    push_if_placed(&maker, 0);
    while (maker.queue.count)
        add_set(&maker, tau, fill);
}
