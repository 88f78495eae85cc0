#include "devices/opencl_api.h"

#include "base/loader.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const char *path_of_library(void) {
    const char *path = getenv("TREEBENCH_OPENCL");
    return path && *path ? path : "libOpenCL.so.1";
}

static enum status find_function(void *handle, const char *name, void **address,
                                 struct error *error) {
    *address = dlsym(handle, name);
    if (*address)
        return STATUS_OK;
    return error_set(error, STATUS_MACHINE,
                     "opencl: %s has no function %s. OpenCL 1.2 or newer is needed",
                     path_of_library(), name);
}

enum status opencl_api_load(const struct opencl_api **api, struct error *error) {
    static struct opencl_api loaded;
    void *handle;
    const char *why;
    enum status status = loader_open(path_of_library(), &handle, &why);
    if (status == STATUS_MEMORY)
        return error_memory(error, "the library of OpenCL");
    if (status)
        return error_set(error, status,
                         "opencl: %s. Install ocl-icd-libopencl1 and the driver of your GPU, or "
                         "pocl-opencl-icd for the CPU",
                         why);
#define FIND(name)                                                                                 \
    if (!status)                                                                                   \
        status = find_function(handle, #name, (void **)&loaded.name, error);
    OPENCL_FUNCTIONS(FIND)
#undef FIND
    *api = &loaded;
    return status;
}

static const char *name_of(cl_int code) {
    switch (code) {
    case CL_DEVICE_NOT_AVAILABLE:
        return "the device is not available";
    case CL_OUT_OF_RESOURCES:
        return "out of the device's resources, or the device was lost";
    case CL_BUILD_PROGRAM_FAILURE:
        return "the compiler failed";
    case CL_INVALID_WORK_GROUP_SIZE:
        return "too many threads per block";
    case CL_INVALID_KERNEL_NAME:
        return "no such kernel";
    default:
        return NULL;
    }
}

enum status opencl_api_fail(cl_int code, const char *what, struct error *error) {
    const char *name = name_of(code);
    if (code == CL_OUT_OF_HOST_MEMORY)
        return error_memory(error, what);
    if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_INVALID_BUFFER_SIZE)
        return error_set(error, STATUS_MEMORY, "opencl: %s: out of device memory", what);
    if (name)
        return error_set(error, STATUS_MACHINE, "opencl: %s: %s", what, name);
    return error_set(error, STATUS_MACHINE, "opencl: %s: error %d", what, (int)code);
}
