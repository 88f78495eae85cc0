/* The store: a run's folder with manifest.json, rows.jsonl and the derived rows.csv.
 *
 * A cell is one workload with all variants that are compared on it in one interleaved measurement.
 * The rows of a cell are appended by one write and synced. If the program is killed, the file holds
 * complete cells and at most one torn cell at its end. Opening with resume cuts off the torn cell.
 * A cell that lost lines in another way (an editor, a full disk) is dropped with a note and
 * measured again. */
#ifndef HARNESS_ROWS_STORE_H
#define HARNESS_ROWS_STORE_H

#include "base/note.h"
#include "base/status.h"
#include "harness/rows/row.h"

#include <stdbool.h>

struct store;

/* Opens DIR/rows.jsonl for appending and creates the folder. Without resume, the file must have no
 * rows; the error for a file with rows mentions --resume. With resume, the manifest must agree on
 * the CPU model, build, scale, clock, configs and data, because other rows would not be comparable.
 * A lock (flock) prevents a second run from writing to the folder. Closed by store_close. */
enum status store_open(const char *directory, bool resume, const cJSON *manifest,
                       note_function *note, struct store **store, struct error *error);
/* Fails if a run with this manifest cannot resume the run in DIR. DIR must have a manifest.json. */
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
/* Loads all complete cells of a run's folder. A torn last line or cell is left out. A line that is
 * not a row of this schema is an error with FILE:LINE. */
enum status store_load(const char *directory, struct rows *rows, struct error *error);
void rows_free(struct rows *rows);

/* Returns a text of the manifest, or "unknown". A NULL group means that the key is not in a group.
 * Owned by the rows. */
const char *rows_manifest_text(const struct rows *rows, const char *group, const char *key);

/* Writes rows.csv: one line per row, without the samples. JSON's null becomes an empty field. */
enum status store_write_csv(const char *directory, const struct rows *rows, struct error *error);

#endif
