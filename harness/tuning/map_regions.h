/* Finds the winner at each point from the rows of a map. */
#ifndef HARNESS_TUNING_MAP_REGIONS_H
#define HARNESS_TUNING_MAP_REGIONS_H

#include "harness/rows/store.h"
#include "harness/tuning/map.h"

/* An implementation at a point, compared with the winner there. */
struct map_rival {
    const struct row *row; /* NULL if no such implementation could be measured */
    /* the rival's time divided by the winner's time; without an interval if the rival was only
     * screened */
    struct ratio ratio;
};

struct map_point {
    uint32_t features, leaves, trees, call;
    /* The sampled row with the least median, or NULL if nothing could be measured. May be a
     * library. `auto` cannot win, because it only chooses another implementation. */
    const struct row *winner;
    /* the best row of another implementation than the winner */
    struct map_rival second;
    struct map_rival library; /* the best library, which may be the winner */
    struct map_rival choice;  /* `auto` */
};

/* How often an implementation wins. */
struct map_wins {
    char name[ROW_NAME_SIZE];
    size_t wins, ties; /* ties: wins in which the second is tied with the winner */
};

struct map_regions {
    struct map_point *points; /* in the order of the rows */
    size_t count;
    struct map_wins *wins; /* one entry per implementation that wins; most wins first */
    size_t n_winners;
    struct map_axis features, leaves, trees, calls; /* the values that the points have */
};

/* Finds the winners of all points. The result keeps pointers to the rows; free it with
 * map_regions_free. Returns STATUS_INPUT if the rows are not those of a map. */
enum status map_regions_make(const struct rows *rows, struct map_regions *regions,
                             struct error *error);
void map_regions_free(struct map_regions *regions);

/* Returns the point with these values, or NULL if it was not measured. */
const struct map_point *map_point_at(const struct map_regions *regions, uint32_t features,
                                     uint32_t leaves, uint32_t trees, uint32_t call);

bool map_is_library(const struct row *row);

/* Returns true if the winner and the second are tied: the interval of their ratio contains 1. */
bool map_is_tie(const struct map_point *point);

/* Returns true if the winner is a library, or if the best library is tied with the winner. */
bool map_is_lost(const struct map_point *point);

/* Returns true if `auto` was not measured, or if its time is more than `ratio` times the winner's
 * (1.1 means 10 % more) and the two are not tied. */
bool map_auto_exceeds(const struct map_point *point, double ratio);

/* Writes the name that the variants of an algorithm share: "planes" for "planes-avx2". */
void map_family(const struct row *row, char family[static ROW_NAME_SIZE]);

#endif
