/* The manifest of a run: the machine, the build, the start time and the load. */
#ifndef HARNESS_INSTRUMENTS_MACHINE_H
#define HARNESS_INSTRUMENTS_MACHINE_H

#include <cjson/cJSON.h>

/* Describes the processor and its caches, the memory and the kernel. Also describes the build of
 * this program, the clocks, the counters and the load average. Unknown values are null. The
 * manifest contains no host name and no path. The caller frees it by cJSON_Delete. Returns NULL if
 * memory runs out. */
cJSON *machine_manifest(void);

#endif
