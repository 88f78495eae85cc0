/* Bit planes on a GPU: 32 documents a word, and one operation of three inputs per node and word.
 * Four kernels (planes.cl): the bits of ranks, the tests, the trees, the sums of parts.
 *
 * The trees are cut into parts, so that there are enough threads for a whole GPU. Each part adds
 * the values of its trees in their order, and the sums of the parts are added in order. */
#include "impls/gpu/gpu_scorer.h"

#include "base/memory.h"
#include "impls/planes/planes_model.h"
#include "impls/shared/splits.h"

#include <inttypes.h>
#include <string.h>

enum {
    GROUP = 1024, /* documents of 32 words, whose order is mixed */
    WORD = 32,
    MOST_THREADS = 128,
    LEAST_THREADS = 32,
    BLOCKS_PER_UNIT = 16, /* of score_parts, for a full batch */
    MOST_PARTS = 64,
    MOST_FEATURES = 65535, /* that are tested: blocks in the second dimension */
    HOST_RANK_BITS = 8
};

enum kernel { FIND_RANKS, SPREAD_RANKS, MAKE_TESTS, SCORE_PARTS, ADD_PARTS };

/* The arrays of the model come first. Those before KEYS are numbers of 32 bits, which `compile`
 * makes. */
enum argument {
    FEATURES = GPU_OWN, /* [n_features] those that are tested */
    FIRST_KEY,          /* [n_features] root of the search tree in `keys` */
    FIRST_PLANE,        /* [n_features + 1] first plane of the ranks' bits */
    FIRST_TEST,         /* [n_features + 1] first test of a feature */
    TEST_RANK,          /* [n_tests] documents of this rank or a higher one go right */
    TEST_NAN_RANK,      /* [n_tests] except those of this rank; 0: no exception */
    TREE_NODE,          /* [n_trees] first node in `nodes` */
    TREE_LEAVES,        /* [n_trees] */
    TREE_VALUE,         /* [n_trees] first value in `values` */
    NODES, /* [n_nodes][2] a | b << 10 | c << 20 for L_c = L_b | (L_a & test), and the test;
              a parent comes before its children */
    KEYS,  /* [n_keys] of struct planes_model, as VALUES is */
    VALUES,
    PART_BEGIN, /* [n_parts] trees */
    PART_END,
    PART_OUTPUT, /* the output that a part adds to */
    N_PARTS,
    /* of a batch: */
    RANKS,      /* [planes of ranks][WORDS] words */
    TESTS,      /* [planes of tests][WORDS] words */
    PARTIAL,    /* [n_parts][stride] doubles */
    HOST_RANKS, /* of ranks=host, else empty: [n_features][HOST_STRIDE] ranks */
    HOST_STRIDE,
    N_WORDS, /* words that have documents */
    WORDS    /* words of a batch */
};

_Static_assert((int)WORDS < GPU_ARGUMENTS, "GPU_ARGUMENTS is too small");

struct planes_gpu {
    struct gpu_scorer gpu;
    uint32_t threads;          /* of score_parts */
    size_t shared;             /* bytes of shared memory of score_parts */
    struct planes_model model; /* in host memory */
    /* HOST_RANKS in host memory. Ranks of one byte make copies to the device four times smaller
     * than those of floats. */
    uint8_t *host_ranks;
};

/* --- scoring ---------------------------------------------------------------------------------- */

/* The number of thresholds that are less than a value. */
static uint8_t find_rank(const struct planes_feature *feature, float value) {
    int32_t key = float_key(value);
    uint32_t rank = 0;
    for (uint32_t level = 0; level < feature->n_levels; level++)
        rank = 2 * rank + (key > feature->levels[level][rank]);
    return (uint8_t)rank;
}

/* Documents of a batch, rounded up to whole groups of words. */
static uint32_t padded(uint32_t n_docs) {
    return (n_docs + GROUP - 1) / GROUP * GROUP;
}

static enum status load_ranks(struct gpu_scorer *gpu, const float *x, size_t stride,
                              uint32_t n_docs, struct error *error) {
    struct planes_gpu *planes = (struct planes_gpu *)gpu;
    uint32_t column = padded(n_docs);
    gpu->arguments[HOST_STRIDE].value = column;
    for (size_t i = 0; i < planes->model.n_features; i++) {
        const struct planes_feature *feature = &planes->model.features[i];
        uint8_t *ranks = planes->host_ranks + i * column;
        for (size_t doc = 0; doc < n_docs; doc++)
            ranks[doc] = find_rank(feature, x[doc * stride + feature->feature]);
        memset(ranks + n_docs, 0, column - n_docs);
    }
    return device_write(gpu->device, gpu->arguments[HOST_RANKS].buffer, planes->host_ranks,
                        planes->model.n_features * column, error);
}

static enum status run(struct gpu_scorer *gpu, uint32_t n_docs, struct error *error) {
    const struct planes_gpu *planes = (const struct planes_gpu *)gpu;
    uint32_t threads = planes->threads, n_words = padded(n_docs) / WORD;
    uint32_t blocks = (n_words + threads - 1) / threads;
    uint32_t n_features = (uint32_t)planes->model.n_features;
    uint32_t n_parts = gpu->arguments[N_PARTS].value;
    const struct gpu_grid grids[] = {
        [FIND_RANKS] = {{planes->host_ranks ? 0 : blocks, n_features}, threads, 0},
        [SPREAD_RANKS] = {{planes->host_ranks ? blocks : 0, n_features}, threads, 0},
        [MAKE_TESTS] = {{blocks, n_features}, threads, 0},
        [SCORE_PARTS] = {{blocks * n_parts, 1}, threads, planes->shared},
        [ADD_PARTS] = {{(n_docs + threads - 1) / threads, 1}, threads, 0}};
    gpu->arguments[N_WORDS].value = n_words;
    gpu->arguments[WORDS].value = (uint32_t)(gpu->stride / WORD);
    enum status status = STATUS_OK;
    for (unsigned kernel = FIND_RANKS; !status && kernel <= ADD_PARTS; kernel++)
        status = gpu_scorer_launch(gpu, kernel, grids[kernel], error);
    return status;
}

/* --- the model -------------------------------------------------------------------------------- */

/* What `compile` works on: all arrays before KEYS. */
struct words {
    struct planes_shape shape;
    struct gpu_scorer *gpu;
    struct memory_pool pool;
    uint32_t *begin[KEYS];
    size_t counts[KEYS];
    uint32_t most_leaves;
};

static bool allocate(const struct ensemble *e, const struct planes_model *model,
                     struct words *words) {
    const size_t counts[KEYS] = {[FEATURES] = model->n_features,
                                 [FIRST_KEY] = model->n_features,
                                 [FIRST_PLANE] = model->n_features + 1,
                                 [FIRST_TEST] = model->n_features + 1,
                                 [TEST_RANK] = model->n_tests,
                                 [TEST_NAN_RANK] = model->n_tests,
                                 [TREE_NODE] = e->n_trees,
                                 [TREE_LEAVES] = e->n_trees,
                                 [TREE_VALUE] = e->n_trees,
                                 [NODES] = 2 * e->n_nodes};
    for (size_t i = FEATURES; i < KEYS; i++) {
        words->counts[i] = counts[i];
        words->begin[i] = memory_pool_array(&words->pool, counts[i], sizeof(uint32_t));
    }
    return !words->pool.failed;
}

static void fill_features(const struct planes_model *model, const struct words *words) {
    uint32_t *const *to = words->begin, test = 0;
    for (size_t i = 0; i < model->n_features; i++) {
        const struct planes_feature *feature = &model->features[i];
        uint32_t n_tests = feature->n_tests + feature->n_nan_left;
        to[FEATURES][i] = feature->feature;
        to[FIRST_KEY][i] = feature->n_levels ? (uint32_t)(feature->levels[0] - model->keys) : 0;
        to[FIRST_PLANE][i + 1] = to[FIRST_PLANE][i] + feature->n_bits;
        to[FIRST_TEST][i + 1] = test + n_tests;
        for (uint32_t j = 0; j < n_tests; j++, test++) {
            to[TEST_RANK][test] = feature->ranks[j];
            to[TEST_NAN_RANK][test] = j < feature->n_tests ? 0 : feature->nan_rank;
        }
    }
}

static void fill_trees(const struct ensemble *e, const uint32_t *tests,
                       const struct planes_model *model, struct words *words) {
    struct split splits[PLANES_MAX_LEAVES];
    for (uint32_t t = 0; t < e->n_trees; t++) {
        uint32_t leaves = ensemble_tree_leaves(e, t), *to = words->begin[NODES];
        splits_find(e, t, splits);
        words->begin[TREE_NODE][t] = (uint32_t)e->tree_node[t];
        words->begin[TREE_LEAVES][t] = leaves;
        words->begin[TREE_VALUE][t] = (uint32_t)(model->trees[t].values - model->values);
        words->most_leaves = leaves > words->most_leaves ? leaves : words->most_leaves;
        for (size_t node = e->tree_node[t], i = 0; i + 1 < leaves; node++, i++) {
            to[2 * node] = splits[i].first | splits[i].last << 10 | splits[i].middle << 20;
            to[2 * node + 1] = tests[node];
        }
    }
}

/* The last step of planes_model_build: nodes become words on the device. */
static enum status compile(const struct ensemble *e, const uint32_t *tests,
                           const struct planes_shape *shape, struct planes_model *model,
                           struct error *error) {
    struct words *words = (struct words *)(uintptr_t)shape;
    struct gpu_array arrays[VALUES + 1 - FEATURES];
    if (e->n_nodes > UINT32_MAX || model->n_values > UINT32_MAX || model->n_keys > UINT32_MAX)
        return error_set(error, STATUS_UNSUPPORTED, "%s: the model has too many nodes",
                         shape->impl);
    if (!allocate(e, model, words))
        return error_memory(error, "the trees as bit planes");
    fill_features(model, words);
    fill_trees(e, tests, model, words);
    for (unsigned i = FEATURES; i < KEYS; i++)
        arrays[i - FEATURES] =
            (struct gpu_array){words->begin[i], words->counts[i] * sizeof(uint32_t), i};
    arrays[KEYS - FEATURES] =
        (struct gpu_array){model->keys, model->n_keys * sizeof *model->keys, KEYS};
    arrays[VALUES - FEATURES] =
        (struct gpu_array){model->values, model->n_values * sizeof *model->values, VALUES};
    return gpu_scorer_upload(words->gpu, arrays, sizeof arrays / sizeof *arrays, error);
}

/* --- parts ------------------------------------------------------------------------------------ */

struct parts {
    uint32_t *begin, *end, *output; /* [count] */
    uint32_t count;
    struct memory_pool pool;
};

/* Cuts the trees into parts of at most `most` trees of the same output. */
static enum status cut(const struct planes_model *model, uint32_t most, struct parts *parts,
                       struct error *error) {
    const struct planes_tree *trees = model->trees;
    uint32_t n = (uint32_t)model->n_trees;
    parts->begin = memory_pool_array(&parts->pool, n, sizeof *parts->begin);
    parts->end = memory_pool_array(&parts->pool, n, sizeof *parts->end);
    parts->output = memory_pool_array(&parts->pool, n, sizeof *parts->output);
    if (parts->pool.failed)
        return error_memory(error, "parts of trees");
    for (uint32_t tree = 0, end; tree < n; tree = end) {
        end = tree + 1;
        while (end < n && end - tree < most && trees[end].output == trees[tree].output)
            end++;
        parts->begin[parts->count] = tree;
        parts->end[parts->count] = end;
        parts->output[parts->count++] = trees[tree].output;
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

static enum status upload_parts(struct planes_gpu *planes, const struct options *options,
                                struct error *error) {
    struct parts parts = {.count = 0};
    long asked;
    enum status status = options_integer(options, "parts", 0, 1 << 20, 0, &asked, error);
    if (status)
        return status;
    uint32_t wanted = asked ? (uint32_t)asked : suitable_parts(planes);
    uint32_t most = ((uint32_t)planes->model.n_trees + wanted - 1) / wanted;
    status = cut(&planes->model, most, &parts, error);
    size_t bytes = parts.count * sizeof *parts.begin;
    const struct gpu_array arrays[] = {{parts.begin, bytes, PART_BEGIN},
                                       {parts.end, bytes, PART_END},
                                       {parts.output, bytes, PART_OUTPUT}};
    if (!status)
        status = gpu_scorer_upload(&planes->gpu, arrays, 3, error);
    planes->gpu.arguments[N_PARTS].value = parts.count;
    memory_pool_free(&parts.pool);
    return status;
}

/* --- building --------------------------------------------------------------------------------- */

static void release(struct gpu_scorer *gpu) {
    planes_model_free(&((struct planes_gpu *)gpu)->model);
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

/* Makes room for ranks=host. The ranks of a feature must fit in a byte. */
static enum status reserve_host(struct planes_gpu *planes, struct error *error) {
    const struct planes_model *model = &planes->model;
    for (size_t i = 0; i < model->n_features; i++)
        if (model->features[i].n_bits > HOST_RANK_BITS)
            return error_set(error, STATUS_UNSUPPORTED,
                             "planes-gpu,ranks=host: feature %" PRIu32
                             " has over %d different thresholds. Leave out ranks=host",
                             model->features[i].feature, (1 << HOST_RANK_BITS) - 1);
    planes->host_ranks =
        memory_pool_array(&planes->gpu.scorer.pool, model->n_features, planes->gpu.stride);
    return planes->host_ranks ? STATUS_OK : error_memory(error, "ranks of documents");
}

static enum status reserve(struct planes_gpu *planes, const struct options *options,
                           struct error *error) {
    const struct planes_model *model = &planes->model;
    size_t rank_planes = 0;
    for (size_t i = 0; i < model->n_features; i++)
        rank_planes += model->features[i].n_bits;
    const struct gpu_buffer buffers[] = {
        {RANKS, (rank_planes + 7) / 8},
        {TESTS, (model->n_tests + 7) / 8},
        {PARTIAL, planes->gpu.arguments[N_PARTS].value * sizeof(double)},
        {HOST_RANKS, planes->gpu.load ? model->n_features : 0}};
    enum status status = gpu_scorer_reserve(&planes->gpu, options, buffers, 4, error);
    return status || !planes->gpu.load ? status : reserve_host(planes, error);
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

static enum status make_model(struct planes_gpu *planes, const struct ensemble *ensemble,
                              struct error *error) {
    static const struct planes_compiler compiler = {compile, NULL};
    struct words words = {.shape = {.impl = "planes-gpu",
                                    .fan_bits = 1,
                                    .plane_bytes = sizeof(uint32_t),
                                    .compiler = &compiler},
                          .gpu = &planes->gpu,
                          .most_leaves = 1};
    enum status status = planes_model_build(ensemble, &words.shape, &planes->model, error);
    memory_pool_free(&words.pool);
    if (!status && planes->model.n_features > MOST_FEATURES)
        return error_set(error, STATUS_UNSUPPORTED,
                         "planes-gpu: the model tests %zu features; the limit is %d",
                         planes->model.n_features, (int)MOST_FEATURES);
    return status ? status : choose_threads(planes, words.most_leaves, error);
}

static enum status make(struct gpu_scorer *gpu, const struct ensemble *ensemble,
                        const struct options *options, struct error *error) {
    struct planes_gpu *planes = (struct planes_gpu *)gpu;
    enum status status = read_ranks(planes, options, error);
    if (!status)
        status = make_model(planes, ensemble, error);
    if (!status)
        status = upload_parts(planes, options, error);
    return status ? status : reserve(planes, options, error);
}

static enum status build(const struct impl *impl, const struct ensemble *ensemble,
                         const struct options *options, struct scorer **scorer,
                         struct error *error) {
    static const struct gpu_kind kind = {
        .bytes = sizeof(struct planes_gpu),
        .program = "planes",
        .kernels = {[FIND_RANKS] = {"find_ranks",
                                    DEVICE_PREPARING,
                                    {GPU_COLUMNS, GPU_STRIDE, FEATURES, FIRST_KEY, FIRST_PLANE,
                                     KEYS, N_WORDS, WORDS, RANKS}},
                    [SPREAD_RANKS] = {"spread_ranks",
                                      DEVICE_PREPARING,
                                      {HOST_RANKS, HOST_STRIDE, FIRST_PLANE, N_WORDS, WORDS,
                                       RANKS}},
                    [MAKE_TESTS] = {"make_tests",
                                    DEVICE_SCORING,
                                    {RANKS, FIRST_PLANE, FIRST_TEST, TEST_RANK, TEST_NAN_RANK,
                                     N_WORDS, WORDS, TESTS}},
                    [SCORE_PARTS] = {"score_parts",
                                     DEVICE_SCORING,
                                     {TESTS, N_WORDS, WORDS, NODES, TREE_NODE, TREE_LEAVES,
                                      TREE_VALUE, VALUES, PART_BEGIN, PART_END, N_PARTS, PARTIAL,
                                      GPU_STRIDE}},
                    [ADD_PARTS] = {"add_parts",
                                   DEVICE_SCORING,
                                   {PARTIAL, GPU_STRIDE, PART_OUTPUT, N_PARTS, GPU_DOCUMENTS,
                                    GPU_SCORES, GPU_OUTPUTS}}},
        .make = make,
        .run = run,
        .release = release};
    return gpu_scorer_build(impl, &kind, ensemble, options, scorer, error);
}

static const struct impl_param params[] = {
    {"parts", "shares of the trees, each with its own threads; 0: chosen", "0 3", "0"},
    {"ranks", "where documents become ranks; the host sends bytes", "device host", "device"},
    GPU_BATCH_PARAM,
    {NULL, NULL, NULL, NULL}};

const struct impl impl_planes_gpu = {.name = "planes-gpu",
                                     .title = "bit planes on a GPU",
                                     .source = "-",
                                     .params = params,
                                     .build = build,
                                     GPU_FACTS};
