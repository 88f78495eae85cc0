#ifdef WITH_CUDA

#include "devices/cuda_api.h"

#include "base/loader.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const char *path_of_library(void) {
    const char *path = getenv("TREEBENCH_CUDA");
    return path && *path ? path : "libcuda.so.1";
}

static enum status find_function(void *handle, const char *name, void **address,
                                 struct error *error) {
    *address = dlsym(handle, name);
    if (*address)
        return STATUS_OK;
    return error_set(error, STATUS_MACHINE,
                     "cuda: %s has no function %s. Install a newer driver, for CUDA %d.%d",
                     path_of_library(), name, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
}

enum status cuda_api_fail(const struct cuda_api *api, CUresult code, const char *what,
                          struct error *error) {
    const char *text = NULL;
    if (code == CUDA_ERROR_OUT_OF_MEMORY)
        return error_set(error, STATUS_MEMORY, "cuda: %s: out of device memory", what);
    if (api->cuGetErrorString(code, &text) || !text)
        return error_set(error, STATUS_MACHINE, "cuda: %s: error %d", what, (int)code);
    return error_set(error, STATUS_MACHINE, "cuda: %s: %s", what, text);
}

enum status cuda_api_load(const struct cuda_api **api, struct error *error) {
    static struct cuda_api loaded;
    void *handle;
    const char *why;
    enum status status = loader_open(path_of_library(), &handle, &why);
    if (status == STATUS_MEMORY)
        return error_memory(error, "the library of CUDA");
    if (status)
        return error_set(error, status, "cuda: %s. Install NVIDIA's driver", why);
#define FIND_AS(name)                                                                              \
    if (!status)                                                                                   \
        status = find_function(handle, #name, (void **)&loaded.name, error);
#define FIND(name) FIND_AS(name) /* expands the name, so that it has its version */
    CUDA_FUNCTIONS(FIND)
#undef FIND
#undef FIND_AS
    if (status)
        return status;
    *api = &loaded;
    CUresult code = loaded.cuInit(0);
    return code ? cuda_api_fail(&loaded, code, "no device can be used", error) : STATUS_OK;
}

#else
typedef int cuda_api_is_absent; /* ISO C forbids an empty file */
#endif
