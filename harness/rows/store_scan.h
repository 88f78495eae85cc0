/* The cells in the text of a rows.jsonl. */
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
    bool has_gaps; /* true if something was left out between cells, not only at the end */
    void *cells;
};

/* Reads the rows in the text of the file `path`. A torn end is a last line without a newline, or a
 * last cell that lacks rows. It is left out, because a killed run may leave it. A killed run causes
 * no other damage. Therefore it is an error if a complete line is not a row, if an incomplete cell
 * precedes another cell, or if a cell occurs twice. */
enum status scan_rows(const char *path, struct file_text *text, struct scan *scan,
                      struct error *error);

/* Like scan_rows, but leaves out all incomplete lines and cells. The lines of the complete cells
 * are moved to the front of the text. */
enum status scan_whole_cells(const char *path, struct file_text *text, struct scan *scan,
                             struct error *error);
void scan_free(struct scan *scan);

#endif
