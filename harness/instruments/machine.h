/* The manifest of a run: the machine, the build, the start time and the load. */
#ifndef HARNESS_INSTRUMENTS_MACHINE_H
#define HARNESS_INSTRUMENTS_MACHINE_H

#include <cjson/cJSON.h>

/* Describes the processor and its caches, the memory, the kernel, the build of this program, the
 * clocks, the counters, the load average and how the system is set up. Unknown values are null.
 * Contains no host name and no path. The caller frees the result with cJSON_Delete. Returns NULL if
 * memory runs out. */
cJSON *machine_manifest(void);

/* The compiler that built this program, with its version. */
const char *machine_compiler(void);

#endif
