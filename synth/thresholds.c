/* Creates documents from an ensemble's own thresholds, for when no documents are available. */
#include "synth/by_feature.h"
#include "synth/stream.h"
#include "synth/synth.h"

#include "base/origin.h"
#include "base/random.h"

#include <stdio.h>

static void fill_row(const struct ensemble *ensemble, const struct by_feature *nodes,
                     struct random *random, float *row) {
    for (size_t i = 0; i < nodes->n_tested; i++) {
        size_t begin = nodes->begin[i], count = nodes->begin[i + 1] - begin;
        size_t node = nodes->nodes[begin + (size_t)random_below(random, count)];
        row[nodes->tested[i]] = by_feature_cut(ensemble, node, random);
    }
}

enum status synth_threshold_documents(const struct ensemble *ensemble, size_t n_rows, uint64_t seed,
                                      struct matrix **matrix, struct error *error) {
    struct by_feature nodes;
    struct random random;
    enum status status =
        by_feature_make(ensemble, &nodes)
            ? matrix_create(n_rows, ensemble->n_features ? ensemble->n_features : 1, matrix, error)
            : error_memory(error, "the nodes of each feature");
    random_seed(&random, random_derive(seed, STREAM_THRESHOLDS));
    for (size_t row = 0; row < n_rows && !status; row++)
        fill_row(ensemble, &nodes, &random, matrix_row(*matrix, row));
    if (!status) {
        (*matrix)->origin = ORIGIN_STAND_IN;
        snprintf((*matrix)->note, sizeof(*matrix)->note,
                 "made up: each value a random threshold of its feature, seed %llu",
                 (unsigned long long)seed);
    }
    by_feature_free(&nodes);
    return status;
}
