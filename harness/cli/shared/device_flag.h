/* The option --device of commands that score. */
#ifndef HARNESS_CLI_SHARED_DEVICE_FLAG_H
#define HARNESS_CLI_SHARED_DEVICE_FLAG_H

#include "harness/cli/shared/command.h"

#define DEVICE_FLAG(request, member)                                                               \
    {                                                                                              \
        "device", "NAME", "the GPU: cuda, opencl, or one with a number, such as cuda:1",           \
            SETS_TEXT(request, member)                                                             \
    }

/* A paragraph for --help. */
#define DEVICE_HELP                                                                                \
    "Implementations for GPUs run only if --device or the environment variable TREEBENCH_DEVICE "  \
    "names a device. See docs/gpu.md."

/* Names the device for all implementations; NULL changes nothing. STATUS_INPUT if this is no name
 * of a device. Whether the device is here shows when it is opened. */
enum status device_choose(const char *name, struct error *error);

/* Is a device named, by the option or by the environment? */
bool device_is_named(void);

#endif
