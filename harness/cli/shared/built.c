#include "harness/cli/shared/built.h"

#include <math.h>

struct built built_of(const struct row *row) {
    bool is_ok = row->status == ROW_OK;
    return (struct built){.resident = is_ok ? row->resident : resident_unknown,
                          .bytes = is_ok ? (double)row->built_bytes : (double)NAN,
                          .ns = is_ok ? row->build_ns : (double)NAN};
}

struct grid built_grid(size_t n_rows) {
    static const char *const headings[] = {"implementation", "built KB", "resident KB", "peak KB",
                                           "build ms"};
    const size_t columns = sizeof headings / sizeof *headings;
    struct grid grid = grid_create(n_rows + 1, columns, 1);
    grid.indent = 2;
    for (size_t i = 0; i < columns; i++)
        grid_put(&grid, "%s", headings[i]);
    return grid;
}

void built_put(const struct row *row, struct grid *grid) {
    struct built built = built_of(row);
    if (row->status != ROW_OK)
        return;
    grid_put(grid, "%s", row_variant(row).text);
    grid_put_number(grid, built.bytes / 1e3, 1);
    grid_put_number(grid, built.resident.held_bytes / 1e3, 1);
    grid_put_number(grid, built.resident.most_bytes / 1e3, 1);
    grid_put_number(grid, built.ns / 1e6, 1);
}

void built_print(struct grid *grid, double load_ns, FILE *stream) {
    fprintf(stream, "reading the model: %.1f ms; building each scorer:\n", load_ns / 1e6);
    grid_print(grid, stream);
}
