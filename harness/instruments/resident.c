#include "harness/instruments/resident.h"

#include "base/files/kernel_file.h"

#include <malloc.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

const struct resident resident_unknown = {(double)NAN, (double)NAN};

void resident_trim(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

/* Counted page by page. VmRSS of /proc/self/status is off by up to 256 KB per processor. */
static double read_now(void) {
    return kernel_file_bytes("/proc/self/smaps_rollup", "Rss:");
}

static double read_most(void) {
    return kernel_file_bytes("/proc/self/status", "VmHWM:");
}

/* The most becomes what there is now. */
static bool reset_most(void) {
    FILE *stream = fopen("/proc/self/clear_refs", "w");
    if (!stream)
        return false;
    bool is_written = fputs("5", stream) >= 0;
    return fclose(stream) == 0 && is_written;
}

struct resident_reading resident_begin(void) {
    resident_trim();
    bool is_reset = reset_most();
    return (struct resident_reading){read_now(), is_reset ? read_most() : (double)NAN};
}

struct resident resident_end(const struct resident_reading *begin) {
    double most = read_most();
    resident_trim();
    double held = fdim(read_now(), begin->now_bytes);
    most -= begin->most_bytes;
    return (struct resident){held, most < held ? held : most};
}
