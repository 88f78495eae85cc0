/* What the files of the ONNX format share. Private to them. */
#ifndef MODELS_ONNX_H
#define MODELS_ONNX_H

#include "models/ensemble.h"
#include "models/protobuf.h"

#include <stdio.h>

/* Numbers of fields in onnx.proto. */
enum {
    MODEL_VERSION = 1, /* of the format */
    MODEL_PRODUCER = 2,
    MODEL_GRAPH = 7,
    MODEL_OPERATORS = 8,
    OPERATORS_DOMAIN = 1,
    OPERATORS_VERSION = 2,
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    VALUE_NAME = 1,
    VALUE_TYPE = 2,
    TYPE_TENSOR = 1,
    TENSOR_ELEMENT = 1,
    TENSOR_SHAPE = 2,
    SHAPE_DIMENSION = 1,
    DIMENSION_NUMBER = 1,
    DIMENSION_NAME = 2,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_OPERATOR = 4,
    NODE_ATTRIBUTE = 5,
    NODE_DOMAIN = 7,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_INTEGER = 3,
    ATTRIBUTE_STRING = 4,
    ATTRIBUTE_FLOATS = 7,
    ATTRIBUTE_INTEGERS = 8,
    ATTRIBUTE_STRINGS = 9,
    ATTRIBUTE_TYPE = 20
};

enum onnx_mode { LEAF, BRANCH_LEQ, BRANCH_LT, BRANCH_GTE, BRANCH_GT, MODES };
extern const char *const onnx_mode_names[MODES];

/* The attributes that are lists, of 32 bits here. */
enum onnx_column {
    TREE_IDS,
    NODE_IDS,
    FEATURE_IDS,
    NODE_MODES,
    VALUES,
    TRUE_IDS,
    FALSE_IDS,
    MISSING_TRUE, /* the columns up to this have a row for each node; this one is optional */
    WEIGHT_TREES,
    WEIGHT_NODES,
    WEIGHT_IDS,
    WEIGHTS, /* and these for each weight */
    BASE_VALUES,
    COLUMNS
};
struct onnx_column_name {
    const char *name, *class_name; /* of a classifier "class_" stands for "target_" */
    int field;                     /* of the attribute */
};
extern const struct onnx_column_name onnx_columns[COLUMNS];

/* --- reading ---------------------------------------------------------------------------------- */
struct onnx_list {
    uint32_t *items; /* floats by their bits */
    size_t count, capacity;
};

/* What a graph says, as it stands there. The caller sets the first three members, and frees the
 * items of the lists whatever the outcome. */
struct onnx_graph {
    const char *name; /* of the file */
    struct error *error;
    struct protobuf file;
    struct protobuf_span trees; /* the graph's node that holds the trees */
    bool is_classifier, is_average;
    struct onnx_list lists[COLUMNS];
    size_t n_labels;
    uint64_t n_targets;
    uint32_t n_features; /* 0: it does not say */
};

enum status onnx_read_graph(struct onnx_graph *graph, struct protobuf_span message);

/* --- writing ---------------------------------------------------------------------------------- */

/* struct model_format's `write`. An ensemble of open width becomes a model that takes documents of
 * any width. */
enum status onnx_write(const struct ensemble *ensemble, FILE *stream, struct error *error);

#endif
