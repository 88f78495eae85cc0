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
#include "base/number.h"
#include "models/formats.h"
#include "models/nested_tree.h"
#include "models/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_COUNT ((int64_t)1 << 53) /* JSON readers that use doubles round larger counts */
#define SHARES_TOLERANCE 1e-6            /* largest deviation of the sum of shares from 1 */

struct archforest_reader {
    struct json_stream stream;
    struct error *error;
    struct nested_tree tree;
    uint32_t n_features, n_classes;
    struct ensemble_builder *builder;
};

/* --- values ----------------------------------------------------------------------------------- */

static enum status next_token(struct archforest_reader *r, struct json_token *token) {
    return json_stream_next(&r->stream, token, r->error);
}

static bool to_share(const struct json_token *token, double *value) {
    return json_token_double(token, value) && *value >= 0 && *value <= 1;
}

/* --- members of a node ------------------------------------------------------------------------ */

static enum status read_samples(void *data) {
    struct archforest_reader *r = data;
    int64_t samples = 0;
    enum status status = nested_tree_integer(&r->tree, "numSamples", LARGEST_COUNT, &samples);
    nested_tree_node(&r->tree)->split.count = (uint64_t)samples;
    return status;
}

static enum status read_id(void *data) {
    struct archforest_reader *r = data;
    int64_t id;
    return nested_tree_integer(&r->tree, "id", INT64_MAX, &id);
}

/* Probabilities are ignored: the counts hold the same information with more digits. */
static enum status read_probability(void *data) {
    struct archforest_reader *r = data;
    struct json_token token;
    double share;
    enum status status = next_token(r, &token);
    if (!status && !to_share(&token, &share))
        status = nested_tree_wrong(&r->tree, "probLeft, probRight", "a number from 0 to 1");
    return status;
}

static enum status read_categorical(void *data) {
    struct archforest_reader *r = data;
    struct json_token token;
    enum status status = next_token(r, &token);
    if (status)
        return status;
    if (json_token_is(&token, "True") || token.kind == JSON_TRUE)
        return json_stream_error(&r->stream, r->error,
                                 "tree %u, node %u: categorical splits (x == split) are not "
                                 "supported; isCategorical must be \"False\" (x <= split)",
                                 r->tree.tree, nested_tree_number(&r->tree));
    if (!json_token_is(&token, "False") && token.kind != JSON_FALSE)
        return nested_tree_wrong(&r->tree, "isCategorical", "\"False\"");
    return STATUS_OK;
}

static enum status read_feature(void *data) {
    struct archforest_reader *r = data;
    int64_t feature = 0;
    enum status status =
        nested_tree_integer(&r->tree, "feature", ENSEMBLE_MAX_FEATURES - 1, &feature);
    nested_tree_node(&r->tree)->split.feature = (uint32_t)feature;
    if (!status && feature >= r->n_features)
        r->n_features = (uint32_t)feature + 1;
    return status;
}

static enum status read_split(void *data) {
    struct archforest_reader *r = data;
    struct json_token token;
    double split;
    enum status status = next_token(r, &token);
    if (status)
        return status;
    if (!json_token_double(&token, &split))
        return nested_tree_wrong(&r->tree, "split", "a finite number");
    nested_tree_node(&r->tree)->split.threshold = number_round_down(split);
    return STATUS_OK;
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
            return nested_tree_wrong(
                &r->tree, "prediction",
                "at most 100000 shares from 0 to 1; weighted votes are not supported");
        sum += share;
        if (share > largest) {
            largest = share;
            *vote = *n_shares;
        }
    }
    return fabs(sum - 1) <= SHARES_TOLERANCE
               ? STATUS_OK
               : nested_tree_wrong(&r->tree, "prediction",
                                   "shares with a sum of 1; weighted votes are not supported");
}

static enum status read_prediction(void *data) {
    struct archforest_reader *r = data;
    struct json_token token;
    uint32_t n_shares, vote = 0;
    enum status status = next_token(r, &token);
    if (status)
        return status;
    if (token.kind != JSON_ARRAY)
        return nested_tree_wrong(&r->tree, "prediction", "an array (the shares of the classes)");
    if ((status = read_shares(r, &n_shares, &vote)))
        return status;
    if (!r->n_classes)
        r->n_classes = n_shares;
    if (n_shares != r->n_classes || n_shares < 2) {
        char expected[64];
        snprintf(expected, sizeof expected, "%u shares, as in the first leaf", r->n_classes);
        return nested_tree_wrong(&r->tree, "prediction",
                                 n_shares < 2 ? "at least 2 shares" : expected);
    }
    nested_tree_node(&r->tree)->value = vote;
    return STATUS_OK;
}

static const struct nested_member members[] = {
    {"prediction", read_prediction, false, true, true},
    {"id", read_id, true, true, false},
    {"numSamples", read_samples, true, true, true},
    {"probLeft", read_probability, true, false, false},
    {"probRight", read_probability, true, false, false},
    {"isCategorical", read_categorical, true, false, true},
    {"feature", read_feature, true, false, true},
    {"split", read_split, true, false, true},
};
static const struct nested_format format = {members, sizeof members / sizeof *members, "leftChild",
                                            "rightChild", NULL};

/* --- trees ------------------------------------------------------------------------------------ */

static void build_tree(struct archforest_reader *r) {
    ensemble_builder_add_tree(r->builder, 0);
    for (size_t i = 0; i < r->tree.n_nodes; i++) {
        const struct nested_node *node = &r->tree.nodes[i];
        if (node->split.left)
            ensemble_builder_add_inner(r->builder, &node->split);
        else
            ensemble_builder_add_leaf(r->builder, node->value, node->split.count);
    }
}

static enum status read_trees(struct archforest_reader *r) {
    struct json_token token;
    enum status status = next_token(r, &token);
    if (!status && token.kind != JSON_ARRAY)
        status = json_stream_error(&r->stream, r->error, "expected an array of trees");
    for (; !status && !(status = next_token(r, &token)) && token.kind != JSON_ARRAY_END;
         r->tree.tree++) {
        if (token.kind != JSON_OBJECT)
            return json_stream_error(&r->stream, r->error, "tree %u: expected an object (the root)",
                                     r->tree.tree);
        if (!(status = nested_tree_read(&r->tree)))
            build_tree(r);
    }
    return status ? status : next_token(r, &token); /* the end of the file */
}

static enum status archforest_read(const char *name, const char *text, size_t size,
                                   struct ensemble **ensemble, struct error *error) {
    struct archforest_reader r = {.error = error};
    r.tree =
        (struct nested_tree){.stream = &r.stream, .error = error, .format = &format, .data = &r};
    json_stream_open_text(&r.stream, name, text, size);
    r.builder = ensemble_builder_create();
    if (!r.builder)
        return error_memory(error, "a model");
    enum status status = read_trees(&r);
    free(r.tree.nodes);
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
