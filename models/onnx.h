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
    GRAPH_CONSTANT = 5,
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
    NODE_NAME = 3,
    NODE_OPERATOR = 4,
    NODE_ATTRIBUTE = 5,
    NODE_DOMAIN = 7,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_FLOAT = 2,
    ATTRIBUTE_INTEGER = 3,
    ATTRIBUTE_STRING = 4,
    ATTRIBUTE_TENSOR = 5,
    ATTRIBUTE_FLOATS = 7,
    ATTRIBUTE_INTEGERS = 8,
    ATTRIBUTE_STRINGS = 9,
    ATTRIBUTE_TYPE = 20,
    CONSTANT_DIMENSIONS = 1,
    CONSTANT_TYPE = 2,
    CONSTANT_FLOATS = 4,
    CONSTANT_INTEGERS = 5,
    CONSTANT_NAME = 8,
    CONSTANT_RAW = 9,
    CONSTANT_DOUBLES = 10,
    CONSTANT_PLACE = 14
};

/* Types of the elements of a tensor. */
enum { ELEMENT_FLOAT = 1, ELEMENT_UINT8 = 2, ELEMENT_DOUBLE = 11 };

enum onnx_mode {
    LEAF,
    BRANCH_LEQ,
    BRANCH_LT,
    BRANCH_GTE,
    BRANCH_GT,
    BRANCH_EQ, /* this and the others are sets */
    BRANCH_NEQ,
    BRANCH_MEMBER, /* of TreeEnsemble; its value is the number of its set */
    MODES
};
extern const char *const onnx_mode_names[MODES];

/* The attributes that are lists: of integers of 32 bits, or of numbers (ATTRIBUTE_FLOATS). */
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
    uint32_t *items; /* of a list of integers */
    double *numbers; /* of a list of numbers */
    size_t count, capacity;
};

/* What a node before the trees does to each feature, in float32. */
enum onnx_step_kind { ADD, SUBTRACT, MULTIPLY, DIVIDE, IMPUTE, BINARIZE };
struct onnx_step {
    enum onnx_step_kind kind;
    struct onnx_list values; /* one for each feature, or for all */
};
enum { ONNX_MAX_STEPS = 16 };

/* What a graph says, as it stands there. The caller sets the first three members, and frees the
 * items of the lists whatever the outcome. */
struct onnx_graph {
    const char *name; /* of the file */
    struct error *error;
    struct protobuf file;
    struct protobuf_span trees; /* the graph's node that holds the trees */
    bool is_classifier, is_ensemble, is_average;
    struct onnx_list lists[COLUMNS];
    struct onnx_step steps[ONNX_MAX_STEPS]; /* from the trees back to the input */
    unsigned n_steps;
    struct onnx_list members;   /* of all sets */
    size_t *member_sets;        /* where each begins, and the last ends; NULL: none */
    bool has_doubles;           /* a list of thresholds or weights was one of doubles */
    bool has_cast;              /* to float32; */
    unsigned n_steps_of_floats; /* steps between the cast and the trees */
    uint64_t input_type;        /* ELEMENT_FLOAT, ... */
    size_t n_labels;
    uint64_t n_targets;
    uint32_t n_features; /* 0: it does not say */
};

enum status onnx_read_graph(struct onnx_graph *graph, struct protobuf_span message);

/* --- its parts: private to the files of the reader --- */

enum status onnx_append(struct onnx_graph *graph, const char *name, struct onnx_list *list,
                        uint64_t value);
enum status onnx_read_floats(struct onnx_graph *graph, struct protobuf_span packed,
                             struct onnx_list *list);
enum status onnx_append_number(struct onnx_graph *graph, struct onnx_list *list, double number);

/* Appends the numbers of a tensor of floats, doubles or bytes. */
enum status onnx_read_tensor(struct onnx_graph *graph, const char *name,
                             struct protobuf_span tensor, struct onnx_list *list);

/* Reads the attributes of a TreeEnsemble into the lists. */
enum status onnx_read_ensemble(struct onnx_graph *graph);

/* Finds what happens between the graph's input and the trees, and the number of features. */
enum status onnx_read_steps(struct onnx_graph *graph, struct protobuf_span message);
void onnx_free_steps(struct onnx_graph *graph);

/* A feature as the trees get it. */
float onnx_apply_steps(const struct onnx_graph *graph, uint32_t feature, float x);

/* Are the numbers of the steps finite, and is what they make of large numbers a number? */
bool onnx_steps_are_exact(const struct onnx_graph *graph, uint32_t feature);

/* A node's test of a feature as the trees get it, and the same of the document's own number x: it
 * holds for x <= threshold if holds_low, and otherwise for x > threshold. */
struct onnx_test {
    enum onnx_mode mode;
    uint32_t feature;
    double value;
    bool nan_holds;
};
struct onnx_folded {
    double threshold;
    bool holds_low, nan_holds;
};
enum status onnx_fold(const struct onnx_graph *graph, const struct onnx_test *test,
                      struct onnx_folded *folded);

/* --- writing ---------------------------------------------------------------------------------- */

/* struct model_format's `write`. An ensemble of open width becomes a model that takes documents of
 * any width. */
enum status onnx_write(const struct ensemble *ensemble, FILE *stream, struct error *error);

#endif
