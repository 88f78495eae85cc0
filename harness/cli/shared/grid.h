/* A table for the terminal whose columns are as wide as their widest cells. */
#ifndef HARNESS_CLI_SHARED_GRID_H
#define HARNESS_CLI_SHARED_GRID_H

#include "harness/rows/row.h"

#include <stddef.h>
#include <stdio.h>

enum { GRID_COLUMNS_MOST = 12, GRID_CELL_SIZE = 2 * ROW_NAME_SIZE };

struct grid {
    char (*cells)[GRID_COLUMNS_MOST][GRID_CELL_SIZE]; /* NULL if memory ran out: no cells */
    size_t n_lines, n_columns, column;
    size_t left;   /* columns that are aligned left; the others are aligned right */
    size_t indent; /* spaces before each line */
};

/* grid_print frees it. `most_lines` counts the heading too. */
struct grid grid_create(size_t most_lines, size_t n_columns, size_t left);

/* Write the next cell. grid_put_number writes "-" for NaN. */
void grid_put(struct grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));
void grid_put_number(struct grid *grid, double value, int digits);

/* No line ends in spaces. */
void grid_print(struct grid *grid, FILE *stream);

#endif
