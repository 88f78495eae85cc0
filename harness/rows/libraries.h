/* The versions of the libraries that a run measures, in its manifest: {"libraries": {"xgboost":
 * "XGBoost 1.7.4"}}. */
#ifndef HARNESS_ROWS_LIBRARIES_H
#define HARNESS_ROWS_LIBRARIES_H

#include "harness/rows/store.h"

/* Adds the version of the variant's library to the manifest. Does nothing if the variant is no
 * library or the version is unknown. Sets errno to ENOMEM if memory runs out. */
void libraries_add(cJSON *manifest, const char *variant);

/* Returns the version of the library of a variant or operand, such as "XGBoost 1.7.4". NULL if the
 * manifest has none. */
const char *libraries_version(const cJSON *manifest, const char *variant);

/* Writes all versions, separated by "; ", to `text`. "" if the manifest has none. */
void libraries_describe(const cJSON *manifest, char *text, size_t size);

#endif
