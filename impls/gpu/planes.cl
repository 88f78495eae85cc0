/* Bit planes (impls/planes/kernel/planes_types.h) on a device. A plane has words of 32 documents: bit
 * d of word w stands for document (w / 32) * 1024 + d * 32 + w % 32, so that neighbouring threads,
 * which have neighbouring words, read neighbouring documents. `words` is the number of words of a
 * whole batch. No thread needs another one, so there are no barriers. */

/* The planes of the bits of ranks: ranks[(first_plane[feature] + bit) * words + word]. A document's
 * rank is found in a search tree of `bits` levels, whose levels have 16 keys or more.
 *
 * Blocks: words / threads, features that are tested. */
KERNEL find_ranks(const GLOBAL int *columns, uint stride, const GLOBAL uint *features,
                  const GLOBAL uint *first_key, const GLOBAL uint *first_plane,
                  const GLOBAL int *keys, uint n_words, uint words, GLOBAL uint *ranks) {
    uint word = BLOCK * THREADS + THREAD, feature = BLOCK_Y;
    uint bits = first_plane[feature + 1] - first_plane[feature];
    uint plane[32];
    if (word >= n_words)
        return;
    const GLOBAL int *column =
        columns + (size_t)features[feature] * stride + word / 32 * 1024 + word % 32;
    UNROLL
    for (uint bit = 0; bit < 32; bit++)
        plane[bit] = 0;
    for (uint d = 0; d < 32; d++) {
        int key = column[d * 32];
        uint rank = 0, level_key = first_key[feature];
        for (uint level = 0; level < bits; level++) {
            rank = 2 * rank + (key > keys[level_key + rank] ? 1 : 0);
            level_key += level < 4 ? 16 : 1u << level;
        }
        UNROLL
        for (uint bit = 0; bit < 32; bit++)
            if (bit < bits)
                plane[bit] |= (rank >> bit & 1) << d;
    }
    UNROLL
    for (uint bit = 0; bit < 32; bit++)
        if (bit < bits)
            ranks[(size_t)(first_plane[feature] + bit) * words + word] = plane[bit];
}

/* The same from ranks that the host made: bytes[feature * stride + document].
 *
 * Blocks: words / threads, features that are tested. */
KERNEL spread_ranks(const GLOBAL uchar *bytes, uint stride, const GLOBAL uint *first_plane,
                    uint n_words, uint words, GLOBAL uint *ranks) {
    uint word = BLOCK * THREADS + THREAD, feature = BLOCK_Y;
    uint bits = first_plane[feature + 1] - first_plane[feature];
    if (word >= n_words)
        return;
    const GLOBAL uchar *column = bytes + (size_t)feature * stride + word / 32 * 1024 + word % 32;
    for (uint bit = 0; bit < bits; bit++) {
        uint plane = 0;
        for (uint d = 0; d < 32; d++)
            plane |= ((uint)column[d * 32] >> bit & 1) << d;
        ranks[(size_t)(first_plane[feature] + bit) * words + word] = plane;
    }
}

/* The plane of the documents whose rank is at least `bound`, bit by bit from the lowest. */
FUNCTION uint reaches(const GLOBAL uint *plane, uint words, uint bits, uint bound) {
    uint result = 0xffffffffu;
    for (uint bit = 0; bit < bits; bit++) {
        uint of_ranks = plane[(size_t)bit * words];
        result = bound >> bit & 1 ? result & of_ranks : result | of_ranks;
    }
    return result;
}

/* The planes of tests: tests[test * words + word] are the documents that go right. A thread makes all
 * tests of a feature, so that it reads the planes of the ranks' bits from a near cache.
 *
 * Blocks: words / threads, features that are tested. */
KERNEL make_tests(const GLOBAL uint *ranks, const GLOBAL uint *first_plane,
                  const GLOBAL uint *first_test, const GLOBAL uint *test_rank,
                  const GLOBAL uint *test_nan_rank, uint n_words, uint words, GLOBAL uint *tests) {
    uint word = BLOCK * THREADS + THREAD, feature = BLOCK_Y;
    uint bits = first_plane[feature + 1] - first_plane[feature];
    if (word >= n_words)
        return;
    const GLOBAL uint *plane = ranks + (size_t)first_plane[feature] * words + word;
    for (uint test = first_test[feature]; test < first_test[feature + 1]; test++) {
        uint result = reaches(plane, words, bits, test_rank[test]);
        if (test_nan_rank[test])
            result &= ~reaches(plane, words, bits, test_nan_rank[test]);
        tests[(size_t)test * words + word] = result;
    }
}

/* The planes L_c of a tree, one operation per node. A node has the numbers of L_a, L_b and L_c in 10
 * bits each, and its test. L_c of a thread is exits[c * THREADS]. */
FUNCTION void split_leaves(const GLOBAL uint *tests, uint words, const GLOBAL uint *nodes,
                           uint n_leaves, SHARED uint *exits) {
    exits[0] = 0xffffffffu;
    exits[n_leaves * THREADS] = 0;
    for (uint node = 0; node + 1 < n_leaves; node++) {
        uint places = nodes[2 * node];
        uint above = exits[(places & 1023) * THREADS];
        uint below = exits[(places >> 10 & 1023) * THREADS];
        uint test = tests[(size_t)nodes[2 * node + 1] * words];
        exits[(places >> 20) * THREADS] = below | (above & test);
    }
}

/* Adds the values of the trees of a part to sums of their own: partial[part * stride + document].
 *
 * Blocks: parts * word_blocks. Threads: any number. Shared: [most leaves + 1][threads] uint. */
KERNEL score_parts(const GLOBAL uint *tests, uint n_words, uint words, const GLOBAL uint *nodes,
                   const GLOBAL uint *tree_node, const GLOBAL uint *tree_leaves,
                   const GLOBAL uint *tree_value, const GLOBAL double *values,
                   const GLOBAL uint *part_begin, const GLOBAL uint *part_end, uint n_parts,
                   GLOBAL double *partial, uint stride SHARED_ARGUMENT) {
    USE_SHARED;
    SHARED uint *exits = (SHARED uint *)shared + THREAD;
    uint part = BLOCK % n_parts, word = BLOCK / n_parts * THREADS + THREAD;
    double sum[32];
    if (word >= n_words)
        return;
    UNROLL
    for (uint d = 0; d < 32; d++)
        sum[d] = 0;
    for (uint tree = part_begin[part]; tree < part_end[part]; tree++) {
        uint n_leaves = tree_leaves[tree], code[8];
        const GLOBAL double *value = values + tree_value[tree];
        split_leaves(tests + word, words, nodes + 2 * (size_t)tree_node[tree], n_leaves, exits);
        UNROLL
        for (uint bit = 0; bit < 8; bit++) {
            code[bit] = 0;
            for (uint c = 1u << bit; c < n_leaves; c += 2u << bit)
                code[bit] ^= exits[c * THREADS];
        }
        /* The codes of four documents at a time, a byte each: documents d, d + 8, d + 16, d + 24. */
        UNROLL
        for (uint d = 0; d < 8; d++) {
            uint four = 0;
            UNROLL
            for (uint bit = 0; bit < 8; bit++)
                four |= (code[bit] >> d & 0x01010101u) << bit;
            UNROLL
            for (uint i = 0; i < 4; i++)
                sum[d + 8 * i] += value[four >> 8 * i & 255];
        }
    }
    UNROLL
    for (uint d = 0; d < 32; d++)
        partial[(size_t)part * stride + word / 32 * 1024 + d * 32 + word % 32] = sum[d];
}

/* Adds the sums of the parts, in their order. One thread per document. */
KERNEL add_parts(const GLOBAL double *partial, uint stride, const GLOBAL uint *part_output,
                 uint n_parts, uint n_documents, GLOBAL double *scores, uint n_outputs) {
    uint document = BLOCK * THREADS + THREAD;
    if (document >= n_documents)
        return;
    for (uint part = 0; part < n_parts; part++)
        scores[(size_t)document * n_outputs + part_output[part]] +=
            partial[(size_t)part * stride + document];
}
