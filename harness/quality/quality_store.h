/* A run's quality.jsonl, which has one line per trained model. A line is appended and synced as
 * soon as its model is measured. */
#ifndef HARNESS_QUALITY_QUALITY_STORE_H
#define HARNESS_QUALITY_QUALITY_STORE_H

#include "base/status.h"
#include "harness/quality/quality.h"

#include <stdbool.h>
#include <stddef.h>

struct quality_list {
    struct quality *list;
    size_t count;
};

/* Loads DIRECTORY/quality.jsonl. If the file does not exist, the list is empty. A torn last line is
 * ignored. Any other line that does not follow the schema is an error with FILE:LINE. Free the list
 * with quality_list_free. */
enum status quality_load(const char *directory, struct quality_list *qualities,
                         struct error *error);
void quality_list_free(struct quality_list *qualities);

/* Returns the quality of the workload's model, or NULL if it is not in the list. */
const struct quality *quality_find(const struct quality_list *qualities,
                                   const struct workload *workload);

/* Fails if the folder holds models of an older run. Call this before overwriting anything in the
 * folder. */
enum status quality_store_vacant(const char *directory, struct error *error);

/* Opens DIRECTORY/quality.jsonl for appending. Without `resume`, it is an error if the file has
 * lines. With `resume`, a torn last line is cut off. Close the store with quality_store_close. */
struct quality_store;
enum status quality_store_open(const char *directory, bool resume, struct quality_store **store,
                               struct error *error);
bool quality_store_has(const struct quality_store *store, const struct workload *workload);
enum status quality_store_append(struct quality_store *store, const struct quality *quality,
                                 struct error *error);
void quality_store_close(struct quality_store *store);

#endif
