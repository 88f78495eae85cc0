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
#include "models/formats.h"
#include "models/nested_tree.h"
#include "models/reader.h"

#include <math.h>
#include <stdlib.h>

#define LARGEST_COUNT ((int64_t)1 << 53) /* JSON readers that use doubles round larger counts */
#define SHARES_TOLERANCE 1e-6            /* largest deviation of the sum of shares from 1 */

struct archforest_reader {
    struct json_reader json;
    struct nested_tree tree;
    uint32_t n_features, n_classes;
    struct ensemble_builder *builder;
};

struct archforest_node {
    struct nested_node child;
    uint32_t feature, vote;
    uint64_t id, samples;
    double split;
};

static bool to_share(const struct json_token *token, double *value) {
    return json_token_double(token, value) && *value >= 0 && *value <= 1;
}

/* --- members of a node ------------------------------------------------------------------------ */

/* Probabilities are only checked: the counts hold the same information with more digits. */
static enum status check_share(void *data, const struct json_member *member,
                               const struct json_token *token) {
    struct archforest_reader *r = data;
    double share;
    return to_share(token, &share) ? STATUS_OK
                                   : json_wrong(&r->json, member->name, "a number from 0 to 1");
}

static enum status check_categorical(void *data, const struct json_member *member,
                                     const struct json_token *token) {
    struct archforest_reader *r = data;
    if (json_token_is(token, "True") || token->kind == JSON_TRUE)
        return json_fail(&r->json, "categorical splits (x == split) are not supported; "
                                   "isCategorical must be \"False\" (x <= split)");
    return json_token_is(token, "False") || token->kind == JSON_FALSE
               ? STATUS_OK
               : json_wrong(&r->json, member->name, "\"False\"");
}

/* Reads the shares of the classes. Sets *n_shares to the number of classes and *vote to the first
 * class with the largest share. */
static enum status read_shares(struct archforest_reader *r, uint32_t *n_shares, uint32_t *vote) {
    double share, largest = -1, sum = 0;
    struct json_token token;
    enum status status = STATUS_OK;
    for (*n_shares = 0; json_read_item(&r->json, &token, &status); ++*n_shares) {
        if (*n_shares == ENSEMBLE_MAX_OUTPUTS || !to_share(&token, &share))
            return json_wrong(
                &r->json, "prediction",
                "at most 100000 shares from 0 to 1; weighted votes are not supported");
        sum += share;
        if (share > largest) {
            largest = share;
            *vote = *n_shares;
        }
    }
    return status || fabs(sum - 1) <= SHARES_TOLERANCE
               ? status
               : json_wrong(&r->json, "prediction",
                            "shares with a sum of 1; weighted votes are not supported");
}

static enum status read_prediction(void *data, const struct json_member *member) {
    struct archforest_reader *r = data;
    struct archforest_node *node = nested_tree_node(&r->tree);
    uint32_t n_shares;
    enum status status = json_begin(&r->json, member->name, JSON_ARRAY);
    if (status || (status = read_shares(r, &n_shares, &node->vote)))
        return status;
    if (!r->n_classes)
        r->n_classes = n_shares;
    if (n_shares != r->n_classes || n_shares < 2) {
        char expected[64];
        snprintf(expected, sizeof expected, "%u shares, as in the first leaf", r->n_classes);
        return json_wrong(&r->json, "prediction", n_shares < 2 ? "at least 2 shares" : expected);
    }
    return STATUS_OK;
}

#define AT(member) .offset = offsetof(struct archforest_node, member)

static const struct nested_member members[] = {
    {JSON_REQUIRED(READ, "prediction", .read = read_prediction), .of_leaves = true},
    {JSON_OPTIONAL(U64, "id", AT(id)), .of_inner = true, .of_leaves = true},
    {JSON_REQUIRED(U64, "numSamples", AT(samples), .high = LARGEST_COUNT), true, true},
    {JSON_OPTIONAL(TAKEN, "probLeft", .take = check_share), .of_inner = true},
    {JSON_OPTIONAL(TAKEN, "probRight", .take = check_share), .of_inner = true},
    {JSON_REQUIRED(TAKEN, "isCategorical", .take = check_categorical), .of_inner = true},
    {JSON_REQUIRED(U32, "feature", AT(feature), .high = ENSEMBLE_MAX_FEATURES - 1), true, false},
    {JSON_REQUIRED(DOUBLE, "split", AT(split)), .of_inner = true},
};
static const struct nested_format format = {.members = members,
                                            .n_members = sizeof members / sizeof *members,
                                            .left = "leftChild",
                                            .right = "rightChild",
                                            .node_size = sizeof(struct archforest_node),
                                            .blank = &(const struct archforest_node){.feature = 0}};

/* --- trees ------------------------------------------------------------------------------------ */

static void add_inner(struct archforest_reader *r, const struct archforest_node *node) {
    if (node->feature >= r->n_features)
        r->n_features = node->feature + 1;
    ensemble_builder_add_inner(r->builder, &(struct inner_node){.feature = node->feature,
                                                                .threshold = node->split,
                                                                .left = node->child.left,
                                                                .right = node->child.right,
                                                                .count = node->samples});
}

static enum status read_tree(struct archforest_reader *r) {
    enum status status = nested_tree_read(&r->tree);
    const struct archforest_node *nodes = r->tree.nodes;
    ensemble_builder_add_tree(r->builder, 0);
    for (size_t i = 0; i < r->tree.n_nodes && !status; i++)
        if (nodes[i].child.left)
            add_inner(r, &nodes[i]);
        else
            ensemble_builder_add_leaf(r->builder, nodes[i].vote, nodes[i].samples);
    return status;
}

static enum status read_trees(struct archforest_reader *r) {
    struct json_token token;
    enum status status = json_read_token(&r->json, &token);
    if (!status && token.kind != JSON_ARRAY)
        status = json_fail(&r->json, "expected an array of trees");
    r->json.part = (struct json_part){"tree", 0};
    for (; json_read_item(&r->json, &token, &status); r->json.part.number++)
        status = token.kind == JSON_OBJECT ? read_tree(r)
                                           : json_fail(&r->json, "expected an object (the root)");
    return status ? status : json_read_token(&r->json, &token); /* the end of the file */
}

static enum status archforest_read(const char *name, const char *text, size_t size,
                                   struct ensemble **ensemble, struct error *error) {
    struct archforest_reader r = {.builder = ensemble_builder_create()};
    r.tree = (struct nested_tree){.json = &r.json, .format = &format, .data = &r};
    json_reader_open(&r.json, name, text, size, error);
    enum status status = read_trees(&r);
    free(r.tree.nodes);
    struct ensemble_shape shape = {
        .n_features = r.n_features, .n_outputs = r.n_classes, .votes = true};
    return reader_finish(name, status, r.builder, &shape, ensemble, error);
}

/* Recognises an array of objects that have counts near the beginning. */
static bool archforest_recognise(const char *text, size_t size) {
    return reader_finds(text, size, "[{", "\"numSamples\"");
}

const struct model_format model_format_archforest = {
    .name = "archforest",
    .title = "scikit-learn forests in arch-forest's JSON (buschjaeger2018), as votes",
    .recognise = archforest_recognise,
    .read = archforest_read,
};
