/* What a back end implements. Functions have the contracts of device.h, where device_open has
 * already split the name. */
#ifndef DEVICES_BACKEND_H
#define DEVICES_BACKEND_H

#include "devices/device.h"

/* Facts of lettich2018's GTX 1080 (Table 6), for what a driver does not report. */
enum { TABLE6_THREADS_PER_UNIT = 2048, TABLE6_SHARED_PER_UNIT = 96 << 10, TABLE6_L2 = 2 << 20 };

/* The first member of the back end's own device. */
struct device {
    const struct device_backend *backend;
    struct device_facts facts;
    double ns[DEVICE_STAGES];
    struct device_buffer *buffers; /* all that were not freed */
};

/* The first members of the back end's own program and buffer, so that they can be freed. device.c
 * keeps the list of a device's buffers. A kernel begins with the most threads per block that it can
 * have. */
struct device_program {
    struct device *device;
};
struct device_buffer {
    struct device *device;
    struct device_buffer *next, **link; /* link: what points to this buffer */
};
struct device_kernel {
    unsigned threads;
};

struct device_backend {
    const char *name;
    /* `number` is negative if the user gave none */
    enum status (*open)(int number, struct device **device, struct error *error);
    void (*close)(struct device *device);
    enum status (*program_build)(struct device *device, const struct device_source *source,
                                 struct device_program **program, struct error *error);
    void (*program_free)(struct device_program *program);
    enum status (*kernel_find)(struct device_program *program, const char *name,
                               const struct device_kernel **kernel, struct error *error);
    enum status (*buffer_create)(struct device *device, size_t bytes, struct device_buffer **buffer,
                                 struct error *error);
    void (*buffer_free)(struct device_buffer *buffer);
    enum status (*write_rows)(struct device *device, struct device_buffer *buffer, const void *from,
                              size_t row_bytes, size_t stride, size_t n_rows, struct error *error);
    enum status (*read)(struct device *device, const struct device_buffer *buffer, void *to,
                        size_t bytes, struct error *error);
    enum status (*clear)(struct device *device, struct device_buffer *buffer, size_t bytes,
                         struct error *error);
    enum status (*launch)(struct device *device, const struct device_launch *launch,
                          struct error *error);
    enum status (*finish)(struct device *device, struct error *error);
};

extern const struct device_backend device_backend_opencl;
extern const struct device_backend device_backend_cuda;

#endif
