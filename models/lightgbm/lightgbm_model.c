/* What the readers of LightGBM's text and of its dumps share: trees become an ensemble. */
#include "models/lightgbm/lightgbm_reader.h"

#include "models/reader.h"

#include <stdlib.h>

enum { MAX_CUTS = 1000 * 1000 }; /* in a tree */

bool lightgbm_supports_version(const char *begin, const char *end) {
    return end - begin == 2 && begin[0] == 'v' && begin[1] >= '2' && begin[1] <= '4';
}

void lightgbm_begin_tree(struct lightgbm_model *m) {
    m->n_cuts = 0;
    ensemble_builder_add_tree(m->builder, m->n_trees++ % m->trees_per_iteration);
}

enum status lightgbm_add_split(struct lightgbm_model *m, struct inner_node *node) {
    m->n_cuts += m->split.cuts.count;
    if (m->n_cuts > MAX_CUTS)
        return error_set(m->error, STATUS_UNSUPPORTED,
                         "%s: tree %u has more than %d groups of categories", m->name,
                         m->n_trees - 1, (int)MAX_CUTS);
    reader_set_cuts(&m->split.cuts, node);
    node->lowest_right = m->split.lowest_right;
    node->nan_left = m->split.nan_left;
    ensemble_builder_add_inner(m->builder, node);
    return STATUS_OK;
}

void lightgbm_add_leaf(struct lightgbm_model *m, double value, uint64_t count) {
    ensemble_builder_add_leaf(m->builder, value / m->divisor, count);
}

struct lightgbm_model lightgbm_begin_model(const char *name, struct error *error) {
    return (struct lightgbm_model){
        .name = name, .error = error, .divisor = 1, .builder = ensemble_builder_create()};
}

enum status lightgbm_finish(struct lightgbm_model *m, enum status status,
                            struct ensemble **ensemble) {
    if (!status && m->n_trees % m->trees_per_iteration)
        status =
            error_set(m->error, STATUS_INPUT,
                      "%s: the number of trees, %u, is not a multiple of num_tree_per_iteration=%u",
                      m->name, m->n_trees, m->trees_per_iteration);
    free(m->split.cuts.values);
    const struct ensemble_shape shape = {
        .n_features = m->n_features, .n_outputs = m->trees_per_iteration, .compares_doubles = true};
    status = reader_finish(m->name, status, m->builder, &shape, ensemble, m->error);
    if (!status && m->divisor != 1)
        (*ensemble)->averaged = (uint32_t)m->divisor;
    return status;
}
