/* Walks trees from the root to a leaf: one thread per document. The trees come in chunks, whose nodes
 * a block copies to shared memory. impls/gpu/walk_gpu.c explains the nodes. */

#define LEAF 0x7fffu
#define NAN_LEFT 0x8000u

/* The value of the leaf that a document reaches. */
FUNCTION double walk_tree(const SHARED uint2 *nodes, uint at, const GLOBAL int *column, uint stride,
                          const GLOBAL double *values) {
    uint2 node = nodes[at];
    while ((node.y & LEAF) != LEAF) {
        int key = column[(size_t)(node.y & LEAF) * stride];
        uint right = key > (int)node.x ? 1 : 0;
        if (key == KEY_OF_NAN && (node.y & NAN_LEFT))
            right = 0;
        node = nodes[(node.y >> 16) + right];
    }
    return values[node.x];
}

/* Adds the values of all trees, in their order.
 *
 * Blocks: documents / threads. Shared: [most nodes of a chunk] uint2. */
KERNEL walk_trees(const GLOBAL int *columns, uint stride, const GLOBAL uint *chunk_tree,
                  const GLOBAL uint *chunk_node, uint n_chunks, const GLOBAL uint *tree_root,
                  const GLOBAL uint *tree_output, const GLOBAL uint2 *nodes,
                  const GLOBAL double *values, uint n_documents, GLOBAL double *scores,
                  uint n_outputs SHARED_ARGUMENT) {
    USE_SHARED;
    SHARED uint2 *chunk = (SHARED uint2 *)shared;
    uint document = BLOCK * THREADS + THREAD;
    double sum = 0;
    for (uint i = 0; i < n_chunks; i++) {
        uint n_nodes = chunk_node[i + 1] - chunk_node[i];
        for (uint node = THREAD; node < n_nodes; node += THREADS)
            chunk[node] = nodes[chunk_node[i] + node];
        BARRIER;
        if (document < n_documents)
            for (uint tree = chunk_tree[i]; tree < chunk_tree[i + 1]; tree++) {
                double value = walk_tree(chunk, tree_root[tree], columns + document, stride, values);
                if (n_outputs == 1)
                    sum += value;
                else
                    scores[(size_t)document * n_outputs + tree_output[tree]] += value;
            }
        BARRIER; /* the next chunk takes the place of this one */
    }
    if (document < n_documents && n_outputs == 1)
        scores[document] += sum;
}
