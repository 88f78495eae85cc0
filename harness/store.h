/* The store: a run's folder with manifest.json, rows.jsonl and the derived rows.csv.
 *
 * A cell is one workload with everything that is compared on it in one interleaved measurement; its
 * rows are appended by one write and synced. After a kill at any moment the file therefore holds
 * whole cells and at most one torn one, which opening with resume cuts off. Cells that lost lines
 * in another way (an editor, a disk that was full) are dropped then, too, with a note: they are
 * measured again. */
#ifndef HARNESS_STORE_H
#define HARNESS_STORE_H

#include "base/status.h"
#include "harness/row.h"

#include <stdbool.h>

struct store;

/* Opens DIR/rows.jsonl for appending, making the folder. Without resume, an existing file with rows
 * is an error that names --resume. With resume the manifest must be of the same CPU model, build,
 * scale, clock, configs and data, else the rows would not be comparable: an error that says so. A
 * lock (flock) keeps a second run out. */
enum status store_open(const char *directory, bool resume, const cJSON *manifest,
                       struct store **store, struct error *error);
/* Could a run with this manifest resume the one in DIR? Its manifest.json must exist. */
enum status store_check_manifest(const char *directory, const cJSON *manifest, struct error *error);

bool store_has_cell(const struct store *store, const char *cell);
enum status store_append_cell(struct store *store, const struct row *rows, size_t count,
                              struct error *error);
void store_close(struct store *store);

struct rows {
    struct row *list;
    size_t count;
    cJSON *manifest;
};
/* All complete cells of a run's folder. A line that is no row of this schema is an error with
 * FILE:LINE; a torn last line or cell is left out. */
enum status store_load(const char *directory, struct rows *rows, struct error *error);
void rows_free(struct rows *rows);

/* rows.csv: one line a row, without the raw samples; null is an empty field. */
enum status store_write_csv(const char *directory, const struct rows *rows, struct error *error);

#endif
