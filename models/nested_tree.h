/* Reads trees of JSON in which a node is an object that contains its children, such as
 *
 *     {"feature": 7, "threshold": 0.5, "left": {"value": 1}, "right": {"value": 2}}
 *
 * Nodes are numbered in the order in which they begin, so parents come before their children. */
#ifndef MODELS_NESTED_TREE_H
#define MODELS_NESTED_TREE_H

#include "base/files/json_members.h"

/* The nodes of a format are structs that begin with this. */
struct nested_node {
    uint32_t left, right; /* the children; both 0 for a leaf */
};

/* A member of a node, other than the children. Its place is in the node, but `read` and `take` get
 * the data of the tree. */
struct nested_member {
    struct json_member member;
    bool of_inner, of_leaves;
};

struct nested_format {
    const struct nested_member *members; /* a node that has the first member is a leaf */
    size_t n_members;                    /* at most 30 */
    const char *left, *right;            /* the keys of the children */
    bool skip_unknown;
    size_t node_size;
    const void *blank; /* what a node is when it begins */
};

struct nested_tree {
    struct json_reader *json; /* errors name its part and the node */
    const struct nested_format *format;
    void *data;

    void *nodes; /* [n_nodes] of the current tree; the owner frees them */
    size_t n_nodes, capacity;
    struct {
        uint32_t number;
        uint32_t seen;             /* bit m is set if member m has been read */
    } open[JSON_STREAM_MAX_DEPTH]; /* the nodes on the path to the node that is being read */
    unsigned n_open;
};

/* Reads the rest of a tree after its "{". */
enum status nested_tree_read(struct nested_tree *tree);

/* The node that is being read, valid until the next node begins. */
void *nested_tree_node(struct nested_tree *tree);

#endif
