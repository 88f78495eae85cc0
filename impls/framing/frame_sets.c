#include "impls/framing/frame_sets.h"

void frame_order_create(struct frame_order *order, size_t n_nodes, struct memory_pool *pool) {
    *order = (struct frame_order){.node = memory_pool_array(pool, n_nodes, sizeof *order->node),
                                  .end = memory_pool_array(pool, n_nodes, sizeof *order->end),
                                  .queue = memory_pool_array(pool, n_nodes, sizeof *order->queue)};
}

void frame_order_by_level(struct frame_order *order, const struct frame_tree *tree, bool leaves) {
    order->n_nodes = 0;
    for (uint32_t node = 0; node < tree->n_nodes; node++)
        if (leaves || !frame_is_leaf(tree, node))
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
    bool leaves;
    struct queue queue;
};

static bool is_placed(const struct maker *maker, uint32_t node) {
    return maker->leaves || !frame_is_leaf(maker->queue.tree, node);
}

static void push_if_placed(struct maker *maker, uint32_t node) {
    if (is_placed(maker, node))
        push(&maker->queue, node);
}

/* The next node of a set after `node`, which is no longer the set's last. FRAME_NONE ends the set.
 */
static uint32_t next_of_set(struct maker *maker, uint32_t node, bool fill) {
    const struct frame_tree *tree = maker->queue.tree;
    if (!frame_is_leaf(tree, node)) {
        uint32_t likelier = frame_likelier(tree, node);
        push_if_placed(maker, frame_other(tree, node));
        if (is_placed(maker, likelier))
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

void frame_order_by_sets(struct frame_order *order, const struct frame_tree *tree, bool leaves,
                         size_t tau, bool fill) {
    struct maker maker = {order, leaves, {tree, order->queue, 0}};
    order->n_nodes = order->n_sets = 0;
    push_if_placed(&maker, 0);
    while (maker.queue.count)
        add_set(&maker, tau, fill);
}

/* --- lines ------------------------------------------------------------------------------------ */

#define NOT_PLACED SIZE_MAX

struct path {
    const struct frame_tree *tree;
    size_t node_bytes, line_bytes;
    size_t *place;   /* [n_nodes] index of a node in the array, or NOT_PLACED */
    uint32_t *times; /* [lines] how many nodes of the present path touch the line */
    double lines;    /* sum over nodes of their weight times the lines that they add to a path */
};

/* Recursion is safe because trees are at most ENSEMBLE_MAX_DEPTH deep. */
static void walk(struct path *path, uint32_t node) {
    size_t place = path->place[node];
    if (place == NOT_PLACED)
        return;
    size_t first = place * path->node_bytes / path->line_bytes;
    size_t last = ((place + 1) * path->node_bytes - 1) / path->line_bytes;
    for (size_t line = first; line <= last; line++)
        if (path->times[line]++ == 0)
            path->lines += path->tree->weight[node];
    if (!frame_is_leaf(path->tree, node)) {
        walk(path, path->tree->left[node]);
        walk(path, path->tree->right[node]);
    }
    for (size_t line = first; line <= last; line++)
        path->times[line]--;
}

static double mean_lines(struct path *path, const struct frame_order *order) {
    double all = path->tree->weight[0];
    for (uint32_t node = 0; node < path->tree->n_nodes; node++)
        path->place[node] = NOT_PLACED;
    for (size_t i = 0; i < order->n_nodes; i++)
        path->place[order->node[i]] = i;
    walk(path, 0);
    return all > 0 ? path->lines / all : 0;
}

enum status frame_lines_per_path(const struct frame_tree *tree, const struct frame_order *order,
                                 size_t node_bytes, size_t line_bytes, double *lines,
                                 struct error *error) {
    size_t n_lines = order->n_nodes * node_bytes / line_bytes + 1;
    struct memory_pool pool = {0};
    struct path path = {.tree = tree,
                        .node_bytes = node_bytes,
                        .line_bytes = line_bytes,
                        .place = memory_pool_array(&pool, tree->n_nodes, sizeof *path.place),
                        .times = memory_pool_array(&pool, n_lines, sizeof *path.times)};
    bool complete = !pool.failed;
    if (complete)
        *lines = mean_lines(&path, order);
    memory_pool_free(&pool);
    return complete ? STATUS_OK : error_memory(error, "the lines of a tree");
}
