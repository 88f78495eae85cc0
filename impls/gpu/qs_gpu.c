/* GPU-QuickScorer (lettich2018 section 6, algorithms 3 and 4). For each block of trees, the first
 * kernel finds how many nodes of each list are false for each document, and the second one clears
 * leaves by them and adds values. */
#include "impls/gpu/gpu_scorer.h"
#include "impls/gpu/qs_blocks.h"
#include "impls/gpu/qs_policy.h"
#include "impls/shared/tau.h"

#include <string.h>

enum {
    MOST_BLOCKS = 65535, /* lettich2018: "64K - 1" */
    MOST_LISTS = 65535 * GPU_TILE
};

enum kernel { FIND_FALSE_NODES, UPDATE_SCORES };

enum argument {
    /* of a block of trees (qs_blocks.h): */
    LIST_FEATURE = GPU_OWN,
    LIST_NAN_LEFT,
    LIST_BEGIN,
    N_LISTS,
    THRESHOLD,
    MASK,
    TREE,
    VALUES,
    N_TREES,
    OUTPUT,
    /* of all blocks: */
    WORDS,
    PIVOTS /* [batch][most lists of a block] */
};

/* A block of trees on the device. */
struct block {
    struct device_argument arguments[WORDS - GPU_OWN];
    unsigned threads; /* of update_scores */
};

struct qs_gpu {
    struct gpu_scorer gpu;
    unsigned leaves; /* 32 or 64 */
    size_t tau;
    unsigned threads;    /* of update_scores; 0: by policy */
    uint32_t n_launched; /* most blocks of threads */
    uint32_t most_lists; /* of a block of trees */
    size_t n_blocks;
    struct block *blocks;
};

/* --- scoring ---------------------------------------------------------------------------------- */

static enum status score_block(struct qs_gpu *qs, const struct block *block, uint32_t n_docs,
                               struct error *error) {
    struct device_argument *arguments = qs->gpu.arguments;
    memcpy(arguments + GPU_OWN, block->arguments, sizeof block->arguments);
    size_t sets = (size_t)arguments[N_TREES].value * arguments[WORDS].value * sizeof(uint32_t);
    size_t sums = block->threads * sizeof(double);
    struct gpu_grid tiles = gpu_tiles(n_docs, arguments[N_LISTS].value);
    struct gpu_grid documents = {{n_docs < qs->n_launched ? n_docs : qs->n_launched, 1},
                                 block->threads,
                                 sets > sums ? (sets + 7) / 8 * 8 : sums};
    enum status status = gpu_scorer_launch(&qs->gpu, FIND_FALSE_NODES, tiles, error);
    return status ? status : gpu_scorer_launch(&qs->gpu, UPDATE_SCORES, documents, error);
}

static enum status run(struct gpu_scorer *gpu, uint32_t n_docs, struct error *error) {
    struct qs_gpu *qs = (struct qs_gpu *)gpu;
    enum status status = STATUS_OK;
    for (size_t i = 0; !status && i < qs->n_blocks; i++)
        status = score_block(qs, &qs->blocks[i], n_docs, error);
    return status;
}

/* --- building --------------------------------------------------------------------------------- */

static enum status read_tau(struct qs_gpu *qs, const struct ensemble *e,
                            const struct options *options, struct error *error) {
    const struct device_facts *facts = device_facts(qs->gpu.device);
    size_t most = qs_policy_most_trees(facts, qs->leaves), trees = qs_blocks_most_trees(e);
    uint32_t tau;
    enum status status = tau_read(qs->gpu.scorer.impl, options, TAU_AUTO, &tau, error);
    qs->tau = tau == TAU_AUTO ? qs_policy_tau(facts, trees, qs->leaves) : tau;
    if (qs->tau > trees)
        qs->tau = trees ? trees : 1;
    if (!status && qs->tau > most)
        return error_set(error, STATUS_UNSUPPORTED,
                         "qs-gpu: %zu trees per block; the shared memory of %s holds %zu. Set tau",
                         qs->tau, facts->name, most);
    return status;
}

static enum status read_threads(struct qs_gpu *qs, const struct options *options,
                                struct error *error) {
    unsigned most = device_kernel_threads(qs->gpu.kernels[UPDATE_SCORES]);
    long threads, blocks = MOST_BLOCKS;
    enum status status = options_integer(options, "threads", 0, 1024, 0, &threads, error);
    if (!status)
        status = options_integer(options, "blocks", 1, MOST_BLOCKS, MOST_BLOCKS, &blocks, error);
    if (status)
        return status;
    bool is_power = threads == 0 || (threads >= 32 && (threads & (threads - 1)) == 0);
    if (!is_power || (unsigned)threads > most)
        return error_set(error, STATUS_INPUT,
                         "qs-gpu: threads=%ld: must be a power of two from 32 to %u, or 0", threads,
                         most < 1024 ? most : 1024);
    qs->threads = (unsigned)threads;
    qs->n_launched = (uint32_t)blocks;
    return STATUS_OK;
}

/* The policy's threads, or fewer if the kernel's registers do not allow as many. */
static unsigned threads_of(const struct qs_gpu *qs, size_t n_trees) {
    unsigned threads = qs->threads, most = device_kernel_threads(qs->gpu.kernels[UPDATE_SCORES]);
    if (!threads)
        threads = qs_policy_threads(device_facts(qs->gpu.device), n_trees, qs->leaves);
    while (threads > most)
        threads /= 2;
    return threads;
}

static enum status upload_block(struct qs_gpu *qs, const struct qs_tree_block *from,
                                struct block *block, struct error *error) {
    size_t lists = from->n_lists, entries = from->n_entries;
    struct device_argument *to = qs->gpu.arguments;
    size_t words = to[WORDS].value, values = from->n_trees * words * QS_BLOCKS_WORD;
    const struct gpu_array arrays[] = {
        {from->list_feature, lists * sizeof *from->list_feature, LIST_FEATURE},
        {from->list_nan_left, lists * sizeof *from->list_nan_left, LIST_NAN_LEFT},
        {from->list_begin, (lists + 1) * sizeof *from->list_begin, LIST_BEGIN},
        {from->threshold, entries * sizeof *from->threshold, THRESHOLD},
        {from->mask, entries * words * sizeof *from->mask, MASK},
        {from->tree, entries * sizeof *from->tree, TREE},
        {from->values, values * sizeof *from->values, VALUES}};
    to[N_LISTS].value = from->n_lists;
    to[N_TREES].value = from->n_trees;
    to[OUTPUT].value = from->output;
    enum status status = gpu_scorer_upload(&qs->gpu, arrays, sizeof arrays / sizeof *arrays, error);
    memcpy(block->arguments, to + GPU_OWN, sizeof block->arguments);
    return status;
}

static enum status upload(struct qs_gpu *qs, const struct qs_tree_blocks *blocks,
                          struct error *error) {
    enum status status = STATUS_OK;
    qs->gpu.arguments[WORDS].value = blocks->words;
    qs->blocks = memory_pool_array(&qs->gpu.scorer.pool, blocks->n_blocks, sizeof *qs->blocks);
    if (!qs->blocks)
        return error_memory(error, "blocks of trees");
    for (size_t i = 0; !status && i < blocks->n_blocks; i++) {
        const struct qs_tree_block *from = &blocks->blocks[i];
        struct block *block = &qs->blocks[qs->n_blocks++];
        block->threads = threads_of(qs, from->n_trees);
        qs->most_lists = from->n_lists > qs->most_lists ? from->n_lists : qs->most_lists;
        status = upload_block(qs, from, block, error);
    }
    if (!status && qs->most_lists > MOST_LISTS)
        return error_set(error, STATUS_UNSUPPORTED, "qs-gpu: %u lists; the limit is %d",
                         qs->most_lists, (int)MOST_LISTS);
    return status;
}

static enum status make(struct gpu_scorer *gpu, const struct ensemble *ensemble,
                        const struct options *options, struct error *error) {
    struct qs_gpu *qs = (struct qs_gpu *)gpu;
    struct qs_tree_blocks blocks = {0};
    qs->leaves = qs_blocks_leaves(ensemble, "qs-gpu", error);
    if (!qs->leaves)
        return STATUS_UNSUPPORTED;
    enum status status = read_tau(qs, ensemble, options, error);
    if (!status)
        status = read_threads(qs, options, error);
    if (!status)
        status = qs_blocks_build(ensemble, qs->tau, qs->leaves, &blocks, error);
    if (!status)
        status = upload(qs, &blocks, error);
    memory_pool_free(&blocks.pool);
    const struct gpu_buffer pivots = {PIVOTS, qs->most_lists * sizeof(uint32_t)};
    return status ? status : gpu_scorer_reserve(&qs->gpu, options, &pivots, 1, error);
}

static enum status build(const struct impl *impl, const struct ensemble *ensemble,
                         const struct options *options, struct scorer **scorer,
                         struct error *error) {
    static const struct gpu_kind kind = {
        .bytes = sizeof(struct qs_gpu),
        .program = "qs",
        .kernels = {{"find_false_nodes",
                     DEVICE_SCORING,
                     {GPU_COLUMNS, GPU_STRIDE, LIST_FEATURE, LIST_NAN_LEFT, LIST_BEGIN, THRESHOLD,
                      N_LISTS, GPU_DOCUMENTS, PIVOTS}},
                    {"update_scores",
                     DEVICE_SCORING,
                     {PIVOTS, LIST_BEGIN, N_LISTS, MASK, TREE, VALUES, N_TREES, WORDS,
                      GPU_DOCUMENTS, GPU_SCORES, GPU_OUTPUTS, OUTPUT}}},
        .make = make,
        .run = run};
    return gpu_scorer_build(impl, &kind, ensemble, options, scorer, error);
}

static const struct impl_param params[] = {
    {"tau", "trees per block: a number, all, or auto (blocks that fit L2)", "1 20 auto", "auto"},
    {"threads", "threads per block of updateScores; 0: by the paper's policy", "0 64", "0"},
    {"blocks", "most blocks of threads, each for one document at a time", "3 65535", "65535"},
    GPU_BATCH_PARAM,
    {NULL, NULL, NULL, NULL}};

const struct impl impl_qs_gpu = {.name = "qs-gpu",
                                 .title = "GPU-QUICKSCORER",
                                 .lambda = 4,
                                 .source = "lettich2018 section 6",
                                 .params = params,
                                 .build = build,
                                 GPU_FACTS};
