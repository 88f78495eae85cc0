/* Bit planes on a GPU: 32 documents a word, and one operation of three inputs per node and word.
 * Four kernels (planes.cl): the bits of ranks, the tests, the trees, the sums of parts.
 *
 * The trees are cut into parts, so that there are enough threads for a whole GPU. Each part adds
 * the values of its trees in their order, and the sums of the parts are added in order. */
#include "impls/gpu/gpu_scorer.h"
#include "impls/gpu/host_ranks.h"
#include "impls/gpu/planes_words.h"

#include <stdlib.h>
#include <string.h>

extern const struct impl impl_planes_gpu;

enum {
    GROUP = 1024, /* documents of 32 words, whose order is mixed */
    WORD = 32,
    MOST_THREADS = 128,
    LEAST_THREADS = 32,
    BLOCKS_PER_UNIT = 16, /* of score_parts, for a full batch */
    MOST_PARTS = 64,
    MOST_FEATURES = 65535 /* that are tested: blocks in the second dimension */
};

enum kernel { FIND_RANKS, SPREAD_RANKS, MAKE_TESTS, SCORE_PARTS, ADD_PARTS, KERNELS };

struct planes_gpu {
    struct gpu_scorer gpu;
    const struct device_kernel *kernels[KERNELS];
    uint32_t n_features, n_parts;
    uint32_t threads; /* of score_parts */
    size_t shared;    /* bytes of shared memory of score_parts */
    /* the model: the arrays of struct planes_words */
    struct device_buffer *features, *first_key, *first_plane, *keys;
    struct device_buffer *first_test, *test_rank, *test_nan_rank;
    struct device_buffer *tree_node, *tree_leaves, *tree_value, *nodes, *values;
    struct device_buffer *part_begin, *part_end, *part_output; /* [n_parts] */
    /* of a batch */
    struct device_buffer *ranks, *tests; /* [planes of ranks or tests][stride / 32] words */
    struct device_buffer *partial;       /* [n_parts][stride] doubles */
    /* of ranks=host; empty otherwise */
    struct host_ranks host;
    struct device_buffer *bytes; /* [n_features][stride] ranks */
};

/* --- scoring ---------------------------------------------------------------------------------- */

/* Starts a kernel with as many blocks as its threads need for all words. */
static enum status launch(struct planes_gpu *planes, enum kernel kernel, uint32_t blocks_x,
                          uint32_t blocks_y, const struct device_argument *arguments,
                          size_t n_arguments, struct error *error) {
    bool prepares = kernel == FIND_RANKS || kernel == SPREAD_RANKS;
    const struct device_launch command = {.kernel = planes->kernels[kernel],
                                          .blocks = {blocks_x, blocks_y},
                                          .threads = planes->threads,
                                          .shared = kernel == SCORE_PARTS ? planes->shared : 0,
                                          .arguments = arguments,
                                          .n_arguments = n_arguments,
                                          .stage = prepares ? DEVICE_PREPARING : DEVICE_SCORING};
    if (blocks_x == 0 || blocks_y == 0)
        return STATUS_OK;
    return device_launch(planes->gpu.device, &command, error);
}

/* Words that have documents, words of a batch, and blocks of threads that handle the former. */
struct extent {
    uint32_t n_docs, n_words, words, blocks;
};

static enum status find_ranks(struct planes_gpu *planes, const struct extent *extent,
                              struct error *error) {
    const struct device_argument arguments[] = {
        {.buffer = planes->gpu.columns}, {.value = (uint32_t)planes->gpu.stride},
        {.buffer = planes->features},    {.buffer = planes->first_key},
        {.buffer = planes->first_plane}, {.buffer = planes->keys},
        {.value = extent->n_words},      {.value = extent->words},
        {.buffer = planes->ranks}};
    return launch(planes, FIND_RANKS, extent->blocks, planes->n_features, arguments,
                  sizeof arguments / sizeof *arguments, error);
}

/* Documents of a batch, rounded up to whole groups of words. */
static uint32_t padded(uint32_t n_docs) {
    return (n_docs + GROUP - 1) / GROUP * GROUP;
}

static enum status load_ranks(struct gpu_scorer *gpu, const float *x, size_t stride,
                              uint32_t n_docs, struct error *error) {
    struct planes_gpu *planes = (struct planes_gpu *)gpu;
    host_ranks_fill(&planes->host, x, stride, n_docs, padded(n_docs));
    return device_write(gpu->device, planes->bytes, planes->host.bytes,
                        (size_t)planes->n_features * padded(n_docs), error);
}

static enum status spread_ranks(struct planes_gpu *planes, const struct extent *extent,
                                struct error *error) {
    const struct device_argument arguments[] = {
        {.buffer = planes->bytes},       {.value = padded(extent->n_docs)},
        {.buffer = planes->first_plane}, {.value = extent->n_words},
        {.value = extent->words},        {.buffer = planes->ranks}};
    return launch(planes, SPREAD_RANKS, extent->blocks, planes->n_features, arguments,
                  sizeof arguments / sizeof *arguments, error);
}

static enum status make_tests(struct planes_gpu *planes, const struct extent *extent,
                              struct error *error) {
    const struct device_argument arguments[] = {
        {.buffer = planes->ranks},         {.buffer = planes->first_plane},
        {.buffer = planes->first_test},    {.buffer = planes->test_rank},
        {.buffer = planes->test_nan_rank}, {.value = extent->n_words},
        {.value = extent->words},          {.buffer = planes->tests}};
    return launch(planes, MAKE_TESTS, extent->blocks, planes->n_features, arguments,
                  sizeof arguments / sizeof *arguments, error);
}

static enum status score_parts(struct planes_gpu *planes, const struct extent *extent,
                               struct error *error) {
    const struct device_argument arguments[] = {{.buffer = planes->tests},
                                                {.value = extent->n_words},
                                                {.value = extent->words},
                                                {.buffer = planes->nodes},
                                                {.buffer = planes->tree_node},
                                                {.buffer = planes->tree_leaves},
                                                {.buffer = planes->tree_value},
                                                {.buffer = planes->values},
                                                {.buffer = planes->part_begin},
                                                {.buffer = planes->part_end},
                                                {.value = planes->n_parts},
                                                {.buffer = planes->partial},
                                                {.value = (uint32_t)planes->gpu.stride}};
    return launch(planes, SCORE_PARTS, extent->blocks * planes->n_parts, 1, arguments,
                  sizeof arguments / sizeof *arguments, error);
}

static enum status add_parts(struct planes_gpu *planes, const struct extent *extent,
                             struct error *error) {
    const struct device_argument arguments[] = {{.buffer = planes->partial},
                                                {.value = (uint32_t)planes->gpu.stride},
                                                {.buffer = planes->part_output},
                                                {.value = planes->n_parts},
                                                {.value = extent->n_docs},
                                                {.buffer = planes->gpu.scores},
                                                {.value = planes->gpu.scorer.n_outputs}};
    uint32_t blocks = (extent->n_docs + planes->threads - 1) / planes->threads;
    return launch(planes, ADD_PARTS, blocks, 1, arguments, sizeof arguments / sizeof *arguments,
                  error);
}

static enum status run(struct gpu_scorer *gpu, uint32_t n_docs, struct error *error) {
    struct planes_gpu *planes = (struct planes_gpu *)gpu;
    uint32_t n_words = padded(n_docs) / WORD;
    const struct extent extent = {.n_docs = n_docs,
                                  .n_words = n_words,
                                  .words = (uint32_t)(gpu->stride / WORD),
                                  .blocks = (n_words + planes->threads - 1) / planes->threads};
    enum status status =
        gpu->load ? spread_ranks(planes, &extent, error) : find_ranks(planes, &extent, error);
    if (!status)
        status = make_tests(planes, &extent, error);
    if (!status)
        status = score_parts(planes, &extent, error);
    return status ? status : add_parts(planes, &extent, error);
}

/* --- parts ------------------------------------------------------------------------------------ */

struct parts {
    uint32_t *begin, *end, *output; /* [count] trees, and the output that they add to */
    uint32_t count;
};

static void parts_free(struct parts *parts) {
    free(parts->begin);
    free(parts->end);
    free(parts->output);
}

/* Cuts the trees into parts of at most `most` trees of the same output. */
static enum status cut(const struct planes_words *words, uint32_t most, struct parts *parts,
                       struct error *error) {
    size_t size = (words->n_trees + 1) * sizeof *parts->begin;
    *parts = (struct parts){.begin = malloc(size), .end = malloc(size), .output = malloc(size)};
    if (!parts->begin || !parts->end || !parts->output)
        return error_memory(error, "parts of trees");
    for (uint32_t tree = 0, end; tree < words->n_trees; tree = end) {
        end = tree + 1;
        while (end < words->n_trees && end - tree < most &&
               words->tree_output[end] == words->tree_output[tree])
            end++;
        parts->begin[parts->count] = tree;
        parts->end[parts->count] = end;
        parts->output[parts->count++] = words->tree_output[tree];
    }
    return STATUS_OK;
}

/* As many parts as occupy all units with a full batch. */
static uint32_t suitable_parts(const struct planes_gpu *planes) {
    const struct device_facts *facts = device_facts(planes->gpu.device);
    uint32_t blocks = GPU_MOST_BATCH / WORD / planes->threads;
    uint32_t parts = (facts->units * BLOCKS_PER_UNIT + blocks - 1) / blocks;
    return parts < MOST_PARTS ? parts : MOST_PARTS;
}

static enum status upload_parts(struct planes_gpu *planes, const struct planes_words *words,
                                const struct options *options, struct error *error) {
    struct parts parts;
    long asked;
    enum status status = options_integer(options, "parts", 0, 1 << 20, 0, &asked, error);
    if (status)
        return status;
    uint32_t wanted = asked ? (uint32_t)asked : suitable_parts(planes);
    status = cut(words, (words->n_trees + wanted - 1) / wanted, &parts, error);
    planes->n_parts = parts.count;
    size_t bytes = parts.count * sizeof *parts.begin;
    if (!status)
        status = gpu_scorer_upload(&planes->gpu, parts.begin, bytes, &planes->part_begin, error);
    if (!status)
        status = gpu_scorer_upload(&planes->gpu, parts.end, bytes, &planes->part_end, error);
    if (!status)
        status = gpu_scorer_upload(&planes->gpu, parts.output, bytes, &planes->part_output, error);
    parts_free(&parts);
    return status;
}

/* --- building --------------------------------------------------------------------------------- */

static void destroy(struct scorer *scorer) {
    struct planes_gpu *planes = (struct planes_gpu *)scorer;
    struct device_buffer *const buffers[] = {
        planes->features,    planes->first_key,  planes->first_plane,   planes->keys,
        planes->first_test,  planes->test_rank,  planes->test_nan_rank, planes->tree_node,
        planes->tree_leaves, planes->tree_value, planes->nodes,         planes->values,
        planes->part_begin,  planes->part_end,   planes->part_output,   planes->ranks,
        planes->tests,       planes->partial,    planes->bytes};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        device_buffer_free(buffers[i]);
    host_ranks_free(&planes->host);
    gpu_scorer_close(&planes->gpu);
    free(planes);
}

static enum status upload_arrays(struct planes_gpu *planes, const struct planes_words *words,
                                 struct error *error) {
    size_t number = sizeof(uint32_t), n = words->n_features, tests = words->n_tests;
    const struct {
        const void *from;
        size_t bytes;
        struct device_buffer **to;
    } arrays[] = {{words->features, n * number, &planes->features},
                  {words->first_key, n * number, &planes->first_key},
                  {words->first_plane, (n + 1) * number, &planes->first_plane},
                  {words->keys, words->n_keys * number, &planes->keys},
                  {words->first_test, (n + 1) * number, &planes->first_test},
                  {words->test_rank, tests * number, &planes->test_rank},
                  {words->test_nan_rank, tests * number, &planes->test_nan_rank},
                  {words->tree_node, words->n_trees * number, &planes->tree_node},
                  {words->tree_leaves, words->n_trees * number, &planes->tree_leaves},
                  {words->tree_value, words->n_trees * number, &planes->tree_value},
                  {words->nodes, words->n_nodes * 2 * number, &planes->nodes},
                  {words->values, words->n_values * sizeof *words->values, &planes->values}};
    enum status status = STATUS_OK;
    for (size_t i = 0; !status && i < sizeof arrays / sizeof *arrays; i++)
        status =
            gpu_scorer_upload(&planes->gpu, arrays[i].from, arrays[i].bytes, arrays[i].to, error);
    return status;
}

/* Chooses the threads of a block, so that the planes L_c of all of them fit in shared memory, with
 * room for other blocks if possible. */
static enum status choose_threads(struct planes_gpu *planes, uint32_t most_leaves,
                                  struct error *error) {
    const struct device_facts *facts = device_facts(planes->gpu.device);
    size_t thread_bytes = (most_leaves + 1) * sizeof(uint32_t);
    planes->threads = MOST_THREADS;
    while (planes->threads > LEAST_THREADS &&
           planes->threads * thread_bytes > facts->shared_per_block / 2)
        planes->threads /= 2;
    while (planes->threads > 1 && planes->threads * thread_bytes > facts->shared_per_block)
        planes->threads /= 2;
    planes->shared = planes->threads * thread_bytes;
    if (planes->threads * thread_bytes <= facts->shared_per_block)
        return STATUS_OK;
    return error_set(error, STATUS_UNSUPPORTED, "planes-gpu: %s has too little shared memory",
                     facts->name);
}

static enum status upload(struct planes_gpu *planes, const struct planes_words *words,
                          const struct options *options, struct error *error) {
    uint32_t rank_planes = words->first_plane[words->n_features];
    planes->n_features = words->n_features;
    if (words->n_features > MOST_FEATURES)
        return error_set(error, STATUS_UNSUPPORTED,
                         "planes-gpu: the model tests %u features; the limit is %d",
                         words->n_features, (int)MOST_FEATURES);
    enum status status = choose_threads(planes, words->most_leaves, error);
    if (!status)
        status = upload_arrays(planes, words, error);
    if (!status)
        status = upload_parts(planes, words, options, error);
    const struct gpu_buffer buffers[] = {
        {&planes->ranks, (rank_planes + 7) / 8},
        {&planes->tests, ((size_t)words->n_tests + 7) / 8},
        {&planes->partial, planes->n_parts * sizeof(double)},
        {&planes->bytes, planes->gpu.load ? words->n_features : 0}};
    return status ? status : gpu_scorer_reserve(&planes->gpu, options, buffers, 4, error);
}

static enum status start(struct planes_gpu *planes, const struct ensemble *ensemble,
                         struct error *error) {
    static const char *const names[] = {"find_ranks", "spread_ranks", "make_tests", "score_parts",
                                        "add_parts"};
    struct gpu_kernel kernels[KERNELS];
    for (size_t i = 0; i < KERNELS; i++)
        kernels[i] = (struct gpu_kernel){names[i], &planes->kernels[i]};
    planes->gpu.run = run;
    return gpu_scorer_open(&planes->gpu, &impl_planes_gpu, "planes", kernels, KERNELS, ensemble,
                           error);
}

static enum status read_ranks(struct planes_gpu *planes, const struct options *options,
                              struct error *error) {
    const char *where = options_get(options, "ranks");
    if (where && strcmp(where, "host") == 0)
        planes->gpu.load = load_ranks;
    else if (where && strcmp(where, "device") != 0)
        return error_set(error, STATUS_INPUT, "planes-gpu,ranks=%s: must be device or host", where);
    return STATUS_OK;
}

static enum status make(struct planes_gpu *planes, const struct ensemble *ensemble,
                        const struct options *options, struct error *error) {
    struct planes_words words;
    enum status status = read_ranks(planes, options, error);
    if (!status)
        status = start(planes, ensemble, error);
    if (!status)
        status = planes_words_build(ensemble, "planes-gpu", &words, error);
    if (status)
        return status;
    status = upload(planes, &words, options, error);
    if (!status && planes->gpu.load)
        status = host_ranks_take(&words, planes->gpu.stride, &planes->host, error);
    planes_words_free(&words);
    return status;
}

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    struct planes_gpu *planes = calloc(1, sizeof *planes);
    if (!planes)
        return error_memory(error, "planes-gpu");
    enum status status = make(planes, ensemble, options, error);
    if (status) {
        destroy(&planes->gpu.scorer);
        return status;
    }
    *scorer = &planes->gpu.scorer;
    return STATUS_OK;
}

static const struct impl_param params[] = {
    {"parts", "shares of the trees, each with its own threads; 0: chosen", "0 3", "0"},
    {"ranks", "where documents become ranks; the host sends bytes", "device host", "device"},
    GPU_BATCH_PARAM,
    {NULL, NULL, NULL, NULL}};

const struct impl impl_planes_gpu = {.name = "planes-gpu",
                                     .title = "bit planes on a GPU",
                                     .source = "-",
                                     .kind = IMPL_DEVICE,
                                     .params = params,
                                     .find = gpu_scorer_find,
                                     .failure = gpu_scorer_failure,
                                     .device = gpu_scorer_device,
                                     .build = build,
                                     .score = gpu_scorer_score,
                                     .destroy = destroy};
