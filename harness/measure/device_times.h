/* The time that samples took on a device, for implementations that have one. */
#ifndef HARNESS_MEASURE_DEVICE_TIMES_H
#define HARNESS_MEASURE_DEVICE_TIMES_H

#include "harness/rows/row.h"
#include "impls/impl.h"

struct device_times {
    double documents, scoring_ns, preparing_ns, copying_ns; /* sums over samples */
};

/* Call it with the same scorer before and after a sample. Both do nothing without a device. */
void device_times_begin(const struct scorer *scorer, struct device_times *times);
void device_times_end(const struct scorer *scorer, struct device_times *times);

/* Stores the device and the times per document in a row. */
void device_times_record(const struct scorer *scorer, const struct device_times *times,
                         struct row *row);

#endif
