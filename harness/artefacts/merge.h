/* Joins the shards of a run. */
#ifndef HARNESS_ARTEFACTS_MERGE_H
#define HARNESS_ARTEFACTS_MERGE_H

#include "base/note.h"
#include "base/status.h"
#include "harness/artefacts/artefact.h"

struct merge_tally {
    size_t cells;                     /* number in the merged run */
    size_t items[ARTEFACT_KINDS_MAX]; /* of each of artefact_kinds, except those in cells */
    size_t again;                     /* items that several shards had; the first one counts */
    size_t missing;                   /* cells of the run that no shard has */
};

/* Writes the run DIR from the folders of its shards. Shards whose processor, program, scale, clock,
 * configs, data or libraries differ are refused, because their rows are not comparable. DIR must
 * not exist. It is written aside and renamed, so that it never holds a part of the result. Shards
 * may be unfinished: the tally tells how many cells are missing. */
enum status merge_shards(const char *const *shards, size_t n_shards, const char *directory,
                         note_function *note, struct merge_tally *tally, struct error *error);

#endif
