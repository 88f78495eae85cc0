/* A shard: one of several parts of a run, which different machines of the same type can measure at
 * the same time. `treebench merge` joins them. */
#ifndef HARNESS_ARTEFACTS_SHARD_H
#define HARNESS_ARTEFACTS_SHARD_H

#include "base/status.h"

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

#endif
