/* The workloads on which the regression gate compares two builds. */
#ifndef HARNESS_REGRESS_WORKLOADS_H
#define HARNESS_REGRESS_WORKLOADS_H

#include "base/files/temporary.h"
#include "base/status.h"

#include <stddef.h>

enum { WORKLOADS_MAX = 32, WORKLOAD_NAME_SIZE = 64, WORKLOAD_PATH_SIZE = 512 };

struct regress_workload {
    char name[WORKLOAD_NAME_SIZE];
    char model[WORKLOAD_PATH_SIZE], data[WORKLOAD_PATH_SIZE]; /* files */
    size_t block;                                             /* documents per call; 0: all */
};

struct regress_workloads {
    struct regress_workload list[WORKLOADS_MAX];
    size_t count;
    struct temporary_folder folder; /* that workloads_make filled */
};

/* Reads {"workloads": [{"name": ..., "model": FILE, "data": FILE, "block": N}, ...]}. Relative
 * paths are relative to the folder of the file. docs/regression-checks.md documents the keys. */
enum status workloads_read(const char *path, struct regress_workloads *workloads,
                           struct error *error);

/* Makes six small workloads in a new temporary folder: grown ensembles of three sizes and documents
 * like MSLR-WEB10K's, scored in calls of 1, 64 and 1,000 documents. */
enum status workloads_make(struct regress_workloads *workloads, struct error *error);

void workloads_free(struct regress_workloads *workloads); /* removes the temporary folder */

#endif
