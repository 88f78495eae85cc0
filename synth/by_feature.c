#include "synth/by_feature.h"

#include <stdlib.h>

struct tested_node {
    uint32_t feature;
    size_t node;
};

static int compare(const void *a, const void *b) {
    const struct tested_node *x = a, *y = b;
    if (x->feature != y->feature)
        return x->feature < y->feature ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static void list_features(const struct tested_node *sorted, size_t count,
                          struct by_feature *nodes) {
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || sorted[i].feature != sorted[i - 1].feature) {
            nodes->tested[nodes->n_tested] = sorted[i].feature;
            nodes->begin[nodes->n_tested++] = i;
        }
        nodes->nodes[i] = sorted[i].node;
    }
    nodes->begin[nodes->n_tested] = count;
}

bool by_feature_make(const struct ensemble *ensemble, struct by_feature *nodes) {
    size_t count = ensemble->n_nodes, room = count + 1; /* malloc(0) may return NULL */
    struct tested_node *sorted = malloc(room * sizeof *sorted);
    *nodes = (struct by_feature){.tested = malloc(room * sizeof *nodes->tested),
                                 .begin = malloc(room * sizeof *nodes->begin),
                                 .nodes = malloc(room * sizeof *nodes->nodes)};
    bool made = sorted && nodes->tested && nodes->begin && nodes->nodes;
    for (size_t i = 0; made && i < count; i++)
        sorted[i] = (struct tested_node){ensemble->feature[i], i};
    if (made) {
        qsort(sorted, count, sizeof *sorted, compare);
        list_features(sorted, count, nodes);
    }
    free(sorted);
    return made;
}

void by_feature_free(struct by_feature *nodes) {
    free(nodes->tested);
    free(nodes->begin);
    free(nodes->nodes);
}

float by_feature_cut(const struct ensemble *e, size_t node, struct random *random) {
    if (!ensemble_is_set(e, node))
        return e->threshold[node];
    size_t begin = e->set_cut[e->set[node]], end = e->set_cut[e->set[node] + 1];
    return e->cut[begin + (size_t)random_below(random, end - begin)];
}
