/* A point of a grid: the settings under which rows were measured. */
#ifndef HARNESS_ROWS_POINT_H
#define HARNESS_ROWS_POINT_H

#include "harness/rows/row.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POINT_TEXT_SIZE = 96 };

/* What identifies a measured point: the workload without the trial (row.h). Rows of all variants
 * and trials of a point have equal points. */
struct point {
    /* the members from `kind` to `resample` are copied from the workload */
    char kind[16];
    char data[ROW_NAME_SIZE]; /* "" if the documents are made, always for kind "synthetic" */
    /* depth: of kind "synthetic", and the limit of forests; otherwise 0. features: if `data` is "",
     * otherwise 0. Other points take them from the model. */
    uint32_t depth, features;
    uint32_t trees, max_leaves, patience, resample;
    uint32_t threads;
    char parallel[12]; /* "" if the artefact does not vary threads */
    char barrier[8];   /* "step" or "pass"; "" if threads do not share trees */
    char passes[8];    /* "cold" or "" */
};

struct point point_of_row(const struct row *row);

/* The kinds of workloads that are forests: "random-forest", "extra-trees", "cart"; NULL. */
extern const char *const forest_kinds[4];
bool kind_is_forest(const char *kind);

/* The kinds of workloads whose models are boosted on a data set (row.h), up to NULL. */
extern const char *const trained_kinds[5];
bool kind_is_trained(const char *kind);

/* Returns a negative number, 0 or a positive number, as strcmp does. The order has no meaning and
 * is only used for searching. */
int point_compare(const struct point *a, const struct point *b);
bool point_equal(const struct point *a, const struct point *b);

/* Writes "d=3 f=32", "d=5 f=64, 200 trees", "f=64 L=10, 200 trees", "mq2008 L=10, 200 trees" or
 * "yahoo-c14-set1 L=150, 2 threads over trees". If threads is 0, writes "..., threads over trees".
 * A barrier after each step adds ", a barrier a step". Cold passes add ", cold". */
void point_describe(const struct point *point, char *text, size_t size);

#endif
