/* A run's quality.jsonl: a line for each trained model, appended and synced as it is measured. */
#ifndef HARNESS_QUALITY_STORE_H
#define HARNESS_QUALITY_STORE_H

#include "base/status.h"
#include "harness/quality.h"

#include <stdbool.h>
#include <stddef.h>

struct quality_list {
    struct quality *list;
    size_t count;
};

/* The lines of DIRECTORY/quality.jsonl; none where there is no such file. A line that is not one of
 * this schema is an error with FILE:LINE; a torn last line is left out. */
enum status quality_load(const char *directory, struct quality_list *qualities,
                         struct error *error);
void quality_list_free(struct quality_list *qualities);

/* What was measured for this workload; NULL: nothing. */
const struct quality *quality_find(const struct quality_list *qualities,
                                   const struct workload *workload);

/* Refuses a folder where an older run has left models, before anything else of that run is written
 * over. */
enum status quality_store_vacant(const char *directory, struct error *error);

/* Opens it for appending. A file that has lines is refused without resume; with it a torn last line
 * is cut off. */
struct quality_store;
enum status quality_store_open(const char *directory, bool resume, struct quality_store **store,
                               struct error *error);
bool quality_store_has(const struct quality_store *store, const struct workload *workload);
enum status quality_store_append(struct quality_store *store, const struct quality *quality,
                                 struct error *error);
void quality_store_close(struct quality_store *store);

#endif
