#include "impls/framing/frame_lines.h"

#include <stdlib.h>

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

enum status frame_lines_per_path(const struct frame_tree *tree, const struct frame_order *order,
                                 size_t node_bytes, size_t line_bytes, double *lines,
                                 struct error *error) {
    size_t n_lines = order->n_nodes * node_bytes / line_bytes + 1;
    struct path path = {.tree = tree,
                        .node_bytes = node_bytes,
                        .line_bytes = line_bytes,
                        .place = malloc(tree->n_nodes * sizeof *path.place),
                        .times = calloc(n_lines, sizeof *path.times)};
    if (!path.place || !path.times) {
        free(path.place);
        free(path.times);
        return error_memory(error, "the lines of a tree");
    }
    for (uint32_t node = 0; node < tree->n_nodes; node++)
        path.place[node] = NOT_PLACED;
    for (size_t i = 0; i < order->n_nodes; i++)
        path.place[order->node[i]] = i;
    walk(&path, 0);
    *lines = tree->weight[0] > 0 ? path.lines / tree->weight[0] : 0;
    free(path.place);
    free(path.times);
    return STATUS_OK;
}
