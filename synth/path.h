/* Draws values that lead a document to a chosen leaf. */
#ifndef SYNTH_PATH_H
#define SYNTH_PATH_H

#include "base/random.h"
#include "base/status.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stdint.h>

/* The parent of every node and leaf of an ensemble, and scratch memory for the bounds of a path. */
struct path {
    const struct ensemble *ensemble;
    int32_t *node_parent; /* [n_nodes] a node of the same tree; -1 for a root */
    int32_t *leaf_parent; /* [n_leaves] a node of the same tree; -1 if the leaf is a root */
    uint32_t *slot;       /* [n_nodes] index of a node's feature among the tested features */
    float *low, *high;    /* [tested features] the path allows values in (low, high]; reset to
                             (-inf, inf] after every call */
};

enum status path_create(const struct ensemble *ensemble, struct path **path, struct error *error);
void path_free(struct path *path); /* NULL is allowed */

/* Sets the features that are tested on the path to a leaf, so that `row` reaches the leaf. `leaf`
 * is counted within its tree. Each value is drawn from the interval that the path leaves for its
 * feature, within [0, 1) if possible. The other features of `row` are unchanged. False if no finite
 * values reach the leaf; `row` is then invalid. */
bool path_lead(struct path *path, uint32_t tree, uint32_t leaf, struct random *random, float *row);

/* Fills a row with random values in [0, 1). */
void path_fill_row(struct random *random, float *row, uint32_t n_features);

#endif
