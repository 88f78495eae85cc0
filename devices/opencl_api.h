/* The functions of OpenCL 1.2, from a library that is loaded at run time. Private to the OpenCL
 * back end: opencl*.c. */
#ifndef DEVICES_OPENCL_API_H
#define DEVICES_OPENCL_API_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "base/status.h"

#define OPENCL_FUNCTIONS(F)                                                                        \
    F(clGetPlatformIDs)                                                                            \
    F(clGetPlatformInfo)                                                                           \
    F(clGetDeviceIDs)                                                                              \
    F(clGetDeviceInfo)                                                                             \
    F(clCreateContext)                                                                             \
    F(clReleaseContext)                                                                            \
    F(clCreateCommandQueue)                                                                        \
    F(clReleaseCommandQueue)                                                                       \
    F(clCreateBuffer)                                                                              \
    F(clReleaseMemObject)                                                                          \
    F(clCreateProgramWithSource)                                                                   \
    F(clBuildProgram)                                                                              \
    F(clGetProgramBuildInfo)                                                                       \
    F(clReleaseProgram)                                                                            \
    F(clCreateKernel)                                                                              \
    F(clReleaseKernel)                                                                             \
    F(clGetKernelWorkGroupInfo)                                                                    \
    F(clSetKernelArg)                                                                              \
    F(clEnqueueNDRangeKernel)                                                                      \
    F(clEnqueueWriteBufferRect)                                                                    \
    F(clEnqueueReadBuffer)                                                                         \
    F(clEnqueueFillBuffer)                                                                         \
    F(clGetEventProfilingInfo)                                                                     \
    F(clReleaseEvent)                                                                              \
    F(clFinish)

struct opencl_api {
#define MEMBER(name) __typeof__(&name) name;
    OPENCL_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* Loads libOpenCL.so.1, or the library that the environment variable TREEBENCH_OPENCL names. It is
 * never unloaded. STATUS_MACHINE, with a remedy, if it is missing. */
enum status opencl_api_load(const struct opencl_api **api, struct error *error);

/* Reports a failed call: STATUS_MEMORY if the device or the host has too little memory, otherwise
 * STATUS_MACHINE. `what` is what failed. */
enum status opencl_api_fail(cl_int code, const char *what, struct error *error);

#endif
