/* Documents as ranks of one byte, made on the host, so that copies to a device are four times
 * smaller than those of floats. For planes-gpu,ranks=host. */
#ifndef IMPLS_GPU_HOST_RANKS_H
#define IMPLS_GPU_HOST_RANKS_H

#include "impls/gpu/planes_words.h"

struct host_ranks {
    uint32_t n_features;
    uint32_t *features, *first_key, *first_plane; /* as in struct planes_words */
    int32_t *keys;
    uint8_t *bytes; /* [n_features][stride] */
};

/* Takes the search trees out of `words`, which then lacks them. `most` is the largest stride.
 * STATUS_UNSUPPORTED if the ranks of a feature do not fit in a byte. Call host_ranks_free even
 * after a failure. */
enum status host_ranks_take(struct planes_words *words, size_t most, struct host_ranks *ranks,
                            struct error *error);
void host_ranks_free(struct host_ranks *ranks);

/* Fills `bytes` with the ranks of documents: bytes[feature * stride + document]. */
void host_ranks_fill(struct host_ranks *ranks, const float *x, size_t x_stride, size_t n_docs,
                     size_t stride);

#endif
