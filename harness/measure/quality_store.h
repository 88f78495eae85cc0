/* A run's quality.jsonl: one line per trained model, appended and synced as soon as the model is
 * measured. */
#ifndef HARNESS_MEASURE_QUALITY_STORE_H
#define HARNESS_MEASURE_QUALITY_STORE_H

#include "base/status.h"
#include "harness/measure/quality.h"

#include <stdbool.h>
#include <stddef.h>

struct quality_list {
    struct quality *list;
    size_t count;
};

/* Loads the lines of DIRECTORY/quality.jsonl. If there is no such file, the list is empty. A torn
 * last line is left out. Any other line that does not follow the schema is an error with FILE:LINE.
 * Freed by quality_list_free. */
enum status quality_load(const char *directory, struct quality_list *qualities,
                         struct error *error);
void quality_list_free(struct quality_list *qualities);

/* Returns the result for this workload, or NULL if there is none. */
const struct quality *quality_find(const struct quality_list *qualities,
                                   const struct workload *workload);

/* Fails if the folder holds models of an older run. Call this before anything of that run is
 * overwritten. */
enum status quality_store_vacant(const char *directory, struct error *error);

/* Opens DIRECTORY/quality.jsonl for appending. Without resume, a file with lines is an error. With
 * resume, a torn last line is cut off. Closed by quality_store_close. */
struct quality_store;
enum status quality_store_open(const char *directory, bool resume, struct quality_store **store,
                               struct error *error);
bool quality_store_has(const struct quality_store *store, const struct workload *workload);
enum status quality_store_append(struct quality_store *store, const struct quality *quality,
                                 struct error *error);
void quality_store_close(struct quality_store *store);

#endif
