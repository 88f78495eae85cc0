/* A map: which implementation is fastest, by documents per call, trees, leaves and features.
 * docs/map.md documents the config and the rule that decides.
 *
 * A cell of the store is one point of the map, with one row per competing implementation. Sampled
 * rows have the most samples, taken in interleaved rounds. The other rows were only screened,
 * possibly with fewer documents per call. */
#ifndef HARNESS_TUNING_MAP_H
#define HARNESS_TUNING_MAP_H

#include "base/note.h"
#include "base/status.h"
#include "harness/measure/cells.h"
#include "harness/rows/again.h"

#include <stdbool.h>
#include <stdint.h>

enum { MAP_AXIS_MAX = 16 };

struct map_axis {
    uint32_t values[MAP_AXIS_MAX]; /* in increasing order */
    size_t count;
};

struct map_grid {
    char name[16]; /* name of the scale */
    char hash[17]; /* hash of the config */
    struct map_axis features, leaves, trees, calls;
    uint32_t documents;   /* number of documents */
    uint32_t most_leaves; /* models with more leaves in all trees together are left out */
    uint32_t rounds;
    uint64_t seed;
};

/* Reads one scale of a config. */
enum status map_read(const char *path, const char *scale, struct map_grid *grid,
                     struct error *error);

/* Returns true if the grid contains models with this many leaves and trees. */
bool map_asks(const struct map_grid *grid, uint32_t leaves, uint32_t trees);

size_t map_points(const struct map_grid *grid);

/* Measures the points that are not yet in the store in `directory`. Sets the numbers of measured
 * and found cells in the tally. */
enum status map_measure(const struct map_grid *grid, const char *directory, enum again again,
                        note_function *note, struct cells_tally *tally, struct error *error);

#endif
