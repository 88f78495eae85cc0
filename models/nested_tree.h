/* Reads trees of JSON in which a node is an object that contains its children, such as
 *
 *     {"feature": 7, "threshold": 0.5, "left": {"value": 1}, "right": {"value": 2}}
 *
 * Nodes are numbered in the order in which they begin, so parents come before their children. */
#ifndef MODELS_NESTED_TREE_H
#define MODELS_NESTED_TREE_H

#include "base/files/json_stream.h"
#include "models/ensemble.h"

/* A member of a node, other than the children. */
struct nested_member {
    const char *name;
    enum status (*read)(void *data); /* reads the value; NULL skips it */
    bool of_inner, of_leaves, is_required;
};

struct nested_format {
    const struct nested_member *members; /* a node that has the first member is a leaf */
    size_t n_members;                    /* at most 30 */
    const char *left, *right;            /* the keys of the children */
    enum status (*begin)(void *data);    /* called when a node begins; NULL: nothing to do */
};

struct nested_node {
    struct inner_node split; /* of an inner node; its children are set, its count is unknown */
    double value;            /* of a leaf, whose split has the children 0 */
};

struct nested_tree {
    struct json_stream *stream;
    struct error *error;
    const struct nested_format *format;
    void *data; /* passed to the functions of the format */

    uint32_t tree;             /* number of the current tree, for errors */
    struct nested_node *nodes; /* [n_nodes] of the current tree; the owner frees them */
    size_t n_nodes, capacity;
    struct {
        uint32_t number;
        uint32_t seen;             /* bit m is set if member m has been read */
    } open[JSON_STREAM_MAX_DEPTH]; /* the nodes on the path to the node that is being read */
    unsigned n_open;
};

/* Reads the rest of a tree after its "{". */
enum status nested_tree_read(struct nested_tree *tree);

/* The node that is being read, valid until the next node begins, and its number. */
struct nested_node *nested_tree_node(struct nested_tree *tree);
uint32_t nested_tree_number(const struct nested_tree *tree);

/* "FILE:LINE: tree 3, node 5: KEY: expected EXPECTED" */
enum status nested_tree_wrong(const struct nested_tree *tree, const char *key,
                              const char *expected);

/* Reads an integer from 0 to `largest`. */
enum status nested_tree_integer(const struct nested_tree *tree, const char *key, int64_t largest,
                                int64_t *value);

#endif
