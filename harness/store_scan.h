/* The cells in the text of a rows.jsonl. Private to store*.c. */
#ifndef HARNESS_STORE_SCAN_H
#define HARNESS_STORE_SCAN_H

#include "base/file.h"
#include "harness/row.h"

#include <stdbool.h>

/* A set of cells' keys (a tree of tsearch). NULL is the empty one. */
bool cell_set_has(void *const *set, const char *cell);
bool cell_set_add(void **set, const char *cell); /* false: no memory */
void cell_set_free(void *set);

struct scan {
    struct row *rows; /* of complete cells only */
    size_t count;
    size_t bytes;  /* of the text that they take up */
    bool has_gaps; /* what was left out stood between them, not behind */
    void *cells;
};

/* Reads the rows in the text of the file `path`. A torn end (a last line without its newline, a
 * last cell without all its rows) is left out; a complete line that is no row, a cell that ends
 * early before another begins, and a cell that comes twice are errors: no kill makes those. */
enum status scan_rows(const char *path, struct file_text *text, struct scan *scan,
                      struct error *error);

/* As scan_rows, but leaves out every line that is cut, and every cell without all its rows. The
 * lines of the others are moved to the front of the text. */
enum status scan_whole_cells(const char *path, struct file_text *text, struct scan *scan,
                             struct error *error);
void scan_free(struct scan *scan);

#endif
