/* Entries of the atlas: what won on one machine, in one file per run (docs/map.md). */
#ifndef HARNESS_TUNING_ATLAS_H
#define HARNESS_TUNING_ATLAS_H

#include "base/status.h"
#include "harness/rows/row_index.h"

#include <cjson/cJSON.h>

#define ATLAS_SCHEMA 1

enum { ATLAS_NAME_SIZE = 96 };

/* Makes the entry of a run. `name` becomes a file name without a folder: processor, scale and
 * checksum. The caller deletes *entry. STATUS_INPUT if no point has two variants with times, or
 * if the run is a part of one or not finished. */
enum status atlas_entry_make(const struct row_index *index, cJSON **entry,
                             char name[static ATLAS_NAME_SIZE], struct error *error);

/* Writes the entry to FOLDER/NAME. Makes the folder if it is not there. */
enum status atlas_entry_write(const char *folder, const char *name, const cJSON *entry,
                              struct error *error);

/* Reads an entry, which the caller deletes. Checks its schema, its checksum and the types of its
 * members, so that an entry that was damaged or edited is refused. The checksum is no protection
 * against intent. */
enum status atlas_entry_read(const char *path, cJSON **entry, struct error *error);

#endif
