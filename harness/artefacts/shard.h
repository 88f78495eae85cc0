/* A shard: one of several parts of a run, which different machines of the same type can measure at
 * the same time, and how they are joined. */
#ifndef HARNESS_ARTEFACTS_SHARD_H
#define HARNESS_ARTEFACTS_SHARD_H

#include "base/note.h"
#include "base/status.h"
#include "harness/artefacts/artefact.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHARD_TEXT_SIZE = 24, SHARDS_MAX = 10000 };

struct shard {
    uint32_t number, count; /* 1 <= number <= count; count = 0: the whole run */
};

/* Reads "2/3". */
enum status shard_parse(const char *text, struct shard *shard, struct error *error);
void shard_print(const struct shard *shard, char text[static SHARD_TEXT_SIZE]);

/* Returns true if the shard measures the item with this index. Every item belongs to one shard.
 * Neighbours belong to different shards. The shards take turns in another sequence each time,
 * because lists often repeat sizes, such as 1,000 to 20,000 trees for each data set. */
static inline bool shard_has(const struct shard *shard, size_t index) {
    return shard->count == 0 || (index + index / shard->count) % shard->count == shard->number - 1;
}

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
