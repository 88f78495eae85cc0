/* What the implementations for GPUs have in common: the device that the user named, the documents'
 * way there and the scores' way back, and batches that fit into the device's memory. */
#ifndef IMPLS_GPU_GPU_SCORER_H
#define IMPLS_GPU_GPU_SCORER_H

#include "devices/device.h"
#include "impls/impl.h"

#include <pthread.h>

/* The environment variable that names the device; the option --device of commands sets it. */
#define GPU_DEVICE_VARIABLE "TREEBENCH_DEVICE"

enum {
    GPU_TILE = 32,            /* documents and features of a tile of make_columns */
    GPU_MOST_BATCH = 1 << 17, /* more documents do not occupy a GPU better */
    GPU_KERNELS = 5           /* most kernels of an implementation */
};

/* The arguments of all kernels of an implementation; its own begin with GPU_OWN. */
enum gpu_argument {
    GPU_END,       /* not an argument: ends lists of arguments */
    GPU_ROWS,      /* [batch][n_features] floats as the host has them */
    GPU_COLUMNS,   /* [n_features][stride] keys (float_key.h) */
    GPU_SCORES,    /* [batch][n_outputs] doubles, which start at 0 */
    GPU_STRIDE,    /* as in struct gpu_scorer */
    GPU_DOCUMENTS, /* of this launch: at most `batch` */
    GPU_FEATURES,
    GPU_OUTPUTS,
    GPU_OWN,
    GPU_ARGUMENTS = GPU_OWN + 24 /* the most */
};

struct gpu_kernel {
    const char *name; /* in the program */
    enum device_stage stage;
    unsigned char arguments[DEVICE_MAX_ARGUMENTS + 1]; /* in the kernel's order, then GPU_END */
};

/* A built model on a device: the first member of each implementation's own struct. */
struct gpu_scorer {
    struct scorer scorer;
    struct device *device;
    struct device_program *program;
    const struct device_kernel *make_columns, *kernels[GPU_KERNELS]; /* in the order of the kind */
    struct device_argument arguments[GPU_ARGUMENTS];

    size_t batch;    /* documents that are on the device at once */
    size_t stride;   /* documents per column: `batch`, rounded up to a multiple of 1,024 */
    double *results; /* [batch][n_outputs] in host memory */

    const struct gpu_kind *kind;

    uint64_t documents;             /* of all calls of `score` so far */
    double built_ns[DEVICE_STAGES]; /* what building took on the device */
    /* Brings `n_docs` documents to the device. NULL: GPU_ROWS and GPU_COLUMNS do. Otherwise these
     * two are empty. Set before gpu_scorer_reserve. */
    enum status (*load)(struct gpu_scorer *gpu, const float *x, size_t stride, uint32_t n_docs,
                        struct error *error);

    pthread_mutex_t lock; /* a device serves one thread at a time */
    struct error failure; /* of the first call that failed; "" if none did */
};

/* A buffer that an implementation needs for each batch. */
struct gpu_buffer {
    unsigned to;  /* the argument that is the buffer */
    size_t bytes; /* per document */
};

/* The option `batch`, for the array of an implementation's options. */
#define GPU_BATCH_PARAM                                                                            \
    { "batch", "documents on the device at once: a number, or 0 to choose", "0 33", "0" }

/* What an implementation adds. */
struct gpu_kind {
    size_t bytes;        /* of the implementation's own struct, which begins with a gpu_scorer */
    const char *program; /* the name of a .cl file */
    struct gpu_kernel kernels[GPU_KERNELS];
    /* Brings the model to the device, and ends with gpu_scorer_reserve. The struct is all zeros
     * after its gpu_scorer. */
    enum status (*make)(struct gpu_scorer *gpu, const struct ensemble *ensemble,
                        const struct options *options, struct error *error);
    /* Adds the leaf values of `n_docs` documents, at most `batch`, to GPU_SCORES. */
    enum status (*run)(struct gpu_scorer *gpu, uint32_t n_docs, struct error *error);
    /* Frees what `make` allocated outside of the scorer's pool; may be NULL. The device frees its
     * buffers. */
    void (*release)(struct gpu_scorer *gpu);
};

/* Opens the named device, builds the kind's program and finds its kernels, and makes the model.
 * STATUS_MACHINE if no device is named or the device is missing. */
enum status gpu_scorer_build(const struct impl *impl, const struct gpu_kind *kind,
                             const struct ensemble *ensemble, const struct options *options,
                             struct scorer **scorer, struct error *error);

/* Chooses the batch and allocates the memory for it, together with the implementation's own
 * `buffers`. The batch is halved until it fits. STATUS_MEMORY if not even a small batch fits. Call
 * it when the model is on the device. */
enum status gpu_scorer_reserve(struct gpu_scorer *gpu, const struct options *options,
                               const struct gpu_buffer *buffers, size_t n_buffers,
                               struct error *error);

/* An array in host memory, and the argument that is its copy. */
struct gpu_array {
    const void *from;
    size_t bytes;
    unsigned to;
};

/* Creates buffers with copies of arrays. They count as bytes of the scorer. */
enum status gpu_scorer_upload(struct gpu_scorer *gpu, const struct gpu_array *arrays, size_t n,
                              struct error *error);

/* Blocks of threads, and the bytes of shared memory of each block. */
struct gpu_grid {
    uint32_t blocks[2], threads;
    size_t shared;
};

/* The grid of a kernel whose blocks take tiles of GPU_TILE documents and as many features or lists,
 * through shared memory. */
struct gpu_grid gpu_tiles(uint32_t n_docs, uint32_t n_features);

/* Starts a kernel of the kind, given by its number. Does nothing if the grid has no blocks. */
enum status gpu_scorer_launch(struct gpu_scorer *gpu, unsigned kernel, struct gpu_grid grid,
                              struct error *error);

/* These do the work of the functions of struct impl with these names. */
void gpu_scorer_destroy(struct scorer *scorer);
void gpu_scorer_score(const struct scorer *scorer, struct span units, struct span docs,
                      const struct batch *batch);
enum status gpu_scorer_find(char *text, size_t size);
const char *gpu_scorer_failure(const struct scorer *scorer);
void gpu_scorer_device(const struct scorer *scorer, struct impl_device *device);

/* What the descriptors of all implementations have in common. */
#define GPU_FACTS                                                                                  \
    .kind = IMPL_DEVICE, .find = gpu_scorer_find, .failure = gpu_scorer_failure,                   \
    .device = gpu_scorer_device, .score = gpu_scorer_score, .destroy = gpu_scorer_destroy

#endif
