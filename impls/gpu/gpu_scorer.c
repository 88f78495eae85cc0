#include "impls/gpu/gpu_scorer.h"

#include "base/memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STRIDE_MULTIPLE = 1024,
    MOST_BATCH_OF_CPU = 1 << 14, /* a CPU prefers batches that stay in its caches */
    LEAST_BATCH = 32,            /* do not halve further */
    MEMORY_SHARE = 4,            /* a batch takes at most this part of the device's memory */
    LARGEST_BATCH = 1 << 24,     /* of the option */
    TILE_THREADS = 256,
    MOST_FEATURES = 65535 * GPU_TILE, /* of a launch */
    PATH_SIZE = 64
};

/* --- the kernels' programs, which are part of the executable ---------------------------------- */

struct text {
    const char *path;
    const char *const *lines; /* ended by NULL */
};

#include "gpu_texts.h" /* made by scripts/embed.sh: static const struct text texts[] */

#ifdef WITH_CUDA
#include "gpu_binaries.h" /* made by scripts/cuda.sh: static const struct binary binaries[] */
#endif

static void write_text(FILE *stream, const char *name) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "impls/gpu/%s.cl", name);
    const struct text *text = texts;
    while (text->path && strcmp(text->path, path) != 0)
        text++;
    for (const char *const *line = text->path ? text->lines : NULL; line && *line; line++)
        fprintf(stream, "%s\n", *line);
}

static const unsigned char *find_binary(const char *name) {
#ifdef WITH_CUDA
    for (const struct binary *binary = binaries; binary->name; binary++)
        if (strcmp(binary->name, name) == 0)
            return binary->bytes;
#endif
    (void)name;
    return NULL;
}

/* Makes a program: its source together with dialect.cl and documents.cl, and its binary for CUDA if
 * there is one. The caller frees `text`, which is NULL after a failure. */
static enum status make_source(const char *name, struct device_source *source, char **text,
                               struct error *error) {
    size_t size;
    *text = NULL;
    FILE *stream = memory_open_stream(text, &size);
    if (stream) {
        write_text(stream, "dialect");
        write_text(stream, "documents");
        write_text(stream, name);
    }
    if (!stream || !memory_close_stream(stream)) {
        free(*text);
        *text = NULL;
        return error_memory(error, "the text of a kernel");
    }
    *source = (struct device_source){.name = name, .text = *text, .binary = find_binary(name)};
    return STATUS_OK;
}

static const struct gpu_kernel make_columns = {
    "make_columns",
    DEVICE_PREPARING,
    {GPU_ROWS, GPU_COLUMNS, GPU_DOCUMENTS, GPU_FEATURES, GPU_STRIDE}};

/* --- opening ---------------------------------------------------------------------------------- */

static enum status open_named(const char *impl, struct device **device, struct error *error) {
    const char *name = getenv(GPU_DEVICE_VARIABLE);
    struct error reason;
    if (!name || !*name)
        return error_set(error, STATUS_MACHINE,
                         "%sno device is named. Name one with --device cuda or --device opencl",
                         impl);
    enum status status = device_open(name, device, &reason);
    return status ? error_set(error, status, "%s%s", impl, reason.text) : STATUS_OK;
}

enum status gpu_scorer_find(char *text, size_t size) {
    struct device *device;
    struct error error;
    enum status status = open_named("", &device, &error);
    if (status) {
        snprintf(text, size, "%s", error.text);
        return status == STATUS_MEMORY ? status : STATUS_MACHINE;
    }
    const struct device_facts *facts = device_facts(device);
    snprintf(text, size, "%s, %s, %s", facts->spec, facts->name, facts->driver);
    device_close(device);
    return STATUS_OK;
}

static enum status build_program(struct gpu_scorer *gpu, struct error *error) {
    const struct gpu_kernel *kernels = gpu->kind->kernels;
    struct device_source source;
    char *text;
    enum status status = make_source(gpu->kind->program, &source, &text, error);
    if (!status)
        status = device_program_build(gpu->device, &source, &gpu->program, error);
    free(text);
    if (!status)
        status = device_kernel_find(gpu->program, make_columns.name, &gpu->make_columns, error);
    for (size_t i = 0; !status && i < GPU_KERNELS && kernels[i].name; i++)
        status = device_kernel_find(gpu->program, kernels[i].name, &gpu->kernels[i], error);
    return status;
}

static enum status open_device(struct gpu_scorer *gpu, const struct ensemble *ensemble,
                               struct error *error) {
    const char *name = gpu->scorer.impl->name;
    char prefix[DEVICE_SPEC_SIZE];
    snprintf(prefix, sizeof prefix, "%s: ", name);
    if (ensemble->n_features > MOST_FEATURES)
        return error_set(error, STATUS_UNSUPPORTED, "%s: %u features; the limit is %d", name,
                         ensemble->n_features, (int)MOST_FEATURES);
    enum status status = open_named(prefix, &gpu->device, error);
    return status ? status : build_program(gpu, error);
}

enum status gpu_scorer_build(const struct impl *impl, const struct gpu_kind *kind,
                             const struct ensemble *ensemble, const struct options *options,
                             struct scorer **scorer, struct error *error) {
    struct gpu_scorer *gpu = scorer_create(kind->bytes, impl, ensemble, 1, 0, error);
    if (!gpu)
        return STATUS_MEMORY;
    pthread_mutex_init(&gpu->lock, NULL);
    gpu->kind = kind;
    gpu->arguments[GPU_FEATURES].value = ensemble->n_features;
    gpu->arguments[GPU_OUTPUTS].value = ensemble->n_outputs;
    enum status status = open_device(gpu, ensemble, error);
    if (!status)
        status = kind->make(gpu, ensemble, options, error);
    return scorer_finish(&gpu->scorer, status, scorer, error);
}

void gpu_scorer_destroy(struct scorer *scorer) {
    struct gpu_scorer *gpu = (struct gpu_scorer *)scorer;
    if (gpu->kind->release)
        gpu->kind->release(gpu);
    device_program_free(gpu->program);
    device_close(gpu->device);
    pthread_mutex_destroy(&gpu->lock);
}

enum status gpu_scorer_upload(struct gpu_scorer *gpu, const struct gpu_array *arrays, size_t n,
                              struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; !status && i < n; i++) {
        struct device_buffer **to = &gpu->arguments[arrays[i].to].buffer;
        status = device_buffer_create(gpu->device, arrays[i].bytes, to, error);
        if (!status)
            status = device_write(gpu->device, *to, arrays[i].from, arrays[i].bytes, error);
        gpu->scorer.bytes += arrays[i].bytes;
    }
    return status;
}

/* --- batches ---------------------------------------------------------------------------------- */

static size_t round_up(size_t n, size_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

/* Allocates a buffer for all documents of a batch. Clearing it makes drivers that allocate late
 * report now that there is too little memory. */
static enum status reserve_buffer(struct gpu_scorer *gpu, const struct gpu_buffer *wanted,
                                  struct error *error) {
    struct device_buffer **to = &gpu->arguments[wanted->to].buffer;
    size_t bytes;
    if (!memory_multiply(wanted->bytes, gpu->stride, &bytes))
        return error_memory(error, "a batch of documents");
    enum status status = device_buffer_create(gpu->device, bytes, to, error);
    if (!status)
        status = device_clear(gpu->device, *to, bytes, error);
    return status ? status : device_finish(gpu->device, error);
}

static enum status reserve_batch(struct gpu_scorer *gpu, const struct gpu_buffer *buffers, size_t n,
                                 struct error *error) {
    enum status status = STATUS_OK;
    gpu->stride = round_up(gpu->batch, STRIDE_MULTIPLE);
    gpu->arguments[GPU_STRIDE].value = (uint32_t)gpu->stride;
    for (size_t i = 0; !status && i < n; i++)
        status = reserve_buffer(gpu, &buffers[i], error);
    for (size_t i = 0; status && i < n; i++) {
        device_buffer_free(gpu->arguments[buffers[i].to].buffer);
        gpu->arguments[buffers[i].to].buffer = NULL;
    }
    return status;
}

/* The largest batch of which no buffer, nor all buffers together, are too large. */
static size_t suitable_batch(const struct device_facts *facts, const struct gpu_buffer *buffers,
                             size_t n) {
    size_t all = 1, largest = 1, batch = facts->is_gpu ? GPU_MOST_BATCH : MOST_BATCH_OF_CPU;
    for (size_t i = 0; i < n; i++) {
        all += buffers[i].bytes;
        largest = buffers[i].bytes > largest ? buffers[i].bytes : largest;
    }
    size_t in_memory = facts->memory_bytes / MEMORY_SHARE / all;
    size_t in_buffer = facts->largest_buffer / largest;
    batch = in_memory < batch ? in_memory : batch;
    batch = in_buffer < batch ? in_buffer : batch;
    return batch > LEAST_BATCH ? batch : LEAST_BATCH;
}

enum status gpu_scorer_reserve(struct gpu_scorer *gpu, const struct options *options,
                               const struct gpu_buffer *buffers, size_t n_buffers,
                               struct error *error) {
    enum { COMMON = 3 };
    struct gpu_buffer all[GPU_ARGUMENTS] = {
        {GPU_ROWS, gpu->load ? 0 : gpu->scorer.n_features * sizeof(float)},
        {GPU_COLUMNS, gpu->load ? 0 : gpu->scorer.n_features * sizeof(int32_t)},
        {GPU_SCORES, gpu->scorer.n_outputs * sizeof(double)},
    };
    for (size_t i = 0; i < n_buffers; i++)
        all[COMMON + i] = buffers[i];
    size_t n = COMMON + n_buffers;
    long asked;
    enum status status = options_integer(options, "batch", 0, LARGEST_BATCH, 0, &asked, error);
    if (status)
        return status;
    gpu->batch = asked ? (size_t)asked : suitable_batch(device_facts(gpu->device), all, n);
    status = reserve_batch(gpu, all, n, error);
    while (status == STATUS_MEMORY && gpu->batch > LEAST_BATCH) {
        gpu->batch /= 2;
        status = reserve_batch(gpu, all, n, error);
    }
    if (status)
        return status;
    device_times(gpu->device, gpu->built_ns);
    gpu->results = memory_pool_array(&gpu->scorer.pool, gpu->batch * gpu->scorer.n_outputs,
                                     sizeof *gpu->results);
    return gpu->results ? STATUS_OK : error_memory(error, "scores");
}

/* --- scoring ---------------------------------------------------------------------------------- */

static enum status launch(struct gpu_scorer *gpu, const struct gpu_kernel *kernel,
                          const struct device_kernel *on_device, struct gpu_grid grid,
                          struct error *error) {
    struct device_argument arguments[DEVICE_MAX_ARGUMENTS];
    size_t n = 0;
    for (; kernel->arguments[n] != GPU_END; n++)
        arguments[n] = gpu->arguments[kernel->arguments[n]];
    const struct device_launch command = {.kernel = on_device,
                                          .blocks = {grid.blocks[0], grid.blocks[1]},
                                          .threads = grid.threads,
                                          .shared = grid.shared,
                                          .arguments = arguments,
                                          .n_arguments = n,
                                          .stage = kernel->stage};
    bool is_empty = grid.blocks[0] == 0 || grid.blocks[1] == 0;
    return is_empty ? STATUS_OK : device_launch(gpu->device, &command, error);
}

enum status gpu_scorer_launch(struct gpu_scorer *gpu, unsigned kernel, struct gpu_grid grid,
                              struct error *error) {
    return launch(gpu, &gpu->kind->kernels[kernel], gpu->kernels[kernel], grid, error);
}

struct gpu_grid gpu_tiles(uint32_t n_docs, uint32_t n_features) {
    return (struct gpu_grid){
        .blocks = {(n_docs + GPU_TILE - 1) / GPU_TILE, (n_features + GPU_TILE - 1) / GPU_TILE},
        .threads = TILE_THREADS,
        .shared = GPU_TILE * (GPU_TILE + 1) * sizeof(uint32_t)};
}

/* Copies rows to the device and makes columns of them. */
static enum status load_rows(struct gpu_scorer *gpu, const float *x, size_t stride, uint32_t n_docs,
                             struct error *error) {
    size_t row = gpu->scorer.n_features * sizeof *x;
    struct device_buffer *rows = gpu->arguments[GPU_ROWS].buffer;
    enum status status =
        device_write_rows(gpu->device, rows, x, row, stride * sizeof *x, n_docs, error);
    return status ? status
                  : launch(gpu, &make_columns, gpu->make_columns,
                           gpu_tiles(n_docs, gpu->scorer.n_features), error);
}

static enum status score_batch(struct gpu_scorer *gpu, const float *x, size_t stride,
                               uint32_t n_docs, struct error *error) {
    size_t bytes = (size_t)n_docs * gpu->scorer.n_outputs * sizeof *gpu->results;
    struct device_buffer *scores = gpu->arguments[GPU_SCORES].buffer;
    gpu->arguments[GPU_DOCUMENTS].value = n_docs;
    enum status status = gpu->load ? gpu->load(gpu, x, stride, n_docs, error)
                                   : load_rows(gpu, x, stride, n_docs, error);
    if (!status)
        status = device_clear(gpu->device, scores, bytes, error);
    if (!status)
        status = gpu->kind->run(gpu, n_docs, error);
    if (!status)
        status = device_read(gpu->device, scores, gpu->results, bytes, error);
    return status ? status : device_finish(gpu->device, error);
}

/* `score` cannot return an error. It keeps the first one for `failure`, and makes scores NaN. */
static void add_batch(struct gpu_scorer *gpu, const float *x, size_t stride, uint32_t n_docs,
                      double *scores) {
    struct error error;
    bool failed = score_batch(gpu, x, stride, n_docs, &error) != STATUS_OK;
    if (failed && !*gpu->failure.text)
        error_set(&gpu->failure, STATUS_MACHINE, "%s: %s", gpu->scorer.impl->name, error.text);
    for (size_t i = 0; i < (size_t)n_docs * gpu->scorer.n_outputs; i++)
        scores[i] += failed ? (double)NAN : gpu->results[i];
}

void gpu_scorer_score(const struct scorer *scorer, struct span units, struct span docs,
                      const struct batch *batch) {
    /* The scorer is read-only for its callers, but a device has state, which the lock protects. */
    struct gpu_scorer *gpu = (struct gpu_scorer *)(uintptr_t)scorer;
    if (units.begin == units.end)
        return;
    pthread_mutex_lock(&gpu->lock);
    for (size_t doc = docs.begin; doc < docs.end; doc += gpu->batch) {
        size_t n = docs.end - doc < gpu->batch ? docs.end - doc : gpu->batch;
        add_batch(gpu, batch->x + doc * batch->stride, batch->stride, (uint32_t)n,
                  batch->scores + doc * scorer->n_outputs);
    }
    gpu->documents += docs.end - docs.begin;
    pthread_mutex_unlock(&gpu->lock);
}

const char *gpu_scorer_failure(const struct scorer *scorer) {
    const struct gpu_scorer *gpu = (const struct gpu_scorer *)scorer;
    return *gpu->failure.text ? gpu->failure.text : NULL;
}

void gpu_scorer_device(const struct scorer *scorer, struct impl_device *device) {
    struct gpu_scorer *gpu = (struct gpu_scorer *)(uintptr_t)scorer;
    const struct device_facts *facts = device_facts(gpu->device);
    double ns[DEVICE_STAGES], before[DEVICE_STAGES];
    pthread_mutex_lock(&gpu->lock);
    device_times(gpu->device, ns);
    memcpy(before, gpu->built_ns, sizeof before);
    *device = (struct impl_device){.units = facts->units,
                                   .l2_bytes = facts->l2_bytes,
                                   .documents = gpu->documents,
                                   .scoring_ns = ns[DEVICE_SCORING] - before[DEVICE_SCORING],
                                   .preparing_ns = ns[DEVICE_PREPARING] - before[DEVICE_PREPARING],
                                   .copying_ns = ns[DEVICE_COPYING] - before[DEVICE_COPYING]};
    pthread_mutex_unlock(&gpu->lock);
    snprintf(device->name, sizeof device->name, "%s", facts->name);
    snprintf(device->driver, sizeof device->driver, "%s", facts->driver);
}
