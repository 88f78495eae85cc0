/* Who wins where, from the rows of a map. */
#ifndef HARNESS_MAP_REGIONS_H
#define HARNESS_MAP_REGIONS_H

#include "harness/map.h"
#include "harness/store.h"

/* One of them in a point, against the winner. */
struct map_rival {
    const struct row *row; /* NULL: none could be measured */
    struct ratio ratio;    /* its time over the winner's; without an interval where one of the two
                              was only screened */
};

struct map_point {
    uint32_t features, leaves, trees, call;
    /* The least median of those that were sampled, libraries too, but not `auto`, which is one of
     * the others. NULL: none could be measured. */
    const struct row *winner;
    struct map_rival second;  /* of another implementation, not just other options */
    struct map_rival library; /* the best; may be the winner */
    struct map_rival choice;  /* `auto` */
};

struct map_regions {
    struct map_point *points; /* in the order of the rows */
    size_t count;
    struct map_axis features, leaves, trees, calls; /* that there are points of */
};

/* Points keep pointers to the rows. STATUS_INPUT for rows that are not a map's. */
enum status map_regions_make(const struct rows *rows, struct map_regions *regions,
                             struct error *error);
void map_regions_free(struct map_regions *regions);

/* NULL: not measured. */
const struct map_point *map_point_at(const struct map_regions *regions, uint32_t features,
                                     uint32_t leaves, uint32_t trees, uint32_t call);

bool map_is_library(const struct row *row);

/* The second is not resolved from the winner: the interval of their ratio holds 1. */
bool map_is_tie(const struct map_point *point);

/* A library is the winner, or not resolved from it. */
bool map_is_lost(const struct map_point *point);

/* `auto` is not there, or is resolved from the winner and takes this much longer: 1.1 is 10 %. */
bool map_auto_exceeds(const struct map_point *point, double ratio);

/* "planes" for "planes-avx2": what implementations of one idea have in common. */
void map_family(const struct row *row, char family[static ROW_NAME_SIZE]);

#endif
