/* GPU-QuickScorer (lettich2018 section 6). A block of trees has lists of entries: one list per
 * feature and side of NaN, with ascending thresholds. impls/gpu/qs_blocks.h explains the arrays. */

/* findFalseNodes: the number of entries of each list whose node is false for each document, which
 * are the list's first ones: pivots[document * n_lists + list]. One thread searches one list for one
 * document, and threads go along documents. The results pass through a tile of shared memory,
 * because the next kernel reads all pivots of a document.
 *
 * Blocks: documents / 32, lists / 32. Threads: a multiple of 32. Shared: 32 * 33 uint. */
KERNEL find_false_nodes(const GLOBAL int *columns, uint stride, const GLOBAL uint *list_feature,
                        const GLOBAL uint *list_nan_left, const GLOBAL uint *list_begin,
                        const GLOBAL int *threshold, uint n_lists, uint n_documents,
                        GLOBAL uint *pivots SHARED_ARGUMENT) {
    USE_SHARED;
    SHARED uint *tile = (SHARED uint *)shared;
    uint lane = THREAD % WARP, first = THREAD / WARP, step = THREADS / WARP;
    uint document = BLOCK * 32, list = BLOCK_Y * 32;
    for (uint i = first; i < 32; i += step) {
        if (document + lane < n_documents && list + i < n_lists) {
            int key = columns[(size_t)list_feature[list + i] * stride + document + lane];
            uint begin = list_begin[list + i], low = begin, high = list_begin[list + i + 1];
            if (key == KEY_OF_NAN && list_nan_left[list + i])
                high = low;
            while (low < high) {
                uint middle = low + (high - low) / 2;
                if (threshold[middle] < key)
                    low = middle + 1;
                else
                    high = middle;
            }
            tile[i * 33 + lane] = low - begin;
        }
    }
    BARRIER;
    for (uint i = first; i < 32; i += step)
        if (document + i < n_documents && list + lane < n_lists)
            pivots[(size_t)(document + i) * n_lists + list + lane] = tile[lane * 33 + i];
}

/* Clears the bits that the false nodes of a list clear. Half a set that a node does not change costs
 * nothing. */
FUNCTION void clear_leaves(SHARED uint *sets, const GLOBAL uint *mask, const GLOBAL ushort *tree,
                           uint begin, uint end, uint words) {
    for (uint e = begin; e < end; e += WARP) {
        SHARED uint *set = sets + tree[e] * words;
        for (uint word = 0; word < words; word++) {
            uint keep = mask[(size_t)e * words + word];
            if (~keep)
                SHARED_AND(set + word, keep);
        }
    }
}

FUNCTION uint exit_leaf(const SHARED uint *set, uint words) {
    if (words == 2 && set[0] == 0)
        return 32 + LOWEST_BIT(set[1]);
    return LOWEST_BIT(set[0]);
}

/* updateScores (algorithm 4): a block scores one document at a time. Each warp takes every n-th list.
 * The sum has the same order in every run.
 *
 * Blocks: any number. Threads: a power of two, at least 32. Shared: the larger of the leaf sets,
 * [n_trees][words] uint, and one double per thread. `words` is 1 or 2, for trees of up to 32 or 64
 * leaves. */
KERNEL update_scores(const GLOBAL uint *pivots, const GLOBAL uint *list_begin, uint n_lists,
                     const GLOBAL uint *mask, const GLOBAL ushort *tree,
                     const GLOBAL double *values, uint n_trees, uint words, uint n_documents,
                     GLOBAL double *scores, uint n_outputs, uint output SHARED_ARGUMENT) {
    USE_SHARED;
    SHARED uint *sets = (SHARED uint *)shared;
    for (uint document = BLOCK; document < n_documents; document += BLOCKS) {
        for (uint i = THREAD; i < n_trees * words; i += THREADS)
            sets[i] = 0xffffffffu;
        BARRIER;
        /* All threads go through this loop equally often, although some have no list at its end:
         * PoCL 3.1 makes wrong code of a loop that some threads do not enter. */
        for (uint first = 0; first < n_lists; first += THREADS / WARP) {
            uint list = first + THREAD / WARP;
            if (list < n_lists) {
                uint begin = list_begin[list];
                uint end = begin + pivots[(size_t)document * n_lists + list];
                clear_leaves(sets, mask, tree, begin + THREAD % WARP, end, words);
            }
        }
        BARRIER;
        double sum = 0;
        for (uint t = THREAD; t < n_trees; t += THREADS)
            sum += values[(size_t)t * words * 32 + exit_leaf(sets + t * words, words)];
        BARRIER; /* the sums of threads take the place of the sets */
        shared[THREAD] = sum;
        for (uint n = THREADS / 2; n > 0; n /= 2) {
            BARRIER;
            if (THREAD < n)
                shared[THREAD] += shared[THREAD + n];
        }
        if (THREAD == 0)
            scores[(size_t)document * n_outputs + output] += shared[0];
        BARRIER; /* the paper does not print it: the next document's sets take the sums' place */
    }
}
