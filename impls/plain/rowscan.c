/* Reads every feature of every document once and ignores the ensemble's trees. Its time is a lower
 * bound for implementations that read every feature. There is one unit, so that every loop order
 * reads each document once. */
#include "impls/impl.h"

#include <string.h>

/* Adds the features' bits as integers. The compiler may reorder integer sums, unlike float sums, so
 * it can vectorise the loop. */
static uint32_t sum_bits(const float *row, uint32_t n_features) {
    uint32_t sum = 0;
    for (uint32_t f = 0; f < n_features; f++) {
        uint32_t bits;
        memcpy(&bits, &row[f], sizeof bits);
        sum += bits;
    }
    return sum;
}

static void rowscan_score(const struct scorer *scorer, struct span units, struct span docs,
                          const struct batch *batch) {
    (void)units;
    for (size_t doc = docs.begin; doc < docs.end; doc++) {
        uint32_t sum = sum_bits(batch->x + doc * batch->stride, scorer->n_features);
        __asm__ volatile("" : : "r"(sum)); /* keeps the compiler from dropping the unused sum */
    }
}

static enum status rowscan_build(const struct impl *impl, const struct ensemble *ensemble,
                                 const struct options *options, struct scorer **scorer,
                                 struct error *error) {
    (void)options;
    struct scorer *made = scorer_create(sizeof *made, impl, ensemble, 1, 1, error);
    return made ? scorer_finish(made, STATUS_OK, scorer, error) : STATUS_MEMORY;
}

const struct impl impl_rowscan = {.name = "rowscan",
                                  .title = "reading the documents",
                                  .source = "-",
                                  .kind = IMPL_BASELINE,
                                  .sets = true,
                                  .votes = true,
                                  .build = rowscan_build,
                                  .score = rowscan_score};
