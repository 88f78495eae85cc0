/* OpenCL whose memory is small, whose device gets lost, and which has devices that cannot be used:
 * in front of the real library, whose other functions it has as they are. Compiled by
 * test_gpu_failures.c. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <string.h>

size_t failing_largest = (size_t)-1; /* larger buffers do not fit */
int failing_launches = -1;           /* so many succeed; -1: all */

const char *failing_devices; /* if set, a letter for each: 'G' a GPU, 'C' a CPU */

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint size, cl_device_id *ids,
                      cl_uint *count) {
    __typeof__(&clGetDeviceIDs) real;
    *(void **)&real = dlsym(RTLD_NEXT, "clGetDeviceIDs");
    if (!failing_devices)
        return real(platform, type, size, ids, count);
    for (*count = 0; *count < size && failing_devices[*count]; ++*count)
        ids[*count] = (cl_device_id)(failing_devices + *count);
    return CL_SUCCESS;
}

/* Of a made-up device, only the type is known. It has no doubles, so that it is refused by name. */
cl_int clGetDeviceInfo(cl_device_id device, cl_device_info which, size_t size, void *value,
                       size_t *used) {
    __typeof__(&clGetDeviceInfo) real;
    *(void **)&real = dlsym(RTLD_NEXT, "clGetDeviceInfo");
    if (!failing_devices)
        return real(device, which, size, value, used);
    memset(value, 0, size);
    if (which == CL_DEVICE_TYPE)
        *(cl_device_type *)value =
            *(const char *)device == 'G' ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU;
    return CL_SUCCESS;
}

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
