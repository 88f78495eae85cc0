#include "devices/device.h"

#include "devices/backend.h"

#include <stdlib.h>
#include <string.h>

static const struct device_backend *const backends[] = {&device_backend_cuda,
                                                        &device_backend_opencl};

/* --- devices ---------------------------------------------------------------------------------- */

enum { MOST_NUMBER = 9999 };

/* Reads the part of a name after "cuda" or "opencl": "" or ":N". */
static bool read_number(const char *text, int *number) {
    *number = -1;
    if (*text == '\0')
        return true;
    char *end;
    if (text[0] != ':' || text[1] < '0' || text[1] > '9')
        return false;
    long value = strtol(text + 1, &end, 10);
    if (*end != '\0' || value > MOST_NUMBER)
        return false;
    *number = (int)value;
    return true;
}

static enum status find_backend(const char *name, const struct device_backend **backend,
                                int *number, struct error *error) {
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        size_t length = strlen(backends[i]->name);
        *backend = backends[i];
        if (strncmp(name, backends[i]->name, length) == 0 && read_number(name + length, number))
            return STATUS_OK;
    }
    return error_set(error, STATUS_INPUT,
                     "no device '%s': name cuda or opencl, or one with a number, such as opencl:1",
                     name);
}

enum status device_check_name(const char *name, struct error *error) {
    const struct device_backend *backend;
    int number;
    return find_backend(name, &backend, &number, error);
}

enum status device_open(const char *name, struct device **device, struct error *error) {
    const struct device_backend *backend;
    int number;
    enum status status = find_backend(name, &backend, &number, error);
    return status ? status : backend->open(number, device, error);
}

void device_close(struct device *device) {
    if (!device)
        return;
    while (device->buffers)
        device_buffer_free(device->buffers);
    device->backend->close(device);
}

const struct device_facts *device_facts(const struct device *device) {
    return &device->facts;
}

/* --- the rest is the back end's --------------------------------------------------------------- */

enum status device_program_build(struct device *device, const struct device_source *source,
                                 struct device_program **program, struct error *error) {
    return device->backend->program_build(device, source, program, error);
}

void device_program_free(struct device_program *program) {
    if (program)
        program->device->backend->program_free(program);
}

enum status device_kernel_find(struct device_program *program, const char *name,
                               const struct device_kernel **kernel, struct error *error) {
    return program->device->backend->kernel_find(program, name, kernel, error);
}

unsigned device_kernel_threads(const struct device_kernel *kernel) {
    return kernel->threads;
}

enum status device_buffer_create(struct device *device, size_t bytes, struct device_buffer **buffer,
                                 struct error *error) {
    enum status status = device->backend->buffer_create(device, bytes ? bytes : 1, buffer, error);
    if (status)
        return status;
    (*buffer)->link = &device->buffers;
    (*buffer)->next = device->buffers;
    if (device->buffers)
        device->buffers->link = &(*buffer)->next;
    device->buffers = *buffer;
    return STATUS_OK;
}

void device_buffer_free(struct device_buffer *buffer) {
    if (!buffer)
        return;
    *buffer->link = buffer->next;
    if (buffer->next)
        buffer->next->link = buffer->link;
    buffer->device->backend->buffer_free(buffer);
}

enum status device_write(struct device *device, struct device_buffer *buffer, const void *from,
                         size_t bytes, struct error *error) {
    return device_write_rows(device, buffer, from, bytes, bytes, 1, error);
}

enum status device_write_rows(struct device *device, struct device_buffer *buffer, const void *from,
                              size_t row_bytes, size_t stride, size_t n_rows, struct error *error) {
    if (row_bytes == 0 || n_rows == 0)
        return STATUS_OK;
    return device->backend->write_rows(device, buffer, from, row_bytes, stride, n_rows, error);
}

enum status device_read(struct device *device, const struct device_buffer *buffer, void *to,
                        size_t bytes, struct error *error) {
    return bytes ? device->backend->read(device, buffer, to, bytes, error) : STATUS_OK;
}

enum status device_clear(struct device *device, struct device_buffer *buffer, size_t bytes,
                         struct error *error) {
    return bytes ? device->backend->clear(device, buffer, bytes, error) : STATUS_OK;
}

enum status device_launch(struct device *device, const struct device_launch *launch,
                          struct error *error) {
    return device->backend->launch(device, launch, error);
}

enum status device_finish(struct device *device, struct error *error) {
    return device->backend->finish(device, error);
}

void device_times(const struct device *device, double ns[DEVICE_STAGES]) {
    memcpy(ns, device->ns, sizeof device->ns);
}
