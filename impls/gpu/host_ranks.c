#include "impls/gpu/host_ranks.h"

#include "base/memory.h"
#include "impls/planes/kernel/planes_types.h"

#include <inttypes.h>
#include <stdlib.h>

enum { RANK_BITS = 8 };

enum status host_ranks_take(struct planes_words *words, size_t most, struct host_ranks *ranks,
                            struct error *error) {
    size_t bytes;
    for (uint32_t i = 0; i < words->n_features; i++)
        if (words->first_plane[i + 1] - words->first_plane[i] > RANK_BITS)
            return error_set(error, STATUS_UNSUPPORTED,
                             "planes-gpu,ranks=host: feature %" PRIu32
                             " has over %d different thresholds. Leave out ranks=host",
                             words->features[i], (1 << RANK_BITS) - 1);
    *ranks = (struct host_ranks){.n_features = words->n_features,
                                 .features = words->features,
                                 .first_key = words->first_key,
                                 .first_plane = words->first_plane,
                                 .keys = words->keys};
    words->features = words->first_key = words->first_plane = NULL;
    words->keys = NULL;
    if (memory_multiply(ranks->n_features, most, &bytes))
        ranks->bytes = memory_aligned_alloc(bytes);
    return ranks->bytes ? STATUS_OK : error_memory(error, "ranks of documents");
}

void host_ranks_free(struct host_ranks *ranks) {
    free(ranks->features);
    free(ranks->first_key);
    free(ranks->first_plane);
    free(ranks->keys);
    free(ranks->bytes);
}

/* The number of thresholds that are less than a value. The levels of the search tree have at least
 * PLANES_LEVEL_KEYS keys. */
static uint8_t find_rank(const int32_t *level, uint32_t bits, int32_t key) {
    uint32_t rank = 0;
    for (uint32_t i = 0; i < bits; i++) {
        uint32_t n_keys = UINT32_C(1) << i;
        rank = 2 * rank + (key > level[rank]);
        level += n_keys > PLANES_LEVEL_KEYS ? n_keys : PLANES_LEVEL_KEYS;
    }
    return (uint8_t)rank;
}

void host_ranks_fill(struct host_ranks *ranks, const float *x, size_t x_stride, size_t n_docs,
                     size_t stride) {
    for (uint32_t i = 0; i < ranks->n_features; i++) {
        const int32_t *keys = ranks->keys + ranks->first_key[i];
        uint32_t bits = ranks->first_plane[i + 1] - ranks->first_plane[i];
        for (size_t doc = 0; doc < n_docs; doc++)
            ranks->bytes[i * stride + doc] =
                find_rank(keys, bits, float_key(x[doc * x_stride + ranks->features[i]]));
        for (size_t doc = n_docs; doc < stride; doc++)
            ranks->bytes[i * stride + doc] = 0;
    }
}
