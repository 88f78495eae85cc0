#include "models/nested_tree.h"

#include "base/memory.h"

#include <stdio.h>

uint32_t nested_tree_number(const struct nested_tree *t) {
    return t->open[t->n_open - 1].number;
}

struct nested_node *nested_tree_node(struct nested_tree *t) {
    return &t->nodes[nested_tree_number(t)];
}

enum status nested_tree_wrong(const struct nested_tree *t, const char *key, const char *expected) {
    return json_stream_error(t->stream, t->error, "tree %u, node %u: %s: expected %s", t->tree,
                             nested_tree_number(t), key, expected);
}

enum status nested_tree_integer(const struct nested_tree *t, const char *key, int64_t largest,
                                int64_t *value) {
    struct json_token token;
    enum status status = json_stream_next(t->stream, &token, t->error);
    if (status)
        return status;
    if (token.kind != JSON_NUMBER || !token.is_integer || token.integer < 0 ||
        token.integer > largest) {
        char expected[64];
        snprintf(expected, sizeof expected, "an integer from 0 to %lld", (long long)largest);
        return nested_tree_wrong(t, key, expected);
    }
    *value = token.integer;
    return STATUS_OK;
}

static enum status begin_node(struct nested_tree *t) {
    if (t->n_nodes == UINT32_MAX ||
        !memory_grow((void **)&t->nodes, &t->capacity, t->n_nodes, sizeof *t->nodes))
        return error_memory(t->error, "the nodes of a tree");
    t->open[t->n_open].number = (uint32_t)t->n_nodes;
    t->open[t->n_open++].seen = 0;
    t->nodes[t->n_nodes++] = (struct nested_node){.split.count = ENSEMBLE_NO_COUNT};
    return t->format->begin ? t->format->begin(t->data) : STATUS_OK;
}

static enum status begin_child(struct nested_tree *t, const char *key, uint32_t *child) {
    struct json_token token;
    enum status status = json_stream_next(t->stream, &token, t->error);
    if (!status && token.kind != JSON_OBJECT)
        status = nested_tree_wrong(t, key, "an object (the child node)");
    if (status)
        return status;
    *child = (uint32_t)t->n_nodes;
    return begin_node(t);
}

static enum status check_member(const struct nested_tree *t, bool is_leaf, bool seen, bool belongs,
                                bool is_required, const char *name) {
    if (seen ? belongs : !belongs || !is_required)
        return STATUS_OK;
    return json_stream_error(t->stream, t->error, "tree %u, node %u: %s%s %s %s", t->tree,
                             nested_tree_number(t), is_leaf ? "a leaf" : "a node without ",
                             is_leaf ? "" : t->format->members[0].name,
                             seen ? "must not have" : "needs", name);
}

static enum status end_node(struct nested_tree *t) {
    const struct inner_node *split = &nested_tree_node(t)->split;
    uint32_t seen = t->open[t->n_open - 1].seen;
    bool is_leaf = seen & 1;
    enum status status = STATUS_OK;
    for (unsigned m = 0; m < t->format->n_members && !status; m++) {
        const struct nested_member *member = &t->format->members[m];
        status =
            check_member(t, is_leaf, seen >> m & 1, is_leaf ? member->of_leaves : member->of_inner,
                         member->is_required, member->name);
    }
    if (!status)
        status = check_member(t, is_leaf, split->left, !is_leaf, true, t->format->left);
    if (!status)
        status = check_member(t, is_leaf, split->right, !is_leaf, true, t->format->right);
    t->n_open--;
    return status;
}

static enum status wrong_key(const struct nested_tree *t, const struct json_token *key,
                             const char *why) {
    return json_stream_error(t->stream, t->error, "tree %u, node %u: %.*s: %s", t->tree,
                             nested_tree_number(t), (int)(key->size < 100 ? key->size : 100),
                             key->text, why);
}

/* Reads the next member of the open node, or its end. */
static enum status read_member(struct nested_tree *t) {
    const struct nested_format *format = t->format;
    struct inner_node *split = &nested_tree_node(t)->split;
    struct json_token key;
    enum status status = json_stream_next(t->stream, &key, t->error);
    if (status)
        return status;
    if (key.kind == JSON_OBJECT_END)
        return end_node(t);
    bool is_left = json_token_is(&key, format->left);
    if (is_left || json_token_is(&key, format->right)) {
        uint32_t *child = is_left ? &split->left : &split->right;
        return *child ? wrong_key(t, &key, "duplicate key")
                      : begin_child(t, is_left ? format->left : format->right, child);
    }
    unsigned m = 0;
    while (m < format->n_members && !json_token_is(&key, format->members[m].name))
        m++;
    if (m == format->n_members)
        return wrong_key(t, &key, "unknown key, which may change the scores");
    uint32_t *seen = &t->open[t->n_open - 1].seen;
    if (*seen >> m & 1)
        return wrong_key(t, &key, "duplicate key");
    *seen |= 1U << m;
    return format->members[m].read ? format->members[m].read(t->data)
                                   : json_stream_skip(t->stream, t->error);
}

/* Without recursion, so that a deep tree needs no deep stack. */
enum status nested_tree_read(struct nested_tree *t) {
    t->n_nodes = 0;
    t->n_open = 0;
    enum status status = begin_node(t);
    while (!status && t->n_open)
        status = read_member(t);
    return status;
}
