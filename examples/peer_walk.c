/* A peer that walks trees one node after the other. It reads LightGBM's text as treebench writes
 * it: without categories, and with a side for NaN in each node.
 *
 *     cc -O2 -shared -fPIC peer_walk.c -o walk.so
 *     treebench compare --peer ./walk.so --model m.txt --data d.txt */
#include <treebench_peer.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum part { FEATURE, THRESHOLD, DECISION, LEFT, RIGHT, LEAF, PARTS };
static const char *const keys[PARTS] = {
    "split_feature=", "threshold=", "decision_type=", "left_child=", "right_child=", "leaf_value="};
enum { NAN_GOES_LEFT = 2 };

struct tree {
    double *part[PARTS]; /* a child below 0 is a leaf: -1 is leaf 0 */
    size_t size[PARTS];
};
struct model {
    uint32_t n_features, n_outputs;
    size_t n_trees;
    struct tree *trees; /* of output 0, 1, ..., 0, 1, ... */
};

static char failure[300];

/* --- opening ---------------------------------------------------------------------------------- */

static void read_numbers(const char *text, double **numbers, size_t *count) {
    char *end;
    *numbers = malloc((strlen(text) + 1) * sizeof **numbers); /* more than there are */
    for (*count = 0; *numbers; text = end, ++*count) {
        (*numbers)[*count] = strtod(text, &end);
        if (end == text)
            return;
    }
}

/* Returns what follows the key, or NULL. */
static const char *after(const char *line, const char *key) {
    return strncmp(line, key, strlen(key)) == 0 ? line + strlen(key) : NULL;
}

static void read_line(struct model *m, const char *line) {
    const char *value;
    if ((value = after(line, "max_feature_idx=")))
        m->n_features = (uint32_t)atoi(value) + 1;
    if ((value = after(line, "num_tree_per_iteration=")))
        m->n_outputs = (uint32_t)atoi(value);
    if (after(line, "Tree=")) {
        m->trees = realloc(m->trees, (m->n_trees + 1) * sizeof *m->trees);
        memset(&m->trees[m->n_trees++], 0, sizeof *m->trees);
    }
    for (int i = 0; m->n_trees && i < PARTS; i++) {
        struct tree *tree = &m->trees[m->n_trees - 1];
        if ((value = after(line, keys[i])) && !tree->part[i])
            read_numbers(value, &tree->part[i], &tree->size[i]);
    }
}

static void close_model(void *model) {
    struct model *m = model;
    for (size_t i = 0; i < m->n_trees * PARTS; i++)
        free(m->trees[i / PARTS].part[i % PARTS]);
    free(m->trees);
    free(m);
}

static void *open_model(const char *path, const char *options) {
    struct model *m = calloc(1, sizeof *m);
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    (void)options;
    while (m && file && getline(&line, &size, file) > 0)
        read_line(m, line);
    free(line);
    if (file)
        fclose(file);
    if (m && m->n_outputs)
        return m;
    snprintf(failure, sizeof failure, "%s cannot be read, or is not LightGBM's text", path);
    if (m)
        close_model(m);
    return NULL;
}

/* --- scoring ---------------------------------------------------------------------------------- */

static double walk(const struct tree *tree, const float *row) {
    int node = tree->size[LEFT] ? 0 : -1;
    while (node >= 0) {
        double x = row[(size_t)tree->part[FEATURE][node]];
        int left = isnan(x) ? (int)tree->part[DECISION][node] & NAN_GOES_LEFT
                            : x <= tree->part[THRESHOLD][node];
        node = (int)tree->part[left ? LEFT : RIGHT][node];
    }
    return tree->part[LEAF][-1 - node];
}

static int score(const void *model, const float *rows, size_t stride, size_t n_rows,
                 double *scores) {
    const struct model *m = model;
    memset(scores, 0, n_rows * m->n_outputs * sizeof *scores);
    for (size_t i = 0; i < n_rows; i++)
        for (size_t t = 0; t < m->n_trees; t++)
            scores[i * m->n_outputs + t % m->n_outputs] += walk(&m->trees[t], rows + i * stride);
    return 0;
}

/* --- the peer --------------------------------------------------------------------------------- */

static uint32_t n_features(const void *model) {
    return ((const struct model *)model)->n_features;
}

static uint32_t n_outputs(const void *model) {
    return ((const struct model *)model)->n_outputs;
}

static const char *last_error(void) {
    return failure;
}

const struct treebench_peer *treebench_peer(void) {
    static const struct treebench_peer peer = {.abi = TREEBENCH_PEER_ABI,
                                               .sums = TREEBENCH_PEER_DOUBLE,
                                               .name = "walk",
                                               .version = "peer_walk.c 1.0",
                                               .formats = "lightgbm",
                                               .open = open_model,
                                               .n_features = n_features,
                                               .n_outputs = n_outputs,
                                               .score_floats = score,
                                               .close = close_model,
                                               .last_error = last_error};
    return &peer;
}
