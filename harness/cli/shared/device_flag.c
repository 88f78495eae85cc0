#include "harness/cli/shared/device_flag.h"

#include "devices/device.h"
#include "impls/gpu/gpu_scorer.h"

#include <stdlib.h>

enum status device_choose(const char *name, struct error *error) {
    struct error reason;
    if (!name)
        return STATUS_OK;
    if (device_check_name(name, &reason) != STATUS_OK)
        return error_set(error, STATUS_INPUT, "--device: %s", reason.text);
    if (setenv(GPU_DEVICE_VARIABLE, name, 1) != 0)
        return error_memory(error, "the name of the device");
    return STATUS_OK;
}

bool device_is_named(void) {
    const char *name = getenv(GPU_DEVICE_VARIABLE);
    return name && *name;
}
