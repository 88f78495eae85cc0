#include "harness/measure/false_nodes.h"

#include <math.h>

static uint64_t count_in(const struct ensemble *e, const float *x) {
    uint64_t count = 0;
    for (size_t node = 0; node < e->n_nodes; node++)
        count += !ensemble_goes_left(e, node, x[e->feature[node]]);
    return count;
}

struct false_nodes false_nodes_count(const struct ensemble *e, const struct matrix *documents,
                                     uint64_t max_tests) {
    size_t n = documents->n_rows;
    if (e->n_nodes > 0 && max_tests / e->n_nodes < n)
        n = max_tests < e->n_nodes ? 1 : (size_t)(max_tests / e->n_nodes);
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++) {
        size_t row = (size_t)((double)i * ((double)documents->n_rows / (double)n));
        count += count_in(e, matrix_row(documents, row));
    }
    double per_document = n ? (double)count / (double)n : (double)NAN;
    return (struct false_nodes){
        .documents = n,
        .per_tree = e->n_trees ? per_document / e->n_trees : (double)NAN,
        .share = e->n_nodes ? per_document / (double)e->n_nodes : (double)NAN,
    };
}
