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
#include "harness/rows/store.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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

/* --- winners ---------------------------------------------------------------------------------- */

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

/* Returns true if the winner and the second are tied: the interval of their ratio contains 1. */
bool map_is_tie(const struct map_point *point);

/* Returns true if the winner is a library, or if the best library is tied with the winner. */
bool map_is_lost(const struct map_point *point);

/* Returns true if `auto` was not measured, or if its time is more than `ratio` times the winner's
 * (1.1 means 10 % more) and the two are not tied. */
bool map_auto_exceeds(const struct map_point *point, double ratio);

/* Returns the family that the implementation declares: "planes" for "planes-avx2". If the row names
 * an implementation that this program does not have, returns its name. The row owns the text. */
const char *map_family(const struct row *row);

/* --- the report ------------------------------------------------------------------------------- */

/* Returns true if these are the rows of a map. */
bool map_is_run(const struct rows *rows);

/* Writes map.csv, map.md, map.svg and map.png into the directory, and the findings to a stream.
 * `plots` is the folder with gnuplot's scripts. If gnuplot or one of its terminals is missing,
 * leaves out the picture and reports this by a note. */
enum status map_report(const char *directory, const struct rows *rows, const char *plots,
                       FILE *findings, note_function *note, struct error *error);

/* Parts of map.md, for tests. */
void map_write_tables(FILE *stream, const struct map_regions *regions);
void map_write_findings(FILE *stream, const struct map_regions *regions);

#endif
