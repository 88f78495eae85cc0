/* The grid of an artefact at one scale: panels, each with points along one axis. */
#ifndef HARNESS_PANELS_H
#define HARNESS_PANELS_H

#include "base/status.h"
#include "harness/row.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

enum {
    PANELS_MAX = 16,
    PANEL_POINTS_MAX = 16,
    PANEL_THREADS_MAX = 16,
    PANEL_TITLE_SIZE = 64,
    POINT_TEXT_SIZE = 96
};

/* What rows are found by: all trials of one setting. */
struct point {
    char kind[16];            /* as a workload's; likewise below */
    char data[ROW_NAME_SIZE]; /* "" for synthetic */
    uint32_t depth, features; /* 0 but for synthetic: they come out */
    uint32_t trees, max_leaves, patience;
    uint32_t threads;
    char parallel[12]; /* "" where the artefact is not about threads */
};

struct point point_of_row(const struct row *row);
bool point_equal(const struct point *a, const struct point *b);

/* "d=3 f=32", "mq2008 L=10", "yahoo-c14-set1 L=150, 2 threads over trees"; with 0 threads,
 * "..., threads over trees": their number is told elsewhere. */
void point_describe(const struct point *point, char *text, size_t size);

/* Along what the points of a panel differ. */
enum axis { AXIS_DEPTH, AXIS_MAX_LEAVES, AXIS_TREES, AXIS_THREADS };

/* One axis of coordinates of a figure, one table. */
struct panel {
    char title[PANEL_TITLE_SIZE]; /* "f = 32", "MQ2008" */
    uint64_t documents;
    uint32_t trials;
    uint32_t v;      /* what "v=panel" stands for in operands; 0: none */
    bool throughput; /* shown as documents per second, not as time per document */
    struct point points[PANEL_POINTS_MAX];
    size_t n_points;
    /* All points are measured with each of these; with the first where an operand names none. Empty
     * where the threads are the axis. */
    uint32_t threads[PANEL_THREADS_MAX];
    size_t n_threads, n_threads_here; /* asked for; those that this machine has cores for */
};

struct scale {
    char name[16]; /* "smoke", "quick", "full" */
    char kind[16]; /* of all its points */
    enum axis x;
    struct panel panels[PANELS_MAX];
    size_t n_panels;
    uint32_t trials, rounds; /* trials: of the panel that has the most */
};

/* Reads a scale, whose form docs/adding-an-artefact.md documents; `name` stands in errors. */
enum status scale_read(const char *name, const cJSON *json, struct scale *scale,
                       struct error *error);

/* Drops the points that need more threads than a machine has cores (0: unknown, none is dropped);
 * returns how many. */
size_t scale_limit_threads(struct scale *scale, uint32_t cores);

/* "vpred,v=panel" with the panel's own v: "vpred,v=16"; any other text as it stands. */
void panel_variant(const struct panel *panel, const char *operand, char *variant, size_t size);

/* What an operand is about: "qs@16" is "qs" at the point, but with 16 threads, "qs@all" with the
 * most that the panel asks for and this machine has; without "@" it is the point as it stands.
 * False where the machine has too few cores. */
bool panel_operand_point(const struct panel *panel, const struct point *point, const char *operand,
                         struct point *at);

/* Does the panel ask for the threads that the operand names? */
bool panel_knows_threads(const struct panel *panel, const char *operand);

const char *axis_name(enum axis axis);  /* "max_leaves", as in the file */
const char *axis_title(enum axis axis); /* "max leaves", for tables and figures */
uint32_t point_x(const struct point *point, enum axis axis);

bool scale_is_synthetic(const struct scale *scale); /* panels over depth, one per features */

#endif
