/* Finds the best number of trees per unit (tau) of QuickScorer's units, each with its best order
 * and blocks (jin2016, sections 4.3 and 5.3): a loop over the partition around the guided search.
 */
#ifndef HARNESS_TUNING_PARTITION_SEARCH_H
#define HARNESS_TUNING_PARTITION_SEARCH_H

#include "harness/blocking/partition.h"
#include "harness/tuning/blocking_bench.h"

#include <stdio.h>

struct partition_request {
    const struct ensemble *ensemble;
    const char *impl;               /* without the option tau */
    const struct matrix *documents; /* 2 * n_docs rows */
    size_t n_docs;
    uint32_t rounds;
    struct blocking_machine machine;
    struct candidate_request candidates;
    struct progress *progress; /* may be NULL */
    note_function *note;       /* may be NULL */
};

/* The best order and blocks of a partition, confirmed on other documents. */
struct partition_point {
    uint32_t tau;
    size_t n_units;
    struct blocking choice;
    struct blocking_time time, ds_time;
};

/* Searches each tau of partition_list that gives at least two units. Partitions are measured one
 * after the other. Returns their number in *n. Fails if the implementation has no option tau. */
enum status partition_search(const struct partition_request *request,
                             struct partition_point points[static PARTITIONS_MOST], size_t *n,
                             struct error *error);

/* Prints a line per partition and marks the best. */
void partition_print(FILE *stream, const char *impl, const struct partition_point *points,
                     size_t n);

#endif
