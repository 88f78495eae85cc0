/* OpenCL whose memory is small and whose device gets lost: in front of the real library, whose
 * other functions it has as they are. Compiled by test_gpu_failures.c. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>

size_t failing_largest = (size_t)-1; /* larger buffers do not fit */
int failing_launches = -1;           /* so many succeed; -1: all */

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                      cl_int *code) {
    __typeof__(&clCreateBuffer) real;
    *(void **)&real = dlsym(RTLD_NEXT, "clCreateBuffer");
    if (size <= failing_largest)
        return real(context, flags, size, host, code);
    *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint n_events, const cl_event *events, cl_event *event) {
    __typeof__(&clEnqueueNDRangeKernel) real;
    *(void **)&real = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
    if (failing_launches == 0)
        return CL_OUT_OF_RESOURCES;
    failing_launches -= failing_launches > 0;
    return real(queue, kernel, dimensions, offset, global, local, n_events, events, event);
}
