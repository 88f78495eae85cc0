#include "harness/blocking/partition.h"

/* 4 bytes each of threshold, tree id and leaf, for each leaf of a tree. */
enum { ENTRY_BYTES = 12, VALUE_BYTES = 4 };

static double vector_bytes(const struct quickscorer_unit *unit) {
    return (double)unit->leaves / 8;
}

static double fixed_bytes(const struct quickscorer_unit *unit) {
    return VALUE_BYTES * (double)unit->features +
           (ENTRY_BYTES + vector_bytes(unit)) * (double)unit->leaves * (double)unit->trees;
}

static double bytes_per_doc(const struct quickscorer_unit *unit) {
    return VALUE_BYTES * (double)unit->features + vector_bytes(unit) * (double)unit->trees;
}

double quickscorer_bytes(const struct quickscorer_unit *unit, double docs) {
    return fixed_bytes(unit) + docs * bytes_per_doc(unit);
}

double quickscorer_docs(const struct quickscorer_unit *unit, double level_bytes) {
    return (level_bytes - fixed_bytes(unit)) / bytes_per_doc(unit);
}

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
