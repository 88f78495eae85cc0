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
    MOST_FEATURES = 65535, /* that are tested: blocks in the second dimension */
    HOST_RANK_BITS = 8
};

enum kernel { FIND_RANKS, SPREAD_RANKS, MAKE_TESTS, SCORE_PARTS, ADD_PARTS };

/* The arrays of the model. Those before KEYS are numbers of 32 bits, which `compile` makes. */
enum array {
    FEATURES,      /* [n_features] those that are tested */
    FIRST_KEY,     /* [n_features] root of the search tree in `keys` */
    FIRST_PLANE,   /* [n_features + 1] first plane of the ranks' bits */
    FIRST_TEST,    /* [n_features + 1] first test of a feature */
    TEST_RANK,     /* [n_tests] documents of this rank or a higher one go right */
    TEST_NAN_RANK, /* [n_tests] except those of this rank; 0: no exception */
    TREE_NODE,     /* [n_trees] first node in `nodes` */
    TREE_LEAVES,   /* [n_trees] */
    TREE_VALUE,    /* [n_trees] first value in `values` */
    NODES,         /* [n_nodes][2] a | b << 10 | c << 20 for L_c = L_b | (L_a & test), and the test;
                      a parent comes before its children */
    KEYS,          /* [n_keys] of struct planes_model, as VALUES is */
    VALUES,
    PART_BEGIN, /* [n_parts] trees */
    PART_END,
    PART_OUTPUT, /* the output that a part adds to */
    ARRAYS
};

struct planes_gpu {
    struct gpu_scorer gpu;
    uint32_t n_parts;
    uint32_t threads;          /* of score_parts */
    size_t shared;             /* bytes of shared memory of score_parts */
    struct planes_model model; /* in host memory */
    struct device_buffer *arrays[ARRAYS];
    /* of a batch */
    struct device_buffer *ranks, *tests; /* [planes of ranks or tests][stride / 32] words */
    struct device_buffer *partial;       /* [n_parts][stride] doubles */
    /* of ranks=host; empty otherwise. Ranks of one byte make copies to the device four times
     * smaller than those of floats. */
    uint8_t *host_bytes;         /* [n_features][stride] ranks */
    struct device_buffer *bytes; /* the same */
};

/* --- scoring ---------------------------------------------------------------------------------- */

/* Starts a kernel with as many blocks as its threads need for all words. */
static enum status launch(struct planes_gpu *planes, enum kernel kernel, uint32_t blocks_x,
                          uint32_t blocks_y, const struct device_argument *arguments,
                          size_t n_arguments, struct error *error) {
    bool prepares = kernel == FIND_RANKS || kernel == SPREAD_RANKS;
    const struct device_launch command = {.kernel = planes->gpu.kernels[kernel],
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
    const struct device_argument arguments[] = {{.buffer = planes->gpu.columns},
                                                {.value = (uint32_t)planes->gpu.stride},
                                                {.buffer = planes->arrays[FEATURES]},
                                                {.buffer = planes->arrays[FIRST_KEY]},
                                                {.buffer = planes->arrays[FIRST_PLANE]},
                                                {.buffer = planes->arrays[KEYS]},
                                                {.value = extent->n_words},
                                                {.value = extent->words},
                                                {.buffer = planes->ranks}};
    return launch(planes, FIND_RANKS, extent->blocks, (uint32_t)planes->model.n_features, arguments,
                  sizeof arguments / sizeof *arguments, error);
}

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
    size_t column = padded(n_docs);
    for (size_t i = 0; i < planes->model.n_features; i++) {
        const struct planes_feature *feature = &planes->model.features[i];
        uint8_t *ranks = planes->host_bytes + i * column;
        for (size_t doc = 0; doc < n_docs; doc++)
            ranks[doc] = find_rank(feature, x[doc * stride + feature->feature]);
        memset(ranks + n_docs, 0, column - n_docs);
    }
    return device_write(gpu->device, planes->bytes, planes->host_bytes,
                        planes->model.n_features * column, error);
}

static enum status spread_ranks(struct planes_gpu *planes, const struct extent *extent,
                                struct error *error) {
    const struct device_argument arguments[] = {{.buffer = planes->bytes},
                                                {.value = padded(extent->n_docs)},
                                                {.buffer = planes->arrays[FIRST_PLANE]},
                                                {.value = extent->n_words},
                                                {.value = extent->words},
                                                {.buffer = planes->ranks}};
    return launch(planes, SPREAD_RANKS, extent->blocks, (uint32_t)planes->model.n_features,
                  arguments, sizeof arguments / sizeof *arguments, error);
}

static enum status make_tests(struct planes_gpu *planes, const struct extent *extent,
                              struct error *error) {
    const struct device_argument arguments[] = {{.buffer = planes->ranks},
                                                {.buffer = planes->arrays[FIRST_PLANE]},
                                                {.buffer = planes->arrays[FIRST_TEST]},
                                                {.buffer = planes->arrays[TEST_RANK]},
                                                {.buffer = planes->arrays[TEST_NAN_RANK]},
                                                {.value = extent->n_words},
                                                {.value = extent->words},
                                                {.buffer = planes->tests}};
    return launch(planes, MAKE_TESTS, extent->blocks, (uint32_t)planes->model.n_features, arguments,
                  sizeof arguments / sizeof *arguments, error);
}

static enum status score_parts(struct planes_gpu *planes, const struct extent *extent,
                               struct error *error) {
    const struct device_argument arguments[] = {{.buffer = planes->tests},
                                                {.value = extent->n_words},
                                                {.value = extent->words},
                                                {.buffer = planes->arrays[NODES]},
                                                {.buffer = planes->arrays[TREE_NODE]},
                                                {.buffer = planes->arrays[TREE_LEAVES]},
                                                {.buffer = planes->arrays[TREE_VALUE]},
                                                {.buffer = planes->arrays[VALUES]},
                                                {.buffer = planes->arrays[PART_BEGIN]},
                                                {.buffer = planes->arrays[PART_END]},
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
                                                {.buffer = planes->arrays[PART_OUTPUT]},
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
    enum status status = planes->host_bytes ? spread_ranks(planes, &extent, error)
                                            : find_ranks(planes, &extent, error);
    if (!status)
        status = make_tests(planes, &extent, error);
    if (!status)
        status = score_parts(planes, &extent, error);
    return status ? status : add_parts(planes, &extent, error);
}

/* --- the model -------------------------------------------------------------------------------- */

/* What `compile` works on: the numbers of all arrays before KEYS, one array after the other. */
struct words {
    struct planes_shape shape;
    struct planes_gpu *planes;
    uint32_t *numbers, *begin[KEYS];
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
    size_t total = 0;
    for (size_t i = 0; i < KEYS; i++)
        total += words->counts[i] = counts[i];
    words->numbers = memory_aligned_calloc(total, sizeof *words->numbers);
    for (size_t i = 0, at = 0; words->numbers && i < KEYS; at += counts[i++])
        words->begin[i] = words->numbers + at;
    return words->numbers != NULL;
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
    struct gpu_array arrays[VALUES + 1];
    if (e->n_nodes > UINT32_MAX || model->n_values > UINT32_MAX || model->n_keys > UINT32_MAX)
        return error_set(error, STATUS_UNSUPPORTED, "%s: the model has too many nodes",
                         shape->impl);
    if (!allocate(e, model, words))
        return error_memory(error, "the trees as bit planes");
    fill_features(model, words);
    fill_trees(e, tests, model, words);
    for (size_t i = 0; i <= VALUES; i++)
        arrays[i].to = &words->planes->arrays[i];
    for (size_t i = 0; i < KEYS; i++) {
        arrays[i].from = words->begin[i];
        arrays[i].bytes = words->counts[i] * sizeof *words->numbers;
    }
    arrays[KEYS].from = model->keys;
    arrays[KEYS].bytes = model->n_keys * sizeof *model->keys;
    arrays[VALUES].from = model->values;
    arrays[VALUES].bytes = model->n_values * sizeof *model->values;
    return gpu_scorer_upload(&words->planes->gpu, arrays, VALUES + 1, error);
}

/* --- parts ------------------------------------------------------------------------------------ */

struct parts {
    uint32_t *begin, *end, *output; /* [count] parts of one allocation */
    uint32_t count;
};

/* Cuts the trees into parts of at most `most` trees of the same output. */
static enum status cut(const struct planes_model *model, uint32_t most, struct parts *parts,
                       struct error *error) {
    const struct planes_tree *trees = model->trees;
    uint32_t n = (uint32_t)model->n_trees;
    parts->begin = malloc(3 * ((size_t)n + 1) * sizeof *parts->begin);
    if (!parts->begin)
        return error_memory(error, "parts of trees");
    parts->end = parts->begin + n;
    parts->output = parts->end + n;
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
    const struct gpu_array arrays[] = {{parts.begin, bytes, &planes->arrays[PART_BEGIN]},
                                       {parts.end, bytes, &planes->arrays[PART_END]},
                                       {parts.output, bytes, &planes->arrays[PART_OUTPUT]}};
    if (!status)
        status = gpu_scorer_upload(&planes->gpu, arrays, 3, error);
    planes->n_parts = parts.count;
    free(parts.begin);
    return status;
}

/* --- building --------------------------------------------------------------------------------- */

static void release(struct gpu_scorer *gpu) {
    struct planes_gpu *planes = (struct planes_gpu *)gpu;
    planes_model_free(&planes->model);
    free(planes->host_bytes);
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
    size_t bytes;
    for (size_t i = 0; i < model->n_features; i++)
        if (model->features[i].n_bits > HOST_RANK_BITS)
            return error_set(error, STATUS_UNSUPPORTED,
                             "planes-gpu,ranks=host: feature %" PRIu32
                             " has over %d different thresholds. Leave out ranks=host",
                             model->features[i].feature, (1 << HOST_RANK_BITS) - 1);
    if (memory_multiply(model->n_features, planes->gpu.stride, &bytes))
        planes->host_bytes = memory_aligned_alloc(bytes);
    return planes->host_bytes ? STATUS_OK : error_memory(error, "ranks of documents");
}

static enum status reserve(struct planes_gpu *planes, const struct options *options,
                           struct error *error) {
    const struct planes_model *model = &planes->model;
    size_t rank_planes = 0;
    for (size_t i = 0; i < model->n_features; i++)
        rank_planes += model->features[i].n_bits;
    const struct gpu_buffer buffers[] = {
        {&planes->ranks, (rank_planes + 7) / 8},
        {&planes->tests, (model->n_tests + 7) / 8},
        {&planes->partial, planes->n_parts * sizeof(double)},
        {&planes->bytes, planes->gpu.load ? model->n_features : 0}};
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
    struct words words = {.shape = {"planes-gpu", 1, sizeof(uint32_t), &compiler, 0},
                          .planes = planes,
                          .most_leaves = 1};
    enum status status = planes_model_build(ensemble, &words.shape, &planes->model, error);
    free(words.numbers);
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

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    static const struct gpu_kind kind = {
        &impl_planes_gpu,
        sizeof(struct planes_gpu),
        "planes",
        {"find_ranks", "spread_ranks", "make_tests", "score_parts", "add_parts"},
        make,
        run,
        release};
    return gpu_scorer_build(&kind, ensemble, options, scorer, error);
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
