/* Bit planes in portable C: vectors of two 64-bit words, which every compiler can do without. */
#include "impls/planes_model.h"

#define PLANES_REGISTER 16
#define PLANES_PARTS 2
#define PLANES_FAN_BITS 2

static inline uint32_t planes_child(const int32_t *node, int32_t key) {
    return (uint32_t)(key > node[0]) + (uint32_t)(key > node[1]) + (uint32_t)(key > node[2]);
}

static inline void planes_read(const float *x, size_t stride, int32_t *keys, size_t keys_stride) {
    for (size_t doc = 0; doc < 8; doc++)
        for (size_t column = 0; column < 8; column++)
            keys[column * keys_stride + doc] = planes_key(x[doc * stride + column]);
}

#include "impls/planes_kernel.h"

extern const struct impl impl_planes;

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    (void)options;
    return planes_build_here(&impl_planes, ensemble, scorer, error);
}

const struct impl impl_planes = {.name = "planes",
                                 .title = "Bit planes",
                                 .source = "docs/floors.md",
                                 .kind = IMPL_TRAVERSAL,
                                 .build = build,
                                 .score = planes_score,
                                 .destroy = planes_scorer_destroy};
