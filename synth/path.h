/* Values that lead a document to a chosen leaf. Private to synth/. */
#ifndef SYNTH_PATH_H
#define SYNTH_PATH_H

#include "base/random.h"
#include "base/status.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stdint.h>

/* The way up from every node and leaf of an ensemble, and room to collect a path's bounds. */
struct path {
    const struct ensemble *ensemble;
    int32_t *node_parent; /* [n_nodes] a node of the same tree; -1 for a root, likewise below */
    int32_t *leaf_parent; /* [n_leaves] */
    uint32_t *slot;       /* [n_nodes] the number of a node's feature among those that are tested */
    float *low, *high;    /* [slots] (low, high], all (-inf, inf] between two calls */
};

enum status path_create(const struct ensemble *ensemble, struct path **path, struct error *error);
void path_free(struct path *path); /* NULL is fine */

/* Writes the features that are tested on the way to a leaf (numbered within its tree), each drawn
 * from its interval: from the part of it in [0, 1) where there is one. The other features of `row`
 * are left as they are. False when no finite values reach the leaf; `row` is then spoilt. */
bool path_lead(struct path *path, uint32_t tree, uint32_t leaf, struct random *random, float *row);

/* A random row of [0, 1). */
void path_fill_row(struct random *random, float *row, uint32_t n_features);

#endif
