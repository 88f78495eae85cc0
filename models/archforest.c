/* Reads classification forests in the nested JSON of buschjaeger2018's code generator, arch-forest.
 * arch-forest exports scikit-learn's random forests, extremely randomised trees and decision trees:
 *
 *     [{"id": 0, "numSamples": 10, "probLeft": 0.4, "probRight": 0.6, "isCategorical": "False",
 *       "feature": 7, "split": 0.5,
 *       "leftChild": {"id": 1, "numSamples": 4, "prediction": [0.75, 0.25]},
 *       "rightChild": {"id": 2, "numSamples": 6, "prediction": [0.0, 1.0]}},
 *      ...]
 *
 * A document goes left if x <= split, compared in double; NaN goes right. As in the paper, each
 * tree casts one vote: for the class with the largest share in the exit leaf's `prediction`. If
 * several classes have this share, the vote is for the first of them. (scikit-learn itself adds up
 * the shares.)
 *
 * The score of a class is its number of votes, with one output per class, also for two classes.
 * Predictions that are not shares (the weights of a boosted forest) are rejected. */
#include "base/files/json_stream.h"
#include "base/memory.h"
#include "base/number.h"
#include "models/formats.h"
#include "models/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_COUNT ((int64_t)1 << 53) /* JSON readers that use doubles round larger counts */
#define SHARES_TOLERANCE 1e-6            /* largest deviation of the sum of shares from 1 */

enum member {
    ID,
    NUM_SAMPLES,
    PROB_LEFT,
    PROB_RIGHT,
    IS_CATEGORICAL,
    FEATURE,
    SPLIT,
    LEFT_CHILD,
    RIGHT_CHILD,
    PREDICTION,
    MEMBERS
};

struct open_node {
    uint32_t number;
    unsigned seen; /* bit m is set if member m has been read */
};

struct archforest_reader {
    struct json_stream stream;
    struct error *error;

    /* The current tree. Nodes are numbered in the order in which they begin, so parents come before
     * their children. */
    struct inner_node *nodes;
    uint32_t *votes; /* [node] class of a leaf */
    size_t n_nodes, nodes_capacity, votes_capacity;
    struct open_node open[JSON_STREAM_MAX_DEPTH]; /* the nodes on the path to the node being read */
    unsigned n_open;

    uint32_t tree, n_features, n_classes;
    struct ensemble_builder *builder;
};

/* --- values ----------------------------------------------------------------------------------- */

static struct open_node *current(struct archforest_reader *r) {
    return &r->open[r->n_open - 1];
}

/* "FILE:LINE: tree 3, node 5: KEY: expected EXPECTED" */
static enum status wrong_value(struct archforest_reader *r, const char *key, const char *expected) {
    return json_stream_error(&r->stream, r->error, "tree %u, node %u: %s: expected %s", r->tree,
                             current(r)->number, key, expected);
}

static enum status next_token(struct archforest_reader *r, struct json_token *token) {
    return json_stream_next(&r->stream, token, r->error);
}

static enum status read_integer(struct archforest_reader *r, const char *key, int64_t largest,
                                int64_t *value) {
    struct json_token token;
    enum status status = next_token(r, &token);
    if (status)
        return status;
    if (token.kind != JSON_NUMBER || !token.is_integer || token.integer < 0 ||
        token.integer > largest) {
        char expected[64];
        snprintf(expected, sizeof expected, "an integer from 0 to %lld", (long long)largest);
        return wrong_value(r, key, expected);
    }
    *value = token.integer;
    return STATUS_OK;
}

static bool to_share(const struct json_token *token, double *value) {
    return json_token_double(token, value) && *value >= 0 && *value <= 1;
}

/* --- members of a node ------------------------------------------------------------------------ */

static enum status begin_node(struct archforest_reader *r) {
    if (r->n_nodes == UINT32_MAX ||
        !memory_grow((void **)&r->nodes, &r->nodes_capacity, r->n_nodes, sizeof *r->nodes) ||
        !memory_grow((void **)&r->votes, &r->votes_capacity, r->n_nodes, sizeof *r->votes))
        return error_memory(r->error, "the nodes of a tree");
    r->open[r->n_open++] = (struct open_node){.number = (uint32_t)r->n_nodes};
    r->nodes[r->n_nodes++] = (struct inner_node){0};
    return STATUS_OK;
}

static enum status read_id(struct archforest_reader *r) {
    int64_t id;
    return read_integer(r, "id", INT64_MAX, &id);
}

static enum status read_samples(struct archforest_reader *r) {
    int64_t samples = 0;
    enum status status = read_integer(r, "numSamples", LARGEST_COUNT, &samples);
    r->nodes[current(r)->number].count = (uint64_t)samples;
    return status;
}

/* Probabilities are ignored: the counts hold the same information with more digits. */
static enum status read_probability(struct archforest_reader *r) {
    struct json_token token;
    double share;
    enum status status = next_token(r, &token);
    if (!status && !to_share(&token, &share))
        status = wrong_value(r, "probLeft, probRight", "a number from 0 to 1");
    return status;
}

static enum status read_categorical(struct archforest_reader *r) {
    struct json_token token;
    enum status status = next_token(r, &token);
    if (status)
        return status;
    if (json_token_is(&token, "True") || token.kind == JSON_TRUE)
        return json_stream_error(&r->stream, r->error,
                                 "tree %u, node %u: categorical splits (x == split) are not "
                                 "supported; isCategorical must be \"False\" (x <= split)",
                                 r->tree, current(r)->number);
    if (!json_token_is(&token, "False") && token.kind != JSON_FALSE)
        return wrong_value(r, "isCategorical", "\"False\"");
    return STATUS_OK;
}

static enum status read_feature(struct archforest_reader *r) {
    int64_t feature = 0;
    enum status status = read_integer(r, "feature", ENSEMBLE_MAX_FEATURES - 1, &feature);
    r->nodes[current(r)->number].feature = (uint32_t)feature;
    if (!status && feature >= r->n_features)
        r->n_features = (uint32_t)feature + 1;
    return status;
}

static enum status read_split(struct archforest_reader *r) {
    struct json_token token;
    double split;
    enum status status = next_token(r, &token);
    if (status)
        return status;
    if (!json_token_double(&token, &split))
        return wrong_value(r, "split", "a finite number");
    r->nodes[current(r)->number].threshold = number_round_down(split);
    return STATUS_OK;
}

static enum status begin_child(struct archforest_reader *r, const char *key, bool left) {
    struct json_token token;
    enum status status = next_token(r, &token);
    if (status)
        return status;
    if (token.kind != JSON_OBJECT)
        return wrong_value(r, key, "an object (the child node)");
    uint32_t parent = current(r)->number, child = (uint32_t)r->n_nodes;
    status = begin_node(r);
    if (!status)
        *(left ? &r->nodes[parent].left : &r->nodes[parent].right) = child;
    return status;
}

static enum status begin_left(struct archforest_reader *r) {
    return begin_child(r, "leftChild", true);
}

static enum status begin_right(struct archforest_reader *r) {
    return begin_child(r, "rightChild", false);
}

/* Reads the shares of the classes. Sets *n_shares to the number of classes and *vote to the first
 * class with the largest share. */
static enum status read_shares(struct archforest_reader *r, uint32_t *n_shares, uint32_t *vote) {
    double share, largest = -1, sum = 0;
    for (*n_shares = 0;; ++*n_shares) {
        struct json_token token;
        enum status status = next_token(r, &token);
        if (status)
            return status;
        if (token.kind == JSON_ARRAY_END)
            break;
        if (*n_shares == ENSEMBLE_MAX_OUTPUTS || !to_share(&token, &share))
            return wrong_value(
                r, "prediction",
                "at most 100000 shares from 0 to 1; weighted votes are not supported");
        sum += share;
        if (share > largest) {
            largest = share;
            *vote = *n_shares;
        }
    }
    return fabs(sum - 1) <= SHARES_TOLERANCE
               ? STATUS_OK
               : wrong_value(r, "prediction",
                             "shares with a sum of 1; weighted votes are not supported");
}

static enum status read_prediction(struct archforest_reader *r) {
    struct json_token token;
    uint32_t n_shares, vote = 0;
    enum status status = next_token(r, &token);
    if (status)
        return status;
    if (token.kind != JSON_ARRAY)
        return wrong_value(r, "prediction", "an array (the shares of the classes)");
    if ((status = read_shares(r, &n_shares, &vote)))
        return status;
    if (!r->n_classes)
        r->n_classes = n_shares;
    if (n_shares != r->n_classes || n_shares < 2) {
        char expected[64];
        snprintf(expected, sizeof expected, "%u shares, as in the first leaf", r->n_classes);
        return wrong_value(r, "prediction", n_shares < 2 ? "at least 2 shares" : expected);
    }
    r->votes[current(r)->number] = vote;
    return STATUS_OK;
}

static const struct {
    const char *name;
    enum status (*read)(struct archforest_reader *r);
    bool of_inner, of_leaves, is_required;
} members[MEMBERS] = {
    [ID] = {"id", read_id, true, true, false},
    [NUM_SAMPLES] = {"numSamples", read_samples, true, true, true},
    [PROB_LEFT] = {"probLeft", read_probability, true, false, false},
    [PROB_RIGHT] = {"probRight", read_probability, true, false, false},
    [IS_CATEGORICAL] = {"isCategorical", read_categorical, true, false, true},
    [FEATURE] = {"feature", read_feature, true, false, true},
    [SPLIT] = {"split", read_split, true, false, true},
    [LEFT_CHILD] = {"leftChild", begin_left, true, false, true},
    [RIGHT_CHILD] = {"rightChild", begin_right, true, false, true},
    [PREDICTION] = {"prediction", read_prediction, false, true, true},
};

/* --- trees ------------------------------------------------------------------------------------ */

static enum status end_node(struct archforest_reader *r) {
    bool is_leaf = current(r)->seen >> PREDICTION & 1;
    for (unsigned m = 0; m < MEMBERS; m++) {
        bool seen = current(r)->seen >> m & 1;
        bool belongs = is_leaf ? members[m].of_leaves : members[m].of_inner;
        if (seen ? !belongs : belongs && members[m].is_required)
            return json_stream_error(&r->stream, r->error, "tree %u, node %u: %s %s %s", r->tree,
                                     current(r)->number,
                                     is_leaf ? "a leaf" : "a node without a prediction",
                                     seen ? "must not have" : "needs", members[m].name);
    }
    r->n_open--;
    return STATUS_OK;
}

/* Reads the next member of the open node, or its end. */
static enum status read_member(struct archforest_reader *r) {
    struct json_token key;
    enum status status = next_token(r, &key);
    if (status)
        return status;
    if (key.kind == JSON_OBJECT_END)
        return end_node(r);
    unsigned m = 0;
    while (m < MEMBERS && !json_token_is(&key, members[m].name))
        m++;
    if (m == MEMBERS)
        return json_stream_error(&r->stream, r->error,
                                 "tree %u, node %u: %.*s: unknown key, which may change the scores",
                                 r->tree, current(r)->number,
                                 (int)(key.size < 100 ? key.size : 100), key.text);
    if (current(r)->seen >> m & 1)
        return json_stream_error(&r->stream, r->error, "tree %u, node %u: %s: duplicate key",
                                 r->tree, current(r)->number, members[m].name);
    current(r)->seen |= 1U << m;
    return members[m].read(r);
}

static void build_tree(struct archforest_reader *r) {
    ensemble_builder_add_tree(r->builder, 0);
    for (size_t i = 0; i < r->n_nodes; i++) {
        const struct inner_node *node = &r->nodes[i];
        if (node->left)
            ensemble_builder_add_inner(r->builder, node);
        else
            ensemble_builder_add_leaf(r->builder, r->votes[i], node->count);
    }
}

/* Reads the rest of a tree after its "{". */
static enum status read_tree(struct archforest_reader *r) {
    r->n_nodes = 0;
    enum status status = begin_node(r);
    while (!status && r->n_open)
        status = read_member(r);
    if (!status)
        build_tree(r);
    return status;
}

static enum status read_trees(struct archforest_reader *r) {
    struct json_token token;
    enum status status = next_token(r, &token);
    if (!status && token.kind != JSON_ARRAY)
        status = json_stream_error(&r->stream, r->error, "expected an array of trees");
    for (; !status && !(status = next_token(r, &token)) && token.kind != JSON_ARRAY_END;
         r->tree++) {
        if (token.kind != JSON_OBJECT)
            return json_stream_error(&r->stream, r->error, "tree %u: expected an object (the root)",
                                     r->tree);
        status = read_tree(r);
    }
    return status ? status : next_token(r, &token); /* the end of the file */
}

static enum status archforest_read(const char *name, const char *text, size_t size,
                                   struct ensemble **ensemble, struct error *error) {
    struct archforest_reader r = {.error = error};
    json_stream_open_text(&r.stream, name, text, size);
    r.builder = ensemble_builder_create();
    if (!r.builder)
        return error_memory(error, "a model");
    enum status status = read_trees(&r);
    free(r.nodes);
    free(r.votes);
    struct ensemble_shape shape = {
        .n_features = r.n_features, .n_outputs = r.n_classes, .votes = true};
    if (!status)
        return reader_finish(name, r.builder, &shape, ensemble, error);
    ensemble_builder_free(r.builder);
    return status;
}

/* Recognises an array of objects that have counts near the beginning. */
static bool archforest_recognise(const char *text, size_t size) {
    static const char word[] = "\"numSamples\"", space[] = " \t\r\n";
    size_t near = size < 4096 ? size : 4096, at = 0;
    while (at < near && text[at] && strchr(space, text[at]))
        at++;
    if (at == near || text[at++] != '[')
        return false;
    while (at < near && text[at] && strchr(space, text[at]))
        at++;
    return at < near && text[at] == '{' && memmem(text, near, word, sizeof word - 1);
}

const struct model_format model_format_archforest = {
    .name = "archforest",
    .title = "scikit-learn forests in arch-forest's JSON (buschjaeger2018), as votes",
    .recognise = archforest_recognise,
    .read = archforest_read,
};
