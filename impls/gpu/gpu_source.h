/* The kernels' programs, which are part of the executable. */
#ifndef IMPLS_GPU_GPU_SOURCE_H
#define IMPLS_GPU_GPU_SOURCE_H

#include "devices/device.h"

/* Makes the program `name`, such as "qs": its source together with dialect.cl and documents.cl, and
 * its binary for CUDA if there is one. The caller frees `text`, which is NULL after a failure. */
enum status gpu_source_make(const char *name, struct device_source *source, char **text,
                            struct error *error);

#endif
