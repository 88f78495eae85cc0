#include "synth/by_feature.h"

#include <stdlib.h>

/* Counting sort. Afterwards begin[f] is where the nodes of feature f begin. */
static void sort(const struct ensemble *e, struct by_feature *nodes) {
    size_t *begin = nodes->begin;
    for (size_t i = 0; i < e->n_nodes; i++)
        begin[e->feature[i]]++;
    size_t end = 0;
    for (uint32_t f = 0; f < e->n_features; f++)
        begin[f] = end += begin[f];
    begin[e->n_features] = end;
    for (size_t i = e->n_nodes; i-- > 0;)
        nodes->nodes[--begin[e->feature[i]]] = i;
}

bool by_feature_make(const struct ensemble *ensemble, struct by_feature *nodes) {
    nodes->begin = calloc((size_t)ensemble->n_features + 1, sizeof *nodes->begin);
    nodes->nodes = malloc((ensemble->n_nodes + 1) * sizeof *nodes->nodes); /* malloc(0): NULL? */
    if (!nodes->begin || !nodes->nodes)
        return false;
    sort(ensemble, nodes);
    return true;
}

void by_feature_free(struct by_feature *nodes) {
    free(nodes->begin);
    free(nodes->nodes);
}

float by_feature_cut(const struct ensemble *e, size_t node, struct random *random) {
    if (!ensemble_is_set(e, node))
        return e->threshold[node];
    size_t begin = e->set_cut[e->set[node]], end = e->set_cut[e->set[node] + 1];
    return e->cut[begin + (size_t)random_below(random, end - begin)];
}
