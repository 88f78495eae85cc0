/* Walks on a GPU: one thread per document, as libraries do. Nodes have 8 bytes and lie in shared
 * memory. Each step of a walk waits for a node and then for a value of the document. */
#include "impls/gpu/gpu_scorer.h"
#include "impls/gpu/walk_nodes.h"

#include <stdlib.h>

extern const struct impl impl_walk_gpu;

enum {
    THREADS = 128,
    CHUNK_BYTES = 24 << 10 /* several blocks of threads fit in the shared memory of a unit */
};

struct walk_gpu {
    struct gpu_scorer gpu;
    const struct device_kernel *walk_trees;
    uint32_t n_chunks;
    size_t shared; /* bytes of the largest chunk */
    struct device_buffer *chunk_tree, *chunk_node, *tree_root, *tree_output, *nodes, *values;
};

static enum status run(struct gpu_scorer *gpu, uint32_t n_docs, struct error *error) {
    struct walk_gpu *walk = (struct walk_gpu *)gpu;
    const struct device_argument arguments[] = {
        {.buffer = gpu->columns},      {.value = (uint32_t)gpu->stride},
        {.buffer = walk->chunk_tree},  {.buffer = walk->chunk_node},
        {.value = walk->n_chunks},     {.buffer = walk->tree_root},
        {.buffer = walk->tree_output}, {.buffer = walk->nodes},
        {.buffer = walk->values},      {.value = n_docs},
        {.buffer = gpu->scores},       {.value = gpu->scorer.n_outputs}};
    const struct device_launch launch = {.kernel = walk->walk_trees,
                                         .blocks = {(n_docs + THREADS - 1) / THREADS, 1},
                                         .threads = THREADS,
                                         .shared = walk->shared,
                                         .arguments = arguments,
                                         .n_arguments = sizeof arguments / sizeof *arguments,
                                         .stage = DEVICE_SCORING};
    return walk->n_chunks ? device_launch(gpu->device, &launch, error) : STATUS_OK;
}

static void destroy(struct scorer *scorer) {
    struct walk_gpu *walk = (struct walk_gpu *)scorer;
    device_buffer_free(walk->chunk_tree);
    device_buffer_free(walk->chunk_node);
    device_buffer_free(walk->tree_root);
    device_buffer_free(walk->tree_output);
    device_buffer_free(walk->nodes);
    device_buffer_free(walk->values);
    gpu_scorer_close(&walk->gpu);
    free(walk);
}

static enum status upload(struct walk_gpu *walk, const struct ensemble *e,
                          const struct walk_nodes *nodes, struct error *error) {
    size_t number = sizeof(uint32_t), chunks = nodes->n_chunks + 1u;
    const struct {
        const void *from;
        size_t bytes;
        struct device_buffer **to;
    } arrays[] = {
        {nodes->chunk_tree, chunks * number, &walk->chunk_tree},
        {nodes->chunk_node, chunks * number, &walk->chunk_node},
        {nodes->tree_root, e->n_trees * number, &walk->tree_root},
        {e->tree_output, e->n_trees * number, &walk->tree_output},
        {nodes->nodes, nodes->chunk_node[nodes->n_chunks] * sizeof *nodes->nodes, &walk->nodes},
        {e->value, e->n_leaves * sizeof *e->value, &walk->values}};
    enum status status = STATUS_OK;
    walk->n_chunks = nodes->n_chunks;
    walk->shared = nodes->most_nodes * sizeof *nodes->nodes;
    for (size_t i = 0; !status && i < sizeof arrays / sizeof *arrays; i++)
        status =
            gpu_scorer_upload(&walk->gpu, arrays[i].from, arrays[i].bytes, arrays[i].to, error);
    return status;
}

static enum status start(struct walk_gpu *walk, const struct ensemble *ensemble,
                         struct error *error) {
    const struct gpu_kernel kernel = {"walk_trees", &walk->walk_trees};
    walk->gpu.run = run;
    return gpu_scorer_open(&walk->gpu, &impl_walk_gpu, "walk", &kernel, 1, ensemble, error);
}

static enum status make(struct walk_gpu *walk, const struct ensemble *ensemble,
                        const struct options *options, struct error *error) {
    struct walk_nodes nodes;
    enum status status = start(walk, ensemble, error);
    if (status)
        return status;
    size_t limit = device_facts(walk->gpu.device)->shared_per_block;
    status = walk_nodes_build(ensemble, limit < CHUNK_BYTES ? limit : (size_t)CHUNK_BYTES, limit,
                              &nodes, error);
    if (status)
        return status;
    status = upload(walk, ensemble, &nodes, error);
    walk_nodes_free(&nodes);
    return status ? status : gpu_scorer_reserve(&walk->gpu, options, NULL, 0, error);
}

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    struct walk_gpu *walk = calloc(1, sizeof *walk);
    if (!walk)
        return error_memory(error, "walk-gpu");
    enum status status = make(walk, ensemble, options, error);
    if (status) {
        destroy(&walk->gpu.scorer);
        return status;
    }
    *scorer = &walk->gpu.scorer;
    return STATUS_OK;
}

static const struct impl_param params[] = {GPU_BATCH_PARAM, {NULL, NULL, NULL, NULL}};

const struct impl impl_walk_gpu = {.name = "walk-gpu",
                                   .title = "walks on a GPU",
                                   .source = "-",
                                   .kind = IMPL_DEVICE,
                                   .params = params,
                                   .find = gpu_scorer_find,
                                   .failure = gpu_scorer_failure,
                                   .device = gpu_scorer_device,
                                   .build = build,
                                   .score = gpu_scorer_score,
                                   .destroy = destroy};
