/* The manifest of a run: the machine, the build, the start time and the load. */
#ifndef HARNESS_INSTRUMENTS_MACHINE_H
#define HARNESS_INSTRUMENTS_MACHINE_H

#include <cjson/cJSON.h>

/* CPU model, microcode, features, caches, cores, NUMA nodes, governor, kernel, hypervisor (from the
 * cpuinfo flag), memory, compiler, flags and commit of this binary, whether its tree was dirty,
 * clocks, counters, load average. Unknown values are null. The manifest contains no host name and
 * no path. The caller frees it by cJSON_Delete. Returns NULL if memory runs out. */
cJSON *machine_manifest(void);

#endif
