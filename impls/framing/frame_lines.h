/* The cache lines that a document touches on its path through a tree. */
#ifndef IMPLS_FRAMING_FRAME_LINES_H
#define IMPLS_FRAMING_FRAME_LINES_H

#include "base/status.h"
#include "impls/framing/frame_sets.h"

/* Sets *lines to the expected number of lines of line_bytes that a path touches, exactly, by the
 * tree's probabilities. The nodes of `order` take node_bytes each, one after the other, from the
 * beginning of a line. All bytes of a node count as touched. Values of leaves are not counted
 * unless leaves have a place in `order`. 0 if no node is placed. */
enum status frame_lines_per_path(const struct frame_tree *tree, const struct frame_order *order,
                                 size_t node_bytes, size_t line_bytes, double *lines,
                                 struct error *error);

#endif
