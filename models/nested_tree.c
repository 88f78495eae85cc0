#include "models/nested_tree.h"

#include "base/memory.h"

#include <string.h>

static void *node_at(struct nested_tree *t, size_t number) {
    return (char *)t->nodes + number * t->format->node_size;
}

void *nested_tree_node(struct nested_tree *t) {
    return node_at(t, t->open[t->n_open - 1].number);
}

static enum status begin_node(struct nested_tree *t) {
    if (t->n_nodes == UINT32_MAX ||
        !memory_grow(&t->nodes, &t->capacity, t->n_nodes, t->format->node_size))
        return error_memory(t->json->error, "the nodes of a tree");
    t->json->inner = (struct json_part){"node", t->n_nodes};
    t->open[t->n_open].number = (uint32_t)t->n_nodes;
    t->open[t->n_open++].seen = 0;
    memcpy(node_at(t, t->n_nodes++), t->format->blank, t->format->node_size);
    return STATUS_OK;
}

static enum status begin_child(struct nested_tree *t, const char *key, uint32_t *child) {
    if (*child)
        return json_fail(t->json, "%s: duplicate key", key);
    enum status status = json_begin(t->json, key, JSON_OBJECT);
    *child = (uint32_t)t->n_nodes;
    return status ? status : begin_node(t);
}

static enum status check_member(const struct nested_tree *t, bool is_leaf, bool seen, bool belongs,
                                bool is_required, const char *name) {
    if (seen ? belongs : !belongs || !is_required)
        return STATUS_OK;
    return json_fail(t->json, "%s%s %s %s", is_leaf ? "a leaf" : "a node without ",
                     is_leaf ? "" : t->format->members[0].member.name,
                     seen ? "must not have" : "needs", name);
}

static enum status end_node(struct nested_tree *t) {
    const struct nested_node *node = nested_tree_node(t);
    uint32_t seen = t->open[t->n_open - 1].seen;
    bool is_leaf = seen & 1;
    enum status status = STATUS_OK;
    for (unsigned m = 0; m < t->format->n_members && !status; m++) {
        const struct nested_member *of_node = &t->format->members[m];
        status = check_member(t, is_leaf, seen >> m & 1,
                              is_leaf ? of_node->of_leaves : of_node->of_inner,
                              of_node->member.is_required, of_node->member.name);
    }
    if (!status)
        status = check_member(t, is_leaf, node->left, !is_leaf, true, t->format->left);
    if (!status)
        status = check_member(t, is_leaf, node->right, !is_leaf, true, t->format->right);
    if (--t->n_open)
        t->json->inner.number = t->open[t->n_open - 1].number;
    return status;
}

/* Reads the next member of the open node, or its end. */
static enum status read_member(struct nested_tree *t) {
    const struct nested_format *format = t->format;
    struct nested_node *node = nested_tree_node(t);
    struct json_token key;
    enum status status = json_read_token(t->json, &key);
    if (status)
        return status;
    if (key.kind == JSON_OBJECT_END)
        return end_node(t);
    if (json_token_is(&key, format->left))
        return begin_child(t, format->left, &node->left);
    if (json_token_is(&key, format->right))
        return begin_child(t, format->right, &node->right);
    unsigned m = 0;
    while (m < format->n_members && !json_token_is(&key, format->members[m].member.name))
        m++;
    if (m == format->n_members && format->skip_unknown)
        return json_stream_skip(&t->json->stream, t->json->error);
    uint32_t *seen = &t->open[t->n_open - 1].seen;
    if (m == format->n_members || *seen >> m & 1)
        return json_fail(t->json, "%.*s: %s", (int)(key.size < 100 ? key.size : 100), key.text,
                         m == format->n_members ? "unknown key, which may change the scores"
                                                : "duplicate key");
    const struct json_member *member = &format->members[m].member;
    *seen |= 1U << m;
    return json_read_member(t->json, member, member->read || member->take ? t->data : node);
}

/* Without recursion, so that a deep tree needs no deep stack. */
enum status nested_tree_read(struct nested_tree *t) {
    t->n_nodes = 0;
    t->n_open = 0;
    enum status status = begin_node(t);
    while (!status && t->n_open)
        status = read_member(t);
    if (!status)
        t->json->inner.what = NULL;
    return status;
}
