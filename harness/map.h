/* A map of regions: which implementation is the fastest for calls of how many documents, of
 * ensembles of how many trees, leaves and features. docs/map.md documents the config and the rule.
 *
 * A cell of the store is one point of the map, with a row for each implementation that competes.
 * Rows with the most samples of their cell were sampled in interleaved rounds; those with fewer
 * were only screened, by calls that may have fewer documents. */
#ifndef HARNESS_MAP_H
#define HARNESS_MAP_H

#include "base/status.h"
#include "harness/again.h"
#include "harness/cells.h"

#include <stdbool.h>
#include <stdint.h>

enum { MAP_AXIS_MAX = 16 };

struct map_axis {
    uint32_t values[MAP_AXIS_MAX]; /* they grow */
    size_t count;
};

struct map_grid {
    char name[16]; /* of the scale */
    char hash[17]; /* of the config's content */
    struct map_axis features, leaves, trees, calls;
    uint32_t documents;   /* that there are */
    uint32_t most_leaves; /* models of more (trees times leaves) are left out */
    uint32_t rounds;
    uint64_t seed;
};

/* A scale of a config. */
enum status map_read(const char *path, const char *scale, struct map_grid *grid,
                     struct error *error);

/* Are models of this shape on it? */
bool map_asks(const struct map_grid *grid, uint32_t leaves, uint32_t trees);

size_t map_points(const struct map_grid *grid);

/* Measures the points that the store in `directory` lacks. The tally gets the cells alone. */
enum status map_measure(const struct map_grid *grid, const char *directory, enum again again,
                        struct cells_tally *tally, struct error *error);

#endif
