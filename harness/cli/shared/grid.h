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
    unsigned left;   /* one bit per column that is aligned left; the others are aligned right */
    unsigned hidden; /* one bit per column that is not printed */
    size_t indent;   /* spaces before each line */
};

/* grid_free frees it. `most_lines` counts the heading too. */
struct grid grid_create(size_t most_lines, size_t n_columns, unsigned left);
void grid_free(struct grid *grid);

/* Write the next cell. grid_put_number writes "-" for NaN. */
void grid_put(struct grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));
void grid_put_number(struct grid *grid, double value, int digits);

/* Leaves the other cells of the line empty. */
void grid_end_line(struct grid *grid);

size_t grid_column_width(const struct grid *grid, size_t column);
size_t grid_width(const struct grid *grid);

/* Prints a line without its end. No line ends in spaces. */
void grid_print_line(const struct grid *grid, size_t line, FILE *stream);

/* Prints all lines and frees the grid. */
void grid_print(struct grid *grid, FILE *stream);

#endif
