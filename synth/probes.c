/* Creates rows that break inexact traversals.
 *
 * Every second row targets one inner node. It reaches that node with a value equal to the
 * threshold, or one ulp below or above it. The nodes take turns in random order, so 6 rows per node
 * cover all three cases for every threshold. The other rows mix thresholds of many nodes with
 * special values, so that one row contains both NaN and infinities. */
#include "synth/synth.h"

#include "base/memory.h"
#include "base/random.h"
#include "synth/by_feature.h"
#include "synth/path.h"
#include "synth/stream.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct prober {
    const struct ensemble *ensemble;
    struct path *path;
    struct target {
        uint32_t tree, node; /* `node` is the index in the tree */
    } * targets;             /* [n_nodes] in random order */
    struct by_feature nodes;
    bool is_wide; /* rows overlap in memory, so only tested features are set (create_wide) */
    struct random random;
};

static void prober_free(struct prober *prober) {
    path_free(prober->path);
    free(prober->targets);
    by_feature_free(&prober->nodes);
}

static void shuffle_targets(struct prober *prober, uint64_t seed) {
    const struct ensemble *e = prober->ensemble;
    struct random random;
    random_seed(&random, random_derive(seed, STREAM_TARGETS));
    size_t i = 0;
    for (uint32_t t = 0; t < e->n_trees; t++) {
        for (uint32_t node = 0; node < ensemble_tree_nodes(e, t); node++, i++) {
            size_t j = (size_t)random_below(&random, i + 1);
            prober->targets[i] = prober->targets[j];
            prober->targets[j] = (struct target){t, node};
        }
    }
}

static enum status prober_init(struct prober *prober, const struct ensemble *ensemble,
                               uint64_t seed, struct error *error) {
    *prober = (struct prober){.ensemble = ensemble};
    enum status status = path_create(ensemble, &prober->path, error);
    if (status)
        return status;
    /* + 1 because malloc(0) may return NULL */
    prober->targets = malloc((ensemble->n_nodes + 1) * sizeof *prober->targets);
    if (!by_feature_make(ensemble, &prober->nodes) || !prober->targets) {
        prober_free(prober);
        return error_memory(error, "probes");
    }
    shuffle_targets(prober, seed);
    random_seed(&prober->random, random_derive(seed, STREAM_PROBES));
    return STATUS_OK;
}

/* Returns the float below the threshold, the float above it, or the threshold itself. */
static float beside(float threshold, uint64_t side) {
    switch (side) {
    case 0:
        return nextafterf(threshold, -INFINITY);
    case 1:
        return nextafterf(threshold, INFINITY);
    default:
        return threshold;
    }
}

static float special_value(struct random *random) {
    static const float values[] = {NAN,       NAN,       0.0f,       -0.0f,   INFINITY,
                                   -INFINITY, 0x1p-149f, -0x1p-149f, FLT_MAX, -FLT_MAX};
    return values[random_below(random, sizeof values / sizeof *values)];
}

struct span_of_nodes {
    size_t begin, end; /* range in by_feature.nodes */
};

static struct span_of_nodes nodes_of(const struct prober *prober, size_t place) {
    return (struct span_of_nodes){prober->nodes.begin[place], prober->nodes.begin[place + 1]};
}

/* Draws a value near a threshold, a special value, or a random value. */
static float mixed_value(struct prober *prober, struct span_of_nodes nodes) {
    struct random *random = &prober->random;
    size_t begin = nodes.begin, count = nodes.end - begin;
    uint64_t kind = random_below(random, 8);
    if (kind == 0)
        return special_value(random);
    if (kind < 4 || count == 0)
        return random_float(random);
    size_t node = prober->nodes.nodes[begin + (size_t)random_below(random, count)];
    return beside(by_feature_cut(prober->ensemble, node, random), random_below(random, 3));
}

static void fill_mixed(struct prober *prober, float *row) {
    const struct by_feature *nodes = &prober->nodes;
    const struct span_of_nodes none = {0, 0};
    size_t place = 0;
    if (prober->is_wide) {
        for (; place < nodes->n_tested; place++)
            row[nodes->tested[place]] = mixed_value(prober, nodes_of(prober, place));
        return;
    }
    for (uint32_t f = 0; f < prober->ensemble->n_features; f++) {
        bool is_tested = place < nodes->n_tested && nodes->tested[place] == f;
        row[f] = mixed_value(prober, is_tested ? nodes_of(prober, place) : none);
        place += is_tested;
    }
}

/* Draws a random leaf below a node. */
static uint32_t leaf_under(struct prober *prober, struct target target) {
    const struct ensemble *e = prober->ensemble;
    int32_t child = (int32_t)target.node;
    while (child >= 0) {
        size_t node = e->tree_node[target.tree] + (size_t)child;
        child = random_below(&prober->random, 2) ? e->left[node] : e->right[node];
    }
    return (uint32_t)~child;
}

static void fill_random(struct prober *prober, float *row) {
    const struct by_feature *nodes = &prober->nodes;
    if (!prober->is_wide)
        path_fill_row(&prober->random, row, prober->ensemble->n_features);
    for (size_t i = 0; prober->is_wide && i < nodes->n_tested; i++)
        row[nodes->tested[i]] = random_float(&prober->random);
}

static void fill_aimed(struct prober *prober, size_t shot, float *row) {
    const struct ensemble *e = prober->ensemble;
    struct target target = prober->targets[shot / 3 % e->n_nodes];
    fill_random(prober, row);
    /* If no finite values reach the leaf, any row is a valid probe. */
    path_lead(prober->path, target.tree, leaf_under(prober, target), &prober->random, row);
    size_t node = e->tree_node[target.tree] + target.node;
    row[e->feature[node]] = beside(by_feature_cut(e, node, &prober->random), shot % 3);
}

/* --- very wide rows --------------------------------------------------------------------------- */

/* Are the tested features different modulo the stride? If so, rows do not share their values. */
static bool keeps_apart(const struct by_feature *nodes, size_t stride, unsigned char *taken) {
    memset(taken, 0, stride);
    for (size_t i = 0; i < nodes->n_tested; i++) {
        size_t place = nodes->tested[i] % stride;
        if (taken[place])
            return false;
        taken[place] = 1;
    }
    return true;
}

/* Finds the smallest stride at which rows share no value of a tested feature. If none is found
 * soon, some values are shared; such rows are still valid probes. Returns `apart`, at which rows do
 * not overlap, if there is no smaller stride. */
static size_t find_stride(const struct by_feature *nodes, size_t apart) {
    enum { STEP = MEMORY_ALIGNMENT / sizeof(float), TRIES = 4096 };
    size_t stride = nodes->n_tested / STEP * STEP;
    unsigned char *taken = malloc(stride + ((size_t)TRIES + 1) * STEP);
    bool found = false, tried = false;
    for (int i = 0; taken && i < TRIES && !found && stride + STEP < apart; i++) {
        stride += STEP;
        found = keeps_apart(nodes, stride, taken);
        tried = true;
    }
    free(taken);
    return tried ? stride : apart;
}

/* If rows have millions of features and few of them are tested, rows overlap in memory. All rows
 * together then need little more memory than one row, and pages without a tested feature are never
 * touched. */
static enum status create_wide(const struct prober *prober, size_t n_rows, size_t apart,
                               struct matrix **matrix, struct error *error) {
    size_t stride = find_stride(&prober->nodes, apart), bytes;
    struct matrix *made = calloc(1, sizeof *made);
    float *values = MAP_FAILED;
    if (made && memory_multiply((n_rows - 1) * stride + apart, sizeof *values, &bytes))
        values = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (values == MAP_FAILED) {
        free(made);
        return error_memory(error, "probes");
    }
    *made = (struct matrix){.n_rows = n_rows,
                            .n_features = prober->ensemble->n_features,
                            .n_named = prober->ensemble->n_features,
                            .stride = stride,
                            .values = values,
                            .mapping = values,
                            .mapping_size = bytes};
    *matrix = made;
    return STATUS_OK;
}

static enum status create_rows(struct prober *prober, size_t n_rows, struct matrix **matrix,
                               struct error *error) {
    enum { FLOATS_PER_LINE = MEMORY_ALIGNMENT / sizeof(float), WIDE = 1 << 24 };
    uint32_t n_features = prober->ensemble->n_features;
    size_t apart = ((size_t)n_features + FLOATS_PER_LINE - 1) / FLOATS_PER_LINE * FLOATS_PER_LINE;
    prober->is_wide = n_rows > 0 && apart > WIDE / n_rows && prober->nodes.n_tested < apart / 4;
    return prober->is_wide ? create_wide(prober, n_rows, apart, matrix, error)
                           : matrix_create(n_rows, n_features, matrix, error);
}

enum status synth_probes(const struct ensemble *ensemble, size_t n_rows, uint64_t seed,
                         struct matrix **matrix, struct error *error) {
    struct prober prober;
    enum status status = prober_init(&prober, ensemble, seed, error);
    if (status)
        return status;
    status = create_rows(&prober, n_rows, matrix, error);
    for (size_t r = 0; !status && r < n_rows; r++) {
        if (r % 2 && ensemble->n_nodes)
            fill_aimed(&prober, r / 2, matrix_row(*matrix, r));
        else
            fill_mixed(&prober, matrix_row(*matrix, r));
    }
    prober_free(&prober);
    return status;
}
