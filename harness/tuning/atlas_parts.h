/* Parts of an entry of the atlas, private to this room. If memory runs out, errno becomes ENOMEM
 * and the entry may be incomplete. */
#ifndef HARNESS_TUNING_ATLAS_PARTS_H
#define HARNESS_TUNING_ATLAS_PARTS_H

#include "base/status.h"
#include "harness/instruments/stats.h"
#include "harness/rows/store.h"

#include <cjson/cJSON.h>

/* Checks that the members of an entry have the types that the page of all entries expects. `name`
 * stands for the entry in errors. */
enum status atlas_check_types(const char *name, const cJSON *entry, struct error *error);

/* Adds the value, or null if it is not finite. */
void atlas_add_number(cJSON *object, const char *key, double value);
void atlas_add_ratio(cJSON *object, const char *key, struct ratio ratio);

/* Adds a workload to the list for each point of a map, and counts them in *added. */
enum status atlas_add_map(const struct rows *rows, cJSON *list, size_t *added, struct error *error);

#endif
