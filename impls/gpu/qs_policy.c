#include "impls/gpu/qs_policy.h"

enum { LEAST_THREADS = 32, MOST_THREADS = 1024, BITS_PER_BYTE = 8, TREE_NUMBERS = 1 << 16 };

size_t qs_policy_tree_bytes(unsigned leaves) {
    size_t entry = leaves / BITS_PER_BYTE + sizeof(uint16_t);
    return entry * (leaves - 1) + sizeof(double) * leaves;
}

unsigned qs_policy_threads(const struct device_facts *facts, size_t tau, unsigned leaves) {
    size_t blocks = facts->shared_per_unit / (tau * leaves / BITS_PER_BYTE);
    unsigned most =
        facts->threads_per_block < MOST_THREADS ? facts->threads_per_block : MOST_THREADS;
    unsigned threads = LEAST_THREADS;
    for (; 2 * threads <= most; threads *= 2) {
        unsigned fill = facts->threads_per_unit / threads;
        if (2 <= fill && fill <= blocks)
            break;
    }
    return threads;
}

size_t qs_policy_most_trees(const struct device_facts *facts, unsigned leaves) {
    size_t most = facts->shared_per_block * BITS_PER_BYTE / leaves;
    return most < TREE_NUMBERS ? most : TREE_NUMBERS;
}

size_t qs_policy_tau(const struct device_facts *facts, size_t n_trees, unsigned leaves) {
    size_t most = facts->l2_bytes / qs_policy_tree_bytes(leaves);
    size_t limit = qs_policy_most_trees(facts, leaves);
    most = most < limit ? most : limit;
    if (most == 0 || n_trees == 0)
        return 1;
    size_t n_blocks = (n_trees + most - 1) / most;
    return (n_trees + n_blocks - 1) / n_blocks;
}
