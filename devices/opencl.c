/* The OpenCL back end. */
#include "devices/backend.h"
#include "devices/opencl_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Commands whose times are not read yet. If there are more, the queue is emptied first. */
enum { MOST_PENDING = 128, MOST_PLATFORMS = 16, MOST_DEVICES = 64, LOG_SIZE = 4096 };

struct opencl_device {
    struct device device;
    const struct opencl_api *api;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    struct {
        cl_event event;
        enum device_stage stage;
    } pending[MOST_PENDING];
    size_t n_pending;
};

struct opencl_kernel {
    struct device_kernel kernel;
    cl_kernel handle;
    struct opencl_kernel *next;
};

struct opencl_program {
    struct device_program program;
    cl_program handle;
    struct opencl_kernel *kernels;
};

struct opencl_buffer {
    struct device_buffer buffer;
    cl_mem handle;
};

/* --- finding devices -------------------------------------------------------------------------- */

struct found_devices {
    cl_device_id ids[MOST_DEVICES];
    cl_platform_id platforms[MOST_DEVICES];
    cl_uint count;
};

static enum status find_devices(const struct opencl_api *api, struct found_devices *found,
                                struct error *error) {
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_uint n_platforms = 0;
    found->count = 0;
    if (api->clGetPlatformIDs(MOST_PLATFORMS, platforms, &n_platforms))
        n_platforms = 0;
    for (cl_uint i = 0; i < n_platforms && i < MOST_PLATFORMS; i++) {
        cl_uint count = 0;
        if (api->clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MOST_DEVICES - found->count,
                                found->ids + found->count, &count))
            continue;
        for (; count > 0 && found->count < MOST_DEVICES; count--)
            found->platforms[found->count++] = platforms[i];
    }
    if (found->count)
        return STATUS_OK;
    return error_set(error, STATUS_MACHINE,
                     "opencl: no device was found. Install the OpenCL driver of your GPU, or "
                     "pocl-opencl-icd for the CPU");
}

static bool is_gpu(const struct opencl_api *api, cl_device_id id) {
    cl_device_type type = 0;
    api->clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    return type & CL_DEVICE_TYPE_GPU;
}

/* Turns the number that the user gave, or a negative one, into the number of a device. */
static enum status choose(const struct opencl_api *api, const struct found_devices *found,
                          int number, cl_uint *chosen, struct error *error) {
    *chosen = 0;
    if (number >= 0 && (cl_uint)number >= found->count)
        return error_set(error, STATUS_MACHINE,
                         "opencl: no device %d: there are %u, numbered from 0", number,
                         (unsigned)found->count);
    if (number >= 0) {
        *chosen = (cl_uint)number;
        return STATUS_OK;
    }
    for (cl_uint i = found->count; i > 0; i--)
        if (is_gpu(api, found->ids[i - 1]))
            *chosen = i - 1;
    return STATUS_OK;
}

static cl_ulong fact(const struct opencl_device *device, cl_device_info which, size_t size) {
    union {
        cl_uint small;
        cl_ulong large;
        size_t length;
    } value = {.large = 0};
    if (device->api->clGetDeviceInfo(device->id, which, size, &value, NULL))
        return 0;
    return size == sizeof value.small ? value.small : value.large;
}

static void text_fact(const struct opencl_device *device, cl_device_info which, char *text,
                      size_t size) {
    *text = '\0';
    device->api->clGetDeviceInfo(device->id, which, size, text, NULL);
    text[size - 1] = '\0';
    text_make_plain(text);
}

static unsigned limited(cl_ulong value) {
    return value > INT32_MAX ? INT32_MAX : (unsigned)value;
}

static void read_facts(struct opencl_device *device, cl_uint number) {
    struct device_facts *facts = &device->device.facts;
    char version[DEVICE_NAME_SIZE], driver[DEVICE_NAME_SIZE];
    snprintf(facts->spec, sizeof facts->spec, "opencl:%u", (unsigned)number);
    text_fact(device, CL_DEVICE_NAME, facts->name, sizeof facts->name);
    text_fact(device, CL_DEVICE_VERSION, version, sizeof version);
    text_fact(device, CL_DRIVER_VERSION, driver, sizeof driver);
    snprintf(facts->driver, sizeof facts->driver, "%.60s, driver %.50s", version, driver);
    facts->is_gpu = is_gpu(device->api, device->id);
    facts->units = limited(fact(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint)));
    facts->threads_per_block = limited(fact(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t)));
    facts->shared_per_block = fact(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong));
    facts->l2_bytes = fact(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof(cl_ulong));
    facts->memory_bytes = fact(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong));
    facts->largest_buffer = fact(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong));
    facts->threads_per_unit = TABLE6_THREADS_PER_UNIT;
    facts->shared_per_unit = facts->shared_per_block > TABLE6_SHARED_PER_UNIT
                                 ? facts->shared_per_block
                                 : (size_t)TABLE6_SHARED_PER_UNIT;
    snprintf(facts->assumed, sizeof facts->assumed, "threads per unit%s%s",
             facts->shared_per_block < TABLE6_SHARED_PER_UNIT ? ", shared memory per unit" : "",
             facts->l2_bytes ? "" : ", L2 cache");
    if (!facts->l2_bytes)
        facts->l2_bytes = TABLE6_L2;
}

/* --- opening and closing ---------------------------------------------------------------------- */

static enum status check(cl_int code, const char *what, struct error *error) {
    return code ? opencl_api_fail(code, what, error) : STATUS_OK;
}

static void opencl_close(struct device *opened) {
    struct opencl_device *device = (struct opencl_device *)opened;
    for (size_t i = 0; i < device->n_pending; i++)
        device->api->clReleaseEvent(device->pending[i].event);
    if (device->queue)
        device->api->clReleaseCommandQueue(device->queue);
    if (device->context)
        device->api->clReleaseContext(device->context);
    free(device);
}

static enum status start(struct opencl_device *device, cl_platform_id platform,
                         struct error *error) {
    cl_int code;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)platform, 0};
    if (fact(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_ulong)) == 0)
        return error_set(error, STATUS_MACHINE,
                         "%s: %s has no double precision, which sums of scores need",
                         device->device.facts.spec, device->device.facts.name);
    device->context = device->api->clCreateContext(properties, 1, &device->id, NULL, NULL, &code);
    if (code)
        return check(code, "starting the device", error);
    device->queue = device->api->clCreateCommandQueue(device->context, device->id,
                                                      CL_QUEUE_PROFILING_ENABLE, &code);
    return check(code, "starting the device", error);
}

static enum status opencl_open(int number, struct device **opened, struct error *error) {
    const struct opencl_api *api;
    struct found_devices found;
    cl_uint chosen;
    enum status status = opencl_api_load(&api, error);
    if (!status)
        status = find_devices(api, &found, error);
    if (!status)
        status = choose(api, &found, number, &chosen, error);
    if (status)
        return status;
    struct opencl_device *device = calloc(1, sizeof *device);
    if (!device)
        return error_memory(error, "a device");
    device->device.backend = &device_backend_opencl;
    device->api = api;
    device->id = found.ids[chosen];
    read_facts(device, chosen);
    status = start(device, found.platforms[chosen], error);
    if (status) {
        opencl_close(&device->device);
        return status;
    }
    *opened = &device->device;
    return STATUS_OK;
}

/* --- commands and their times ----------------------------------------------------------------- */

static enum status opencl_finish(struct device *opened, struct error *error) {
    struct opencl_device *device = (struct opencl_device *)opened;
    cl_int code = device->api->clFinish(device->queue);
    for (size_t i = 0; i < device->n_pending; i++) {
        cl_ulong begin = 0, end = 0;
        cl_event event = device->pending[i].event;
        device->api->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin,
                                             &begin, NULL);
        device->api->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end,
                                             NULL);
        if (end > begin)
            opened->ns[device->pending[i].stage] += (double)(end - begin);
        device->api->clReleaseEvent(event);
    }
    device->n_pending = 0;
    return check(code, "waiting for the device", error);
}

/* Keeps the event of a command that was given, or reports that it could not be given. */
static enum status keep(struct opencl_device *device, cl_int code, cl_event event,
                        enum device_stage stage, const char *what, struct error *error) {
    if (code)
        return check(code, what, error);
    device->pending[device->n_pending].event = event;
    device->pending[device->n_pending++].stage = stage;
    return device->n_pending < MOST_PENDING ? STATUS_OK : opencl_finish(&device->device, error);
}

static enum status opencl_write_rows(struct device *opened, struct device_buffer *buffer,
                                     const void *from, size_t row_bytes, size_t stride,
                                     size_t n_rows, struct error *error) {
    struct opencl_device *device = (struct opencl_device *)opened;
    const size_t origin[3] = {0, 0, 0}, region[3] = {row_bytes, n_rows, 1};
    cl_event event;
    cl_int code = device->api->clEnqueueWriteBufferRect(
        device->queue, ((struct opencl_buffer *)buffer)->handle, CL_TRUE, origin, origin, region,
        row_bytes, 0, stride, 0, from, 0, NULL, &event);
    return keep(device, code, event, DEVICE_COPYING, "copying to the device", error);
}

static enum status opencl_read(struct device *opened, const struct device_buffer *buffer, void *to,
                               size_t bytes, struct error *error) {
    struct opencl_device *device = (struct opencl_device *)opened;
    cl_event event;
    cl_int code = device->api->clEnqueueReadBuffer(device->queue,
                                                   ((const struct opencl_buffer *)buffer)->handle,
                                                   CL_TRUE, 0, bytes, to, 0, NULL, &event);
    return keep(device, code, event, DEVICE_COPYING, "copying from the device", error);
}

static enum status opencl_clear(struct device *opened, struct device_buffer *buffer, size_t bytes,
                                struct error *error) {
    static const cl_uchar zero;
    struct opencl_device *device = (struct opencl_device *)opened;
    cl_event event;
    cl_int code =
        device->api->clEnqueueFillBuffer(device->queue, ((struct opencl_buffer *)buffer)->handle,
                                         &zero, sizeof zero, 0, bytes, 0, NULL, &event);
    return keep(device, code, event, DEVICE_COPYING, "clearing device memory", error);
}

/* --- buffers ---------------------------------------------------------------------------------- */

static enum status opencl_buffer_create(struct device *opened, size_t bytes,
                                        struct device_buffer **buffer, struct error *error) {
    struct opencl_device *device = (struct opencl_device *)opened;
    cl_int code;
    if (bytes > opened->facts.largest_buffer)
        return opencl_api_fail(CL_INVALID_BUFFER_SIZE, "a buffer", error);
    struct opencl_buffer *made = malloc(sizeof *made);
    if (!made)
        return error_memory(error, "a buffer");
    made->buffer.device = opened;
    made->handle =
        device->api->clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code) {
        free(made);
        return check(code, "a buffer", error);
    }
    *buffer = &made->buffer;
    return STATUS_OK;
}

static void opencl_buffer_free(struct device_buffer *buffer) {
    struct opencl_device *device = (struct opencl_device *)buffer->device;
    device->api->clReleaseMemObject(((struct opencl_buffer *)buffer)->handle);
    free(buffer);
}

/* --- programs --------------------------------------------------------------------------------- */

static void opencl_program_free(struct device_program *freed) {
    struct opencl_program *program = (struct opencl_program *)freed;
    struct opencl_device *device = (struct opencl_device *)freed->device;
    while (program->kernels) {
        struct opencl_kernel *kernel = program->kernels;
        program->kernels = kernel->next;
        device->api->clReleaseKernel(kernel->handle);
        free(kernel);
    }
    if (program->handle)
        device->api->clReleaseProgram(program->handle);
    free(program);
}

/* Reports the first line of the compiler's log that mentions an error, or the log's first line. */
static enum status report_log(const struct opencl_device *device, cl_program program,
                              const char *name, struct error *error) {
    char log[LOG_SIZE] = "";
    device->api->clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1,
                                       log, NULL);
    const char *line = strstr(log, "error");
    while (line && line > log && line[-1] != '\n')
        line--;
    line = line ? line : log;
    return error_set(error, STATUS_MACHINE, "%s: %s was rejected by the compiler of %s: %.*s",
                     device->device.facts.spec, name, device->device.facts.name,
                     (int)strcspn(line, "\n"), line);
}

static enum status compile(struct opencl_program *program, const struct device_source *source,
                           struct error *error) {
    const struct opencl_device *device = (const struct opencl_device *)program->program.device;
    cl_int code;
    program->handle = device->api->clCreateProgramWithSource(
        device->context, 1, (const char **)(uintptr_t)&source->text, NULL, &code);
    if (code)
        return check(code, source->name, error);
    code =
        device->api->clBuildProgram(program->handle, 1, &device->id, "-cl-std=CL1.2", NULL, NULL);
    if (code == CL_BUILD_PROGRAM_FAILURE)
        return report_log(device, program->handle, source->name, error);
    return check(code, source->name, error);
}

static enum status opencl_program_build(struct device *device, const struct device_source *source,
                                        struct device_program **program, struct error *error) {
    struct opencl_program *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error, source->name);
    made->program.device = device;
    enum status status = compile(made, source, error);
    if (status) {
        opencl_program_free(&made->program);
        return status;
    }
    *program = &made->program;
    return STATUS_OK;
}

static enum status opencl_kernel_find(struct device_program *within, const char *name,
                                      const struct device_kernel **kernel, struct error *error) {
    struct opencl_program *program = (struct opencl_program *)within;
    const struct opencl_device *device = (const struct opencl_device *)within->device;
    cl_int code;
    size_t threads = 0;
    struct opencl_kernel *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error, name);
    made->handle = device->api->clCreateKernel(program->handle, name, &code);
    if (code) {
        free(made);
        return check(code, name, error);
    }
    device->api->clGetKernelWorkGroupInfo(made->handle, device->id, CL_KERNEL_WORK_GROUP_SIZE,
                                          sizeof threads, &threads, NULL);
    made->kernel.threads = limited(threads);
    made->next = program->kernels;
    program->kernels = made;
    *kernel = &made->kernel;
    return STATUS_OK;
}

static cl_int set_arguments(const struct opencl_api *api, cl_kernel kernel,
                            const struct device_launch *launch) {
    cl_int code = CL_SUCCESS;
    cl_uint n = (cl_uint)launch->n_arguments;
    for (cl_uint i = 0; i < n && !code; i++) {
        const struct device_argument *argument = &launch->arguments[i];
        const struct opencl_buffer *buffer = (const struct opencl_buffer *)argument->buffer;
        code = buffer ? api->clSetKernelArg(kernel, i, sizeof buffer->handle, &buffer->handle)
                      : api->clSetKernelArg(kernel, i, sizeof argument->value, &argument->value);
    }
    if (!code && launch->shared)
        code = api->clSetKernelArg(kernel, n, launch->shared, NULL);
    return code;
}

static enum status opencl_launch(struct device *opened, const struct device_launch *launch,
                                 struct error *error) {
    struct opencl_device *device = (struct opencl_device *)opened;
    cl_kernel kernel = ((const struct opencl_kernel *)launch->kernel)->handle;
    const size_t threads[2] = {launch->threads, 1};
    const size_t all[2] = {(size_t)launch->blocks[0] * launch->threads, launch->blocks[1]};
    cl_event event = NULL;
    cl_int code = set_arguments(device->api, kernel, launch);
    if (!code)
        code = device->api->clEnqueueNDRangeKernel(device->queue, kernel, 2, NULL, all, threads, 0,
                                                   NULL, &event);
    return keep(device, code, event, launch->stage, "starting a kernel", error);
}

const struct device_backend device_backend_opencl = {.name = "opencl",
                                                     .open = opencl_open,
                                                     .close = opencl_close,
                                                     .program_build = opencl_program_build,
                                                     .program_free = opencl_program_free,
                                                     .kernel_find = opencl_kernel_find,
                                                     .buffer_create = opencl_buffer_create,
                                                     .buffer_free = opencl_buffer_free,
                                                     .write_rows = opencl_write_rows,
                                                     .read = opencl_read,
                                                     .clear = opencl_clear,
                                                     .launch = opencl_launch,
                                                     .finish = opencl_finish};
