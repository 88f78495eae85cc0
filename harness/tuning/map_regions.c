#include "harness/tuning/map.h"

#include "impls/scorer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const chooser = "auto";

/* --- the rows of a point ---------------------------------------------------------------------- */

struct cell_rows {
    const cJSON *manifest; /* of the run */
    const struct row *rows;
    size_t count;
    size_t rounds; /* number of rounds in which rows were sampled */
};

static bool is_sampled(const struct cell_rows *cell, const struct row *row) {
    return row->status == ROW_OK && row->samples.count == cell->rounds;
}

static bool is_chooser(const struct row *row) {
    return strcmp(row->impl, chooser) == 0;
}

/* Returns true if `row` beats `other` (may be NULL). A sampled row beats every screened row. */
static bool is_better(const struct cell_rows *cell, const struct row *row,
                      const struct row *other) {
    if (!other || is_sampled(cell, row) != is_sampled(cell, other))
        return !other || is_sampled(cell, row);
    return row->median < other->median;
}

/* Whom a search at a point looks for. */
enum role { WINNER, SECOND, LIBRARY, CHOOSER };

static bool has_role(const struct cell_rows *cell, const struct row *row, enum role role,
                     const struct row *winner) {
    const struct impl *impl = impl_find(row->impl, NULL);
    switch (role) {
    case WINNER:
        return is_sampled(cell, row) && !is_chooser(row);
    case SECOND:
        return !is_chooser(row) && strcmp(row->impl, winner->impl) != 0;
    case LIBRARY:
        /* a peer is not registered where its map is reported */
        return impl ? impl->kind == IMPL_LIBRARY
                    : libraries_version(cell->manifest, row->impl) != NULL;
    default:
        return is_chooser(row);
    }
}

/* Returns the best row that has the role, or NULL. */
static const struct row *find(const struct cell_rows *cell, enum role role,
                              const struct row *winner) {
    const struct row *best = NULL;
    for (size_t i = 0; i < cell->count; i++) {
        const struct row *row = &cell->rows[i];
        if (row->status == ROW_OK && has_role(cell, row, role, winner) &&
            is_better(cell, row, best))
            best = row;
    }
    return best;
}

/* Compares a row with the winner. If the row was only screened, its ratio has no interval, because
 * the two were not timed in the same rounds. */
static struct map_rival against(const struct cell_rows *cell, enum role role,
                                const struct row *winner) {
    const struct row *row = find(cell, role, winner);
    struct map_rival rival = {row, {(double)NAN, {(double)NAN, (double)NAN}}};
    if (!row)
        return rival;
    if (is_sampled(cell, row))
        rival.ratio = row_paired_ratio(row, winner);
    else
        rival.ratio.value = row->median / winner->median;
    return rival;
}

/* Returns the point's number of documents per call. This is the largest block of the rows, because
 * screened rows may have smaller blocks. */
static uint32_t call_of(const struct cell_rows *cell) {
    uint64_t call = 0;
    for (size_t i = 0; i < cell->count; i++)
        if (cell->rows[i].doc_block > call)
            call = cell->rows[i].doc_block;
    return (uint32_t)call;
}

static struct map_point point_of(struct cell_rows cell) {
    for (size_t i = 0; i < cell.count; i++)
        if (cell.rows[i].samples.count > cell.rounds)
            cell.rounds = cell.rows[i].samples.count;
    const struct workload *w = &cell.rows[0].workload;
    struct map_point point = {.features = w->features,
                              .leaves = w->max_leaves,
                              .trees = w->trees,
                              .call = call_of(&cell),
                              .winner = find(&cell, WINNER, NULL)};
    if (!point.winner)
        return point;
    point.second = against(&cell, SECOND, point.winner);
    point.library = against(&cell, LIBRARY, point.winner);
    point.choice = against(&cell, CHOOSER, point.winner);
    return point;
}

/* --- all points ------------------------------------------------------------------------------- */

/* Inserts a value into a sorted axis unless it is there already. Returns false if the axis is
 * full. */
static bool insert(struct map_axis *axis, uint32_t value) {
    size_t at = 0;
    while (at < axis->count && axis->values[at] < value)
        at++;
    if (at < axis->count && axis->values[at] == value)
        return true;
    if (axis->count == MAP_AXIS_MAX)
        return false;
    memmove(&axis->values[at + 1], &axis->values[at], (axis->count - at) * sizeof *axis->values);
    axis->values[at] = value;
    axis->count++;
    return true;
}

static bool add_point(struct map_regions *regions, const struct map_point *point) {
    regions->points[regions->count++] = *point;
    return insert(&regions->features, point->features) && insert(&regions->leaves, point->leaves) &&
           insert(&regions->trees, point->trees) && insert(&regions->calls, point->call);
}

static int by_wins(const void *a, const void *b) {
    const struct map_wins *x = a, *y = b;
    if (x->wins != y->wins)
        return x->wins < y->wins ? 1 : -1;
    return strcmp(x->name, y->name);
}

static struct map_wins *find_wins(struct map_regions *regions, const char *name) {
    for (size_t i = 0; i < regions->n_winners; i++)
        if (strcmp(regions->wins[i].name, name) == 0)
            return &regions->wins[i];
    struct map_wins *wins = &regions->wins[regions->n_winners++];
    snprintf(wins->name, sizeof wins->name, "%s", name);
    return wins;
}

static void count_wins(struct map_regions *regions) {
    for (size_t i = 0; i < regions->count; i++) {
        const struct map_point *point = &regions->points[i];
        if (!point->winner)
            continue;
        struct map_wins *wins = find_wins(regions, point->winner->impl);
        wins->wins++;
        wins->ties += map_is_tie(point);
    }
    qsort(regions->wins, regions->n_winners, sizeof *regions->wins, by_wins);
}

enum status map_regions_make(const struct rows *rows, struct map_regions *regions,
                             struct error *error) {
    *regions = (struct map_regions){.points = calloc(rows->count + 1, sizeof *regions->points),
                                    .wins = calloc(rows->count + 1, sizeof *regions->wins)};
    if (!regions->points || !regions->wins) {
        map_regions_free(regions);
        return error_memory(error, "the points of a map");
    }
    for (size_t i = 0; i < rows->count; i += rows->list[i].cell_rows) {
        const struct cell_rows cell = {rows->manifest, &rows->list[i], rows->list[i].cell_rows, 0};
        const struct map_point point = point_of(cell);
        if (strcmp(rows->list[i].artefacts, "map") != 0 || !add_point(regions, &point)) {
            map_regions_free(regions);
            return error_set(error, STATUS_INPUT,
                             "cell %s is not a point of a map, or its axis has too many values",
                             rows->list[i].cell);
        }
    }
    count_wins(regions);
    return STATUS_OK;
}

void map_regions_free(struct map_regions *regions) {
    free(regions->points);
    free(regions->wins);
    *regions = (struct map_regions){.points = NULL};
}

const struct map_point *map_point_at(const struct map_regions *regions, uint32_t features,
                                     uint32_t leaves, uint32_t trees, uint32_t call) {
    for (size_t i = 0; i < regions->count; i++) {
        const struct map_point *point = &regions->points[i];
        if (point->features == features && point->leaves == leaves && point->trees == trees &&
            point->call == call)
            return point;
    }
    return NULL;
}

/* --- what a point says ------------------------------------------------------------------------ */

/* Returns true if the rival may be as fast as the winner. A ratio without an interval counts as
 * resolved, because its rival was far behind in screening. */
static bool is_unresolved(const struct map_rival *rival) {
    return rival->row && rival->ratio.interval.low <= 1;
}

bool map_is_tie(const struct map_point *point) {
    return is_unresolved(&point->second);
}

bool map_is_lost(const struct map_point *point) {
    return point->library.row == point->winner ? point->winner != NULL
                                               : is_unresolved(&point->library);
}

bool map_auto_exceeds(const struct map_point *point, double ratio) {
    return point->winner && (!point->choice.row ||
                             (point->choice.ratio.value > ratio && !is_unresolved(&point->choice)));
}

const char *map_family(const struct row *row) {
    const struct impl *impl = impl_find(row->impl, NULL);
    return impl && impl->family ? impl->family : row->impl;
}
