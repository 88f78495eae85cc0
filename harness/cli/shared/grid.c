#include "harness/cli/shared/grid.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2 };

struct grid grid_create(size_t most_lines, size_t n_columns, unsigned left) {
    return (struct grid){.cells =
                             calloc(most_lines, sizeof(char[GRID_COLUMNS_MOST][GRID_CELL_SIZE])),
                         .n_columns = n_columns,
                         .left = left};
}

void grid_free(struct grid *grid) {
    free(grid->cells);
}

void grid_put(struct grid *grid, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (grid->cells)
        vsnprintf(grid->cells[grid->n_lines][grid->column], GRID_CELL_SIZE, format, arguments);
    va_end(arguments);
    grid->column = (grid->column + 1) % grid->n_columns;
    grid->n_lines += grid->column == 0;
}

void grid_put_number(struct grid *grid, double value, int digits) {
    if (isfinite(value))
        grid_put(grid, "%.*f", digits, value);
    else
        grid_put(grid, "-");
}

void grid_end_line(struct grid *grid) {
    grid->column = 0;
    grid->n_lines++;
}

size_t grid_column_width(const struct grid *grid, size_t column) {
    size_t width = 0;
    for (size_t i = 0; grid->cells && i < grid->n_lines; i++) {
        size_t length = strlen(grid->cells[i][column]);
        width = length > width ? length : width;
    }
    return width;
}

size_t grid_width(const struct grid *grid) {
    size_t width = grid->indent;
    for (size_t k = 0; k < grid->n_columns; k++)
        if (!(grid->hidden >> k & 1))
            width += (k ? GAP : 0) + grid_column_width(grid, k);
    return width;
}

void grid_print_line(const struct grid *grid, size_t line, FILE *stream) {
    size_t pending = grid->indent; /* spaces before the next text */
    for (size_t k = 0; k < grid->n_columns; k++) {
        const char *text = grid->cells[line][k];
        size_t padding = grid_column_width(grid, k) - strlen(text);
        bool is_left = grid->left >> k & 1;
        if (grid->hidden >> k & 1)
            continue;
        pending += (k ? GAP : 0) + (is_left ? 0 : padding);
        if (*text)
            fprintf(stream, "%*s%s", (int)pending, "", text);
        pending = (*text ? 0 : pending) + (is_left ? padding : 0);
    }
}

void grid_print(struct grid *grid, FILE *stream) {
    for (size_t i = 0; grid->cells && i < grid->n_lines; i++) {
        grid_print_line(grid, i, stream);
        fputc('\n', stream);
    }
    grid_free(grid);
}
