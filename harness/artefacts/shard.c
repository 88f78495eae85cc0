#include "harness/artefacts/shard.h"

#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum status shard_parse(const char *text, struct shard *shard, struct error *error) {
    const char *end = text + strlen(text);
    struct shard read = {0, 0};
    const char *at = number_parse_u32(text, end, &read.number);
    if (at && *at == '/')
        at = number_parse_u32(at + 1, end, &read.count);
    else
        at = NULL;
    if (at != end || read.number < 1 || read.number > read.count || read.count > SHARDS_MAX)
        return error_set(error, STATUS_INPUT,
                         "--shard: '%.40s' is not I/N with 1 <= I <= N <= %d, such as 2/3", text,
                         SHARDS_MAX);
    *shard = read;
    return STATUS_OK;
}

void shard_print(const struct shard *shard, char text[static SHARD_TEXT_SIZE]) {
    snprintf(text, SHARD_TEXT_SIZE, "%" PRIu32 "/%" PRIu32, shard->number, shard->count);
}
