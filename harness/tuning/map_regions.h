/* Finds the winner at each point from the rows of a map. */
#ifndef HARNESS_TUNING_MAP_REGIONS_H
#define HARNESS_TUNING_MAP_REGIONS_H

#include "harness/rows/store.h"
#include "harness/tuning/map.h"

/* A rival at a point, compared with the winner. */
struct map_rival {
    const struct row *row; /* NULL if no such rival could be measured */
    /* the rival's time divided by the winner's; no interval if the rival was only screened */
    struct ratio ratio;
};

struct map_point {
    uint32_t features, leaves, trees, call;
    /* The sampled row with the smallest median, libraries included. `auto` is excluded, because it
     * chooses one of the other implementations. NULL if nothing could be measured. */
    const struct row *winner;
    /* the best row of any other implementation than the winner's */
    struct map_rival second;
    struct map_rival library; /* the best library; may be the winner */
    struct map_rival choice;  /* `auto` */
};

/* How often an implementation wins. */
struct map_wins {
    char name[ROW_NAME_SIZE];
    size_t wins, ties; /* ties: wins where the second is tied with the winner */
};

struct map_regions {
    struct map_point *points; /* in the order of the rows */
    size_t count;
    struct map_wins *wins; /* one per winner, most wins first */
    size_t n_winners;
    struct map_axis features, leaves, trees, calls; /* the values that occur among the points */
};

/* Finds the winners of all points. The points keep pointers to the rows. Freed by map_regions_free.
 * Returns STATUS_INPUT if the rows do not belong to a map. */
enum status map_regions_make(const struct rows *rows, struct map_regions *regions,
                             struct error *error);
void map_regions_free(struct map_regions *regions);

/* Finds a point. Returns NULL if the point was not measured. */
const struct map_point *map_point_at(const struct map_regions *regions, uint32_t features,
                                     uint32_t leaves, uint32_t trees, uint32_t call);

bool map_is_library(const struct row *row);

/* Returns true if the winner and the second are tied: the interval of their ratio contains 1. */
bool map_is_tie(const struct map_point *point);

/* Returns true if a library is the winner or tied with the winner. */
bool map_is_lost(const struct map_point *point);

/* Returns true if `auto` is missing. Also returns true if `auto` is slower than the winner by more
 * than this ratio (1.1 means 10 %) and not tied with the winner. */
bool map_auto_exceeds(const struct map_point *point, double ratio);

/* Writes the part of the name that implementations of one idea share: "planes" for
 * "planes-avx2". */
void map_family(const struct row *row, char family[static ROW_NAME_SIZE]);

#endif
