/* Finds the cells in the text of a rows.jsonl. */
#ifndef HARNESS_ROWS_STORE_SCAN_H
#define HARNESS_ROWS_STORE_SCAN_H

#include "base/files/file.h"
#include "harness/rows/row.h"

#include <stdbool.h>

/* A set of cell keys (a tsearch tree). NULL is the empty set. */
bool cell_set_has(void *const *set, const char *cell);
bool cell_set_add(void **set, const char *cell); /* false if memory runs out */
void cell_set_free(void *set);

struct scan {
    struct row *rows; /* rows of complete cells only */
    size_t count;
    size_t bytes;  /* total size of the lines of complete cells */
    bool has_gaps; /* true if something was left out before the last complete cell */
    void *cells;
};

/* Reads the rows in the text of the file `path`. Leaves out a last line without a newline, and a
 * last cell that lacks rows, because a killed run may leave these. Any other damage is an error: a
 * complete line that is not a row, an incomplete cell before another cell, or a cell that occurs
 * twice. With `repairs`, leaves out all incomplete lines and cells instead, and moves the lines of
 * complete cells to the front of the text. */
enum status scan_rows(const char *path, struct file_text *text, bool repairs, struct scan *scan,
                      struct error *error);
void scan_free(struct scan *scan);

#endif
