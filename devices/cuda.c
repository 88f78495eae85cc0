/* The CUDA back end, over the driver's interface. Programs are compiled by nvcc when treebench is
 * built (make CUDA=1). */
#include "devices/backend.h"

#ifdef WITH_CUDA

#include "devices/cuda_api.h"

#include <stdio.h>
#include <stdlib.h>

/* Commands whose times are not read yet. If there are more, the stream is emptied first. */
enum { MOST_PENDING = 64 };

struct cuda_device {
    struct device device;
    const struct cuda_api *api;
    CUdevice id;
    CUcontext context;
    CUstream stream;
    struct {
        CUevent begin, end; /* created once, and used again */
        enum device_stage stage;
    } pending[MOST_PENDING];
    size_t n_pending;
};

struct cuda_kernel {
    struct device_kernel kernel;
    CUfunction handle;
    struct cuda_kernel *next;
};

struct cuda_program {
    struct device_program program;
    CUmodule handle;
    struct cuda_kernel *kernels;
};

struct cuda_buffer {
    struct device_buffer buffer;
    CUdeviceptr address;
};

static enum status check(const struct cuda_device *device, CUresult code, const char *what,
                         struct error *error) {
    return code ? cuda_api_fail(device->api, code, what, error) : STATUS_OK;
}

/* --- opening and closing ---------------------------------------------------------------------- */

static size_t fact(const struct cuda_device *device, CUdevice_attribute which) {
    int value = 0;
    if (device->api->cuDeviceGetAttribute(&value, which, device->id) || value < 0)
        return 0;
    return (size_t)value;
}

static void read_facts(struct cuda_device *device, int number) {
    struct device_facts *facts = &device->device.facts;
    int version = 0;
    size_t memory = 0;
    snprintf(facts->spec, sizeof facts->spec, "cuda:%d", number);
    device->api->cuDeviceGetName(facts->name, sizeof facts->name, device->id);
    text_make_plain(facts->name);
    device->api->cuDriverGetVersion(&version);
    snprintf(facts->driver, sizeof facts->driver, "CUDA %d.%d", version / 1000,
             version % 1000 / 10);
    device->api->cuDeviceTotalMem(&memory, device->id);
    facts->is_gpu = true;
    facts->units = (unsigned)fact(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    facts->threads_per_unit =
        (unsigned)fact(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    facts->threads_per_block = (unsigned)fact(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    facts->shared_per_unit = fact(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    facts->shared_per_block = fact(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    facts->l2_bytes = fact(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    facts->memory_bytes = memory;
    facts->largest_buffer = memory;
}

static void cuda_close(struct device *opened) {
    struct cuda_device *device = (struct cuda_device *)opened;
    const struct cuda_api *api = device->api;
    if (device->context)
        api->cuCtxSetCurrent(device->context);
    for (size_t i = 0; device->context && i < MOST_PENDING; i++) {
        if (device->pending[i].begin)
            api->cuEventDestroy(device->pending[i].begin);
        if (device->pending[i].end)
            api->cuEventDestroy(device->pending[i].end);
    }
    if (device->stream)
        api->cuStreamDestroy(device->stream);
    if (device->context)
        api->cuDevicePrimaryCtxRelease(device->id);
    free(device);
}

static enum status start(struct cuda_device *device, struct error *error) {
    const struct cuda_api *api = device->api;
    CUresult code = api->cuDevicePrimaryCtxRetain(&device->context, device->id);
    if (!code)
        code = api->cuCtxSetCurrent(device->context);
    if (!code)
        code = api->cuStreamCreate(&device->stream, CU_STREAM_NON_BLOCKING);
    for (size_t i = 0; !code && i < MOST_PENDING; i++) {
        code = api->cuEventCreate(&device->pending[i].begin, CU_EVENT_DEFAULT);
        if (!code)
            code = api->cuEventCreate(&device->pending[i].end, CU_EVENT_DEFAULT);
    }
    return check(device, code, "starting the device", error);
}

static enum status choose(struct cuda_device *device, int number, struct error *error) {
    int count = 0;
    if (device->api->cuDeviceGetCount(&count) || count == 0)
        return error_set(error, STATUS_MACHINE, "cuda: no device was found");
    if (number >= count)
        return error_set(error, STATUS_MACHINE, "cuda: no device %d: there are %d, numbered from 0",
                         number, count);
    return check(device, device->api->cuDeviceGet(&device->id, number), "opening the device",
                 error);
}

static enum status cuda_open(int number, struct device **opened, struct error *error) {
    const struct cuda_api *api;
    enum status status = cuda_api_load(&api, error);
    if (status)
        return status;
    struct cuda_device *device = calloc(1, sizeof *device);
    if (!device)
        return error_memory(error, "a device");
    device->device.backend = &device_backend_cuda;
    device->api = api;
    number = number < 0 ? 0 : number;
    status = choose(device, number, error);
    if (!status) {
        read_facts(device, number);
        status = start(device, error);
    }
    if (status) {
        cuda_close(&device->device);
        return status;
    }
    *opened = &device->device;
    return STATUS_OK;
}

/* --- commands and their times ----------------------------------------------------------------- */

static enum status cuda_finish(struct device *opened, struct error *error) {
    struct cuda_device *device = (struct cuda_device *)opened;
    CUresult code = device->api->cuCtxSetCurrent(device->context);
    if (!code)
        code = device->api->cuStreamSynchronize(device->stream);
    for (size_t i = 0; !code && i < device->n_pending; i++) {
        float ms = 0;
        code =
            device->api->cuEventElapsedTime(&ms, device->pending[i].begin, device->pending[i].end);
        opened->ns[device->pending[i].stage] += (double)ms * 1e6;
    }
    device->n_pending = 0;
    return check(device, code, "waiting for the device", error);
}

/* Begins and ends a command, which is given in between. A context belongs to a thread of the host,
 * so each command sets it. */
static CUresult begin(const struct cuda_device *device) {
    CUresult code = device->api->cuCtxSetCurrent(device->context);
    if (code)
        return code;
    return device->api->cuEventRecord(device->pending[device->n_pending].begin, device->stream);
}

static enum status end(struct cuda_device *device, CUresult code, enum device_stage stage,
                       const char *what, struct error *error) {
    if (!code)
        code = device->api->cuEventRecord(device->pending[device->n_pending].end, device->stream);
    if (code)
        return check(device, code, what, error);
    device->pending[device->n_pending++].stage = stage;
    return device->n_pending < MOST_PENDING ? STATUS_OK : cuda_finish(&device->device, error);
}

/* Copies rows. Contiguous ones are one copy, because the stride of others is limited to 2 GiB. */
static CUresult copy_rows(const struct cuda_device *device, CUdeviceptr to, const void *from,
                          size_t row_bytes, size_t stride, size_t n_rows) {
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = from,
                                .srcPitch = stride,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = to,
                                .dstPitch = row_bytes,
                                .WidthInBytes = row_bytes,
                                .Height = n_rows};
    if (stride == row_bytes || n_rows == 1)
        return device->api->cuMemcpyHtoDAsync(to, from, row_bytes * n_rows, device->stream);
    return device->api->cuMemcpy2DAsync(&copy, device->stream);
}

static enum status cuda_write_rows(struct device *opened, struct device_buffer *buffer,
                                   const void *from, size_t row_bytes, size_t stride, size_t n_rows,
                                   struct error *error) {
    struct cuda_device *device = (struct cuda_device *)opened;
    CUresult code = begin(device);
    if (!code)
        code = copy_rows(device, ((struct cuda_buffer *)buffer)->address, from, row_bytes, stride,
                         n_rows);
    enum status status = end(device, code, DEVICE_COPYING, "copying to the device", error);
    return status ? status : cuda_finish(opened, error);
}

static enum status cuda_read(struct device *opened, const struct device_buffer *buffer, void *to,
                             size_t bytes, struct error *error) {
    struct cuda_device *device = (struct cuda_device *)opened;
    CUresult code = begin(device);
    if (!code)
        code = device->api->cuMemcpyDtoHAsync(to, ((const struct cuda_buffer *)buffer)->address,
                                              bytes, device->stream);
    enum status status = end(device, code, DEVICE_COPYING, "copying from the device", error);
    return status ? status : cuda_finish(opened, error);
}

static enum status cuda_clear(struct device *opened, struct device_buffer *buffer, size_t bytes,
                              struct error *error) {
    struct cuda_device *device = (struct cuda_device *)opened;
    CUresult code = begin(device);
    if (!code)
        code = device->api->cuMemsetD8Async(((struct cuda_buffer *)buffer)->address, 0, bytes,
                                            device->stream);
    return end(device, code, DEVICE_COPYING, "clearing device memory", error);
}

/* --- buffers ---------------------------------------------------------------------------------- */

static enum status cuda_buffer_create(struct device *opened, size_t bytes,
                                      struct device_buffer **buffer, struct error *error) {
    struct cuda_device *device = (struct cuda_device *)opened;
    struct cuda_buffer *made = malloc(sizeof *made);
    if (!made)
        return error_memory(error, "a buffer");
    made->buffer.device = opened;
    CUresult code = device->api->cuCtxSetCurrent(device->context);
    if (!code)
        code = device->api->cuMemAlloc(&made->address, bytes);
    if (code) {
        free(made);
        return check(device, code, "a buffer", error);
    }
    *buffer = &made->buffer;
    return STATUS_OK;
}

static void cuda_buffer_free(struct device_buffer *buffer) {
    struct cuda_device *device = (struct cuda_device *)buffer->device;
    if (!device->api->cuCtxSetCurrent(device->context))
        device->api->cuMemFree(((struct cuda_buffer *)buffer)->address);
    free(buffer);
}

/* --- programs --------------------------------------------------------------------------------- */

static void cuda_program_free(struct device_program *freed) {
    struct cuda_program *program = (struct cuda_program *)freed;
    struct cuda_device *device = (struct cuda_device *)freed->device;
    while (program->kernels) {
        struct cuda_kernel *kernel = program->kernels;
        program->kernels = kernel->next;
        free(kernel);
    }
    if (program->handle && !device->api->cuCtxSetCurrent(device->context))
        device->api->cuModuleUnload(program->handle);
    free(program);
}

static enum status cuda_program_build(struct device *opened, const struct device_source *source,
                                      struct device_program **program, struct error *error) {
    struct cuda_device *device = (struct cuda_device *)opened;
    struct cuda_program *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error, source->name);
    made->program.device = opened;
    CUresult code = device->api->cuCtxSetCurrent(device->context);
    if (!code)
        code = device->api->cuModuleLoadData(&made->handle, source->binary);
    if (code) {
        free(made);
        return check(device, code, source->name, error);
    }
    *program = &made->program;
    return STATUS_OK;
}

/* Kernels may use all shared memory that a block can have, which is more than without asking. */
static CUresult set_limits(const struct cuda_device *device, struct cuda_kernel *kernel) {
    int threads = 0;
    CUresult code = device->api->cuFuncGetAttribute(
        &threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel->handle);
    kernel->kernel.threads = (unsigned)threads;
    if (code)
        return code;
    return device->api->cuFuncSetAttribute(kernel->handle,
                                           CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                           (int)device->device.facts.shared_per_block);
}

static enum status cuda_kernel_find(struct device_program *within, const char *name,
                                    const struct device_kernel **kernel, struct error *error) {
    struct cuda_program *program = (struct cuda_program *)within;
    const struct cuda_device *device = (const struct cuda_device *)within->device;
    struct cuda_kernel *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error, name);
    CUresult code = device->api->cuCtxSetCurrent(device->context);
    if (!code)
        code = device->api->cuModuleGetFunction(&made->handle, program->handle, name);
    if (!code)
        code = set_limits(device, made);
    if (code) {
        free(made);
        return check(device, code, name, error);
    }
    made->next = program->kernels;
    program->kernels = made;
    *kernel = &made->kernel;
    return STATUS_OK;
}

static enum status cuda_launch(struct device *opened, const struct device_launch *launch,
                               struct error *error) {
    struct cuda_device *device = (struct cuda_device *)opened;
    CUdeviceptr addresses[DEVICE_MAX_ARGUMENTS];
    uint32_t values[DEVICE_MAX_ARGUMENTS];
    void *arguments[DEVICE_MAX_ARGUMENTS];
    for (size_t i = 0; i < launch->n_arguments; i++) {
        const struct device_argument *argument = &launch->arguments[i];
        values[i] = argument->value;
        if (argument->buffer)
            addresses[i] = ((const struct cuda_buffer *)argument->buffer)->address;
        arguments[i] = argument->buffer ? (void *)&addresses[i] : (void *)&values[i];
    }
    CUresult code = begin(device);
    if (!code)
        code = device->api->cuLaunchKernel(((const struct cuda_kernel *)launch->kernel)->handle,
                                           launch->blocks[0], launch->blocks[1], 1, launch->threads,
                                           1, 1, (unsigned)launch->shared, device->stream,
                                           arguments, NULL);
    return end(device, code, launch->stage, "starting a kernel", error);
}

const struct device_backend device_backend_cuda = {.name = "cuda",
                                                   .open = cuda_open,
                                                   .close = cuda_close,
                                                   .program_build = cuda_program_build,
                                                   .program_free = cuda_program_free,
                                                   .kernel_find = cuda_kernel_find,
                                                   .buffer_create = cuda_buffer_create,
                                                   .buffer_free = cuda_buffer_free,
                                                   .write_rows = cuda_write_rows,
                                                   .read = cuda_read,
                                                   .clear = cuda_clear,
                                                   .launch = cuda_launch,
                                                   .finish = cuda_finish};

#else

static enum status no_cuda(int number, struct device **opened, struct error *error) {
    (void)number;
    (void)opened;
    return error_set(error, STATUS_MACHINE,
                     "cuda: this treebench was built without CUDA. Build it with `make CUDA=1`");
}

const struct device_backend device_backend_cuda = {.name = "cuda", .open = no_cuda};

#endif
