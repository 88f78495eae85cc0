/* The store: a run's folder with manifest.json, rows.jsonl and the derived rows.csv.
 *
 * A cell is a workload with all variants that are compared on it in the same rounds. All rows of a
 * cell are appended with one write and then synced. If the program is killed, only the last cell of
 * the file can be incomplete. Opening with `resume` cuts it off. If a cell lost lines for another
 * reason (an editor, a full disk), a note reports it, and the cell is measured again. */
#ifndef HARNESS_ROWS_STORE_H
#define HARNESS_ROWS_STORE_H

#include "base/note.h"
#include "base/status.h"
#include "harness/rows/row.h"

#include <stdbool.h>

struct store;

/* Opens DIR/rows.jsonl for appending, and creates the folder if necessary. Without `resume`, it is
 * an error if the file has rows; the message mentions --resume. With `resume`, `manifest` must
 * agree with the folder's manifest on the processor, shard, build, scale, clock, configs and data.
 * Otherwise the rows would not be comparable. A lock (flock) keeps a second run from writing to the
 * folder. Close the store with store_close. */
enum status store_open(const char *directory, bool resume, const cJSON *manifest,
                       note_function *note, struct store **store, struct error *error);

/* Returns the key of the first entry in which two manifests differ so that their rows are not
 * comparable, or NULL. */
const char *store_manifest_difference(const cJSON *a, const cJSON *b);

bool store_has_cell(const struct store *store, const char *cell);
enum status store_append_cell(struct store *store, const struct row *rows, size_t count,
                              struct error *error);
void store_close(struct store *store);

struct rows {
    struct row *list;
    size_t count;
    cJSON *manifest;
};
/* Loads all complete cells of a run's folder, from rows.jsonl or rows.jsonl.gz. A torn last line or
 * an incomplete last cell is ignored. A line that is not a row of this schema is an error with
 * FILE:LINE. */
enum status store_load(const char *directory, struct rows *rows, struct error *error);
void rows_free(struct rows *rows);

/* The number of cells. The rows of a cell are adjacent. */
size_t rows_count_cells(const struct rows *rows);

/* Returns a text from the manifest, or "unknown". If `group` is NULL, the key is not in a group.
 * The rows own the text. */
const char *rows_manifest_text(const struct rows *rows, const char *group, const char *key);

/* Writes rows.csv, with one line per row and without the samples. null becomes an empty field. */
enum status store_write_csv(const char *directory, const struct rows *rows, struct error *error);

/* --- a folder that an earlier run may have used ----------------------------------------------- */

/* What to do if the folder holds an earlier run. */
enum again {
    AGAIN_REFUSE, /* fail */
    AGAIN_RESUME, /* --resume: continue the earlier run, or fail */
    /* --again: continue the earlier run if it is unfinished and matches; otherwise rename its
     * folder */
    AGAIN_EITHER
};

/* Opens the store of a run that has this manifest. *resume becomes true if the run continues an
 * earlier one.
 *
 * AGAIN_EITHER continues an unfinished run if its manifest matches. It
 * renames the folder of any other run to DIR.1, DIR.2, ... A note reports which of the two
 * happened. A run is finished if its folder has a rows.csv. Fails if another process is writing to
 * the folder. */
enum status again_open_store(const char *directory, enum again again, const cJSON *manifest,
                             note_function *note, bool *resume, struct store **store,
                             struct error *error);

/* The versions of the libraries that a run measures, in its manifest: {"libraries": {"xgboost":
 * "XGBoost 1.7.4"}}. */

/* Adds the version of the variant's library to the manifest. Does nothing if the variant is no
 * library or the version is unknown. Sets errno to ENOMEM if memory runs out. */
void libraries_add(cJSON *manifest, const char *variant);

/* Returns the version of the library of a variant or operand, such as "XGBoost 1.7.4". NULL if the
 * manifest has none. */
const char *libraries_version(const cJSON *manifest, const char *variant);

/* Writes all versions, separated by "; ", to `text`. "" if the manifest has none. */
void libraries_describe(const cJSON *manifest, char *text, size_t size);

#endif
