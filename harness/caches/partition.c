#include "harness/caches/partition.h"

size_t partition_docs(const struct scorer *scorer, double doc_bytes, double level_bytes,
                      size_t n_docs) {
    double unit = (double)scorer->bytes / (double)scorer->n_units + (double)scorer->workspace;
    double docs = (level_bytes - unit) / doc_bytes;
    return docs < 1 ? 1 : docs < (double)n_docs ? (size_t)docs : n_docs;
}

size_t partition_list(uint32_t n_trees, size_t taus[static PARTITIONS_MOST]) {
    static const size_t steps[] = {1, 2, 5};
    size_t n = 0, decade = 1, step = 0;
    while (decade * steps[step] < n_trees) {
        taus[n++] = decade * steps[step];
        step = (step + 1) % 3;
        decade *= step == 0 ? 10 : 1;
    }
    taus[n++] = n_trees;
    return n;
}
