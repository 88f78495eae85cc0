/* The manifest of a run: on what, built how, started when, beside what load. */
#ifndef HARNESS_MACHINE_H
#define HARNESS_MACHINE_H

#include <cjson/cJSON.h>

/* CPU model, microcode, features, caches, cores, NUMA nodes, governor, kernel, hypervisor (if the
 * cpuinfo flag says so), memory, compiler and flags of this binary, commit and whether the tree was
 * dirty (from the build), clocks, counters, the load average. Unknown things are null. Never a host
 * name or a path.
 */
cJSON *machine_manifest(void);

#endif
