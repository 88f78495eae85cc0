#include "harness/measure/device_times.h"

#include <stdio.h>

static void add(const struct scorer *scorer, double sign, struct device_times *times) {
    struct impl_device now;
    if (!scorer->impl->device)
        return;
    scorer->impl->device(scorer, &now);
    times->documents += sign * (double)now.documents;
    times->scoring_ns += sign * now.scoring_ns;
    times->preparing_ns += sign * now.preparing_ns;
    times->copying_ns += sign * now.copying_ns;
}

void device_times_begin(const struct scorer *scorer, struct device_times *times) {
    add(scorer, -1, times);
}

void device_times_end(const struct scorer *scorer, struct device_times *times) {
    add(scorer, 1, times);
}

void device_times_record(const struct scorer *scorer, const struct device_times *times,
                         struct row *row) {
    struct impl_device device;
    if (!scorer->impl->device)
        return;
    scorer->impl->device(scorer, &device);
    snprintf(row->device, sizeof row->device, "%s", device.name);
    snprintf(row->device_driver, sizeof row->device_driver, "%s", device.driver);
    row->device_units = device.units;
    row->device_l2_bytes = device.l2_bytes;
    if (times->documents <= 0)
        return;
    row->device_scoring_ns = times->scoring_ns / times->documents;
    row->device_preparing_ns = times->preparing_ns / times->documents;
    row->device_copying_ns = times->copying_ns / times->documents;
}
