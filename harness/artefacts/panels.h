/* The grid of an artefact at one scale: panels, each with points along one axis. */
#ifndef HARNESS_ARTEFACTS_PANELS_H
#define HARNESS_ARTEFACTS_PANELS_H

#include "base/files/record.h"
#include "base/status.h"
#include "harness/rows/point.h"

#include <stdbool.h>

#define ARTEFACT_DOCS "docs/adding-an-artefact.md" /* documents the keys of artefacts */
/* A record of an artefact's file. */
#define ARTEFACT_RECORD(WHAT, TABLE)                                                               \
    { .what = WHAT, .fields = TABLE, .n_fields = FIELDS(TABLE), .docs = ARTEFACT_DOCS }

enum { PANELS_MAX = 48, PANEL_POINTS_MAX = 16, PANEL_THREADS_MAX = 16, PANEL_TITLE_SIZE = 64 };

/* limit for the number of models at a point, which is trials times seeds */
enum { PANEL_MODELS_MAX = 512 };

/* The coordinate in which the points of each panel differ. */
enum axis { AXIS_DEPTH, AXIS_MAX_LEAVES, AXIS_TREES, AXIS_THREADS };

/* SHOW_TIME: the time per document. SHOW_PER_TREE: the time per document and tree, in ns.
 * SHOW_THROUGHPUT: documents per second. */
enum panel_show { SHOW_TIME, SHOW_PER_TREE, SHOW_THROUGHPUT };

/* One plot of a figure, or one table. */
struct panel {
    char title[PANEL_TITLE_SIZE]; /* "f = 32", "MQ2008" */
    uint32_t trials;
    uint32_t seeds;       /* models per trial, with different seeds; more than 1 only for quality */
    uint32_t v;           /* the value that replaces "panel" in "v=panel"; 0: none */
    enum panel_show show; /* what reports show */
    struct point points[PANEL_POINTS_MAX];
    uint64_t documents[PANEL_POINTS_MAX]; /* number of documents at each point; 0: all */
    uint32_t features; /* columns of a stand-in for the data set; 0: the default */
    size_t n_points;
    /* Every point is measured once with each of these numbers of threads. An operand without "@"
     * means the first of them. The list is empty if threads are the axis, or if the file lists
     * none. */
    uint32_t threads[PANEL_THREADS_MAX];
    /* n_threads: length of the list; n_threads_here: length of its part that this machine has
     * enough cores for */
    size_t n_threads, n_threads_here;
};

struct scale {
    char name[16]; /* "smoke", "quick", "full" */
    char kind[16]; /* kind of workload at all points */
    enum axis x;
    char passes[8]; /* of all points: "cold" or "" */
    struct panel panels[PANELS_MAX];
    size_t n_panels;
    uint32_t trials, rounds; /* trials: the maximum over all panels */
};

/* Reads one scale of an artefact (format: docs/adding-an-artefact.md). `name` names the scale in
 * error messages. */
enum status scale_read(const char *name, const cJSON *json, struct scale *scale,
                       struct error *error);

/* A point of a scale, and its panel. */
struct spot {
    const struct panel *panel;
    const struct point *point;
    size_t p, i; /* their indices */
};

/* Moves a spot to the next point of the scale, or a spot of zeros to the first one. Returns false
 * if there is none: for (struct spot at = {0}; scale_next(scale, &at);) */
bool scale_next(const struct scale *scale, struct spot *at);

/* Drops the points that need more threads than `cores` (0: unknown, drop none). Returns the number
 * of dropped points. */
size_t scale_limit_threads(struct scale *scale, uint32_t cores);

/* Returns true if documents are drawn for its points. The papers measure on the test documents
 * themselves. */
bool panel_is_resampled(const struct panel *panel);

/* Returns the number of documents at a point of the panel. The point's number of threads is
 * ignored. */
uint64_t panel_documents(const struct panel *panel, enum axis x, const struct point *point);

/* Writes the operand's variant, which is the operand without "@...". "v=panel" becomes the v of
 * this panel, as in "vpred,v=16". */
void panel_variant(const struct panel *panel, const char *operand, char *variant, size_t size);

/* Finds the point that an operand refers to. "qs@16" refers to `point` with 16 threads. "qs@all"
 * refers to `point` with the most threads that the panel lists and this machine has cores for.
 * "qs@16/trees" refers to `point` with 16 threads that share the trees, even if the panel's threads
 * share documents. An operand without "@" refers to `point` itself. Returns false if the machine
 * has too few cores. */
bool panel_operand_point(const struct panel *panel, const struct point *point, const char *operand,
                         struct point *at);

/* Returns true if the operand names no number of threads, or one that the panel lists. Returns
 * false if the operand ends in "/WORD" and WORD is not in parallel_names. */
bool panel_knows_threads(const struct panel *panel, const char *operand);

const char *axis_name(enum axis axis);  /* "max_leaves", the key in the file */
const char *axis_title(enum axis axis); /* "max leaves", for tables and figures */
uint32_t point_x(const struct point *point, enum axis axis);

/* Returns true if this is a scale of balanced trees. Such a scale has one panel per number of
 * features, with the depth as the axis. */
bool scale_is_synthetic(const struct scale *scale);

#endif
