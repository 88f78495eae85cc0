/* A device that runs kernels: a GPU behind CUDA or OpenCL, or a CPU behind OpenCL (PoCL).
 *
 * The drivers' libraries are loaded when a device is opened, so programs work without them. For
 * example, with a kernel `void twice(GLOBAL uint *x, uint n)`:
 *
 *     struct device *device;
 *     struct device_program *program;
 *     const struct device_kernel *kernel;
 *     struct device_buffer *x;
 *     device_open("opencl", &device, error);
 *     device_program_build(device, &source, &program, error);
 *     device_kernel_find(program, "twice", &kernel, error);
 *     device_buffer_create(device, bytes, &x, error);
 *     device_write(device, x, values, bytes, error);
 *     const struct device_argument arguments[] = {{.buffer = x}, {.value = n}};
 *     const struct device_launch launch = {.kernel = kernel, .blocks = {n / 64, 1}, .threads = 64,
 *                                          .arguments = arguments, .n_arguments = 2};
 *     device_launch(device, &launch, error);
 *     device_read(device, x, values, bytes, error);
 *     ...
 *     device_close(device);
 *
 * Commands run in the order in which they were given. A device serves one thread at a time. Words
 * are CUDA's: a block is a work-group, a thread is a work-item, shared memory is local memory, and
 * a unit is a streaming multiprocessor. */
#ifndef DEVICES_DEVICE_H
#define DEVICES_DEVICE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVICE_NAME_SIZE = 128, DEVICE_SPEC_SIZE = 32, DEVICE_MAX_ARGUMENTS = 16 };

struct device;
struct device_program;
struct device_kernel;
struct device_buffer;

/* --- devices ---------------------------------------------------------------------------------- */

struct device_facts {
    char spec[DEVICE_SPEC_SIZE];   /* the name for device_open: "cuda:0" */
    char name[DEVICE_NAME_SIZE];   /* "NVIDIA H100 80GB HBM3" */
    char driver[DEVICE_NAME_SIZE]; /* "CUDA 13.0" or "OpenCL 3.0 PoCL, 3.1" */
    bool is_gpu;
    unsigned units;
    unsigned threads_per_unit, threads_per_block; /* most that run at once, most of a launch */
    size_t shared_per_unit, shared_per_block;     /* bytes */
    size_t l2_bytes;                              /* the cache that all units share */
    size_t memory_bytes, largest_buffer;          /* bytes of device memory */
    /* What the driver does not report. These facts are then those of lettich2018's GPU (Table 6).
     * "" if everything is reported. */
    char assumed[DEVICE_NAME_SIZE];
};

/* Checks a name: "cuda", "opencl", or one of these with the number of a device, such as "opencl:1".
 * STATUS_INPUT for other names. */
enum status device_check_name(const char *name, struct error *error);

/* Opens a device. "opencl" is the first GPU of any OpenCL platform, or the first device if there is
 * no GPU. STATUS_MACHINE if the driver's library or the device is missing. */
enum status device_open(const char *name, struct device **device, struct error *error);
/* Frees the device and its buffers. NULL is fine. Free programs first. */
void device_close(struct device *device);

const struct device_facts *device_facts(const struct device *device);

/* --- kernels ---------------------------------------------------------------------------------- */

/* A program in the forms that the back ends need. The caller keeps them. */
struct device_source {
    const char *name;            /* for errors: "qs.cl" */
    const char *text;            /* OpenCL C */
    const unsigned char *binary; /* what nvcc made; NULL if treebench was built without CUDA */
};

/* Compiles a program. STATUS_MACHINE, with the first line of the compiler's log, if that fails. */
enum status device_program_build(struct device *device, const struct device_source *source,
                                 struct device_program **program, struct error *error);
void device_program_free(struct device_program *program); /* NULL is fine; frees its kernels too */

/* Finds a kernel of a program. */
enum status device_kernel_find(struct device_program *program, const char *name,
                               const struct device_kernel **kernel, struct error *error);

/* The most threads per block that a kernel can have. Its registers may allow fewer than the device
 * does. */
unsigned device_kernel_threads(const struct device_kernel *kernel);

/* --- buffers ---------------------------------------------------------------------------------- */

/* Allocates device memory, which is not initialised; `bytes` may be 0. STATUS_MEMORY if the device
 * has too little. */
enum status device_buffer_create(struct device *device, size_t bytes, struct device_buffer **buffer,
                                 struct error *error);
void device_buffer_free(struct device_buffer *buffer); /* NULL is fine */

/* Copies to and from the start of a buffer. The host's memory may change as soon as they return. */
enum status device_write(struct device *device, struct device_buffer *buffer, const void *from,
                         size_t bytes, struct error *error);
enum status device_read(struct device *device, const struct device_buffer *buffer, void *to,
                        size_t bytes, struct error *error);

/* Copies rows that are `stride` bytes apart in the host's memory. They are contiguous in the
 * buffer. */
enum status device_write_rows(struct device *device, struct device_buffer *buffer, const void *from,
                              size_t row_bytes, size_t stride, size_t n_rows, struct error *error);

/* Sets the first bytes of a buffer to zero. */
enum status device_clear(struct device *device, struct device_buffer *buffer, size_t bytes,
                         struct error *error);

/* --- launches --------------------------------------------------------------------------------- */

/* What a command is for. The time of each stage is added up. */
enum device_stage {
    DEVICE_SCORING,   /* kernels that score */
    DEVICE_PREPARING, /* kernels that transpose or rank documents */
    DEVICE_COPYING,   /* copies between the host and the device, and clearing */
    DEVICE_STAGES
};

/* An argument of a kernel: a buffer, or an unsigned number of 32 bits if `buffer` is NULL. */
struct device_argument {
    struct device_buffer *buffer;
    uint32_t value;
};

struct device_launch {
    const struct device_kernel *kernel;
    unsigned blocks[2]; /* at least 1 each; at most 65,535 in the second dimension */
    unsigned threads;   /* per block */
    size_t shared;      /* bytes of shared memory per block: the kernel's last argument if not 0 */
    const struct device_argument *arguments;
    size_t n_arguments; /* at most DEVICE_MAX_ARGUMENTS */
    enum device_stage stage;
};

/* Starts a kernel. Does not wait for it. */
enum status device_launch(struct device *device, const struct device_launch *launch,
                          struct error *error);

/* Waits until all commands are done. Failures of kernels may be reported only here or by
 * device_read. */
enum status device_finish(struct device *device, struct error *error);

/* Nanoseconds that the commands of each stage took on the device since the device was opened, by
 * the driver's events. Complete after device_finish. */
void device_times(const struct device *device, double ns[DEVICE_STAGES]);

#endif
