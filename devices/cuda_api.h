/* The functions of CUDA's driver, from a library that is loaded at run time. Private to the CUDA
 * back end: cuda*.c. Only for builds with CUDA=1. */
#ifndef DEVICES_CUDA_API_H
#define DEVICES_CUDA_API_H

#include <cuda.h>

#include "base/status.h"

/* Many of these names are macros: cuda.h adds the version of the interface. */
#define CUDA_FUNCTIONS(F)                                                                          \
    F(cuInit)                                                                                      \
    F(cuDriverGetVersion)                                                                          \
    F(cuGetErrorString)                                                                            \
    F(cuDeviceGetCount)                                                                            \
    F(cuDeviceGet)                                                                                 \
    F(cuDeviceGetName)                                                                             \
    F(cuDeviceGetAttribute)                                                                        \
    F(cuDeviceTotalMem)                                                                            \
    F(cuDevicePrimaryCtxRetain)                                                                    \
    F(cuDevicePrimaryCtxRelease)                                                                   \
    F(cuCtxSetCurrent)                                                                             \
    F(cuModuleLoadData)                                                                            \
    F(cuModuleUnload)                                                                              \
    F(cuModuleGetFunction)                                                                         \
    F(cuFuncGetAttribute)                                                                          \
    F(cuFuncSetAttribute)                                                                          \
    F(cuLaunchKernel)                                                                              \
    F(cuMemAlloc)                                                                                  \
    F(cuMemFree)                                                                                   \
    F(cuMemcpy2DAsync)                                                                             \
    F(cuMemcpyHtoDAsync)                                                                           \
    F(cuMemcpyDtoHAsync)                                                                           \
    F(cuMemsetD8Async)                                                                             \
    F(cuStreamCreate)                                                                              \
    F(cuStreamDestroy)                                                                             \
    F(cuStreamSynchronize)                                                                         \
    F(cuEventCreate)                                                                               \
    F(cuEventDestroy)                                                                              \
    F(cuEventRecord)                                                                               \
    F(cuEventElapsedTime)

struct cuda_api {
#define MEMBER(name) __typeof__(&name) name;
    CUDA_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* Loads libcuda.so.1, or the library that the environment variable TREEBENCH_CUDA names, and
 * initialises it. It is never unloaded. STATUS_MACHINE, with a remedy, if it is missing. */
enum status cuda_api_load(const struct cuda_api **api, struct error *error);

/* Reports a failed call: STATUS_MEMORY if the device has too little memory, otherwise
 * STATUS_MACHINE. `what` is what failed. */
enum status cuda_api_fail(const struct cuda_api *api, CUresult code, const char *what,
                          struct error *error);

#endif
