/* A point of a grid: the setting at which rows were measured. */
#ifndef HARNESS_ROWS_POINT_H
#define HARNESS_ROWS_POINT_H

#include "harness/rows/row.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POINT_TEXT_SIZE = 96 };

/* All trials of one setting have the same point. */
struct point {
    char kind[16];            /* kind to patience come from the workload */
    char data[ROW_NAME_SIZE]; /* "" for synthetic */
    /* 0 unless synthetic, because the model determines them otherwise */
    uint32_t depth, features;
    uint32_t trees, max_leaves, patience;
    uint32_t threads;
    char parallel[12]; /* "" if the experiment does not vary threads */
};

struct point point_of_row(const struct row *row);

/* Returns a number with the sign of the order, like strcmp. The order only serves for searching. */
int point_compare(const struct point *a, const struct point *b);
bool point_equal(const struct point *a, const struct point *b);

/* Writes "d=3 f=32", "mq2008 L=10" or "yahoo-c14-set1 L=150, 2 threads over trees". If there are 0
 * threads, the number is omitted: "..., threads over trees". */
void point_describe(const struct point *point, char *text, size_t size);

#endif
