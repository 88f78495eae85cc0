/* Declarations shared by the files of the ONNX format. */
#ifndef MODELS_ONNX_ONNX_H
#define MODELS_ONNX_ONNX_H

#include "models/ensemble.h"
#include "models/onnx/protobuf.h"

#include <stdio.h>

/* Field numbers of onnx.proto. */
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

/* The element types of a tensor. */
enum { ELEMENT_FLOAT = 1, ELEMENT_UINT8 = 2, ELEMENT_DOUBLE = 11 };

enum onnx_mode {
    LEAF,
    BRANCH_LEQ,
    BRANCH_LT,
    BRANCH_GTE,
    BRANCH_GT,
    BRANCH_EQ, /* this and the following are sets */
    BRANCH_NEQ,
    BRANCH_MEMBER, /* of TreeEnsemble and chains; the node's value is the index of its set */
    MODES
};
extern const char *const onnx_mode_names[MODES];

/* The attributes that are lists. Their items are 32-bit integers, or floating-point numbers
 * (ATTRIBUTE_FLOATS). */
enum onnx_column {
    TREE_IDS,
    NODE_IDS,
    FEATURE_IDS,
    NODE_MODES,
    VALUES,
    TRUE_IDS,
    FALSE_IDS,
    MISSING_TRUE, /* optional; the columns up to here have one row per node */
    WEIGHT_TREES,
    WEIGHT_NODES,
    WEIGHT_IDS,
    WEIGHTS, /* the weight columns have one row per weight */
    BASE_VALUES,
    COLUMNS
};
struct onnx_column_name {
    const char *name, *class_name; /* in a classifier, "class_" replaces "target_" */
    int field;                     /* field number of the list in the attribute's message */
};
extern const struct onnx_column_name onnx_columns[COLUMNS];

/* --- reading ---------------------------------------------------------------------------------- */

/* The operation that a node before the trees applies to each feature, in float32. */
enum onnx_step_kind { ADD, SUBTRACT, MULTIPLY, DIVIDE, IMPUTE, BINARIZE };
struct onnx_step {
    enum onnx_step_kind kind;
    struct memory_list values; /* doubles: one per feature, or one for all */
};
enum { ONNX_MAX_STEPS = 16 };

/* The content of a graph. The caller sets the first three members. It frees the items of the lists,
 * and the pool, even after errors. */
struct onnx_graph {
    const char *name; /* of the file */
    struct error *error;
    struct protobuf file;
    struct memory_pool pool;    /* of arrays of any part of the reader */
    struct protobuf_span trees; /* the message of the graph node that holds the trees */
    bool is_classifier, is_ensemble, is_average;
    struct memory_list lists[COLUMNS];      /* of u32, or of doubles (ATTRIBUTE_FLOATS) */
    struct onnx_step steps[ONNX_MAX_STEPS]; /* from the trees back to the input */
    unsigned n_steps;
    struct memory_list members; /* doubles: the members of all sets, one set after the other */
    size_t *member_sets; /* [n_sets + 1] first member of each set; NULL if there are no sets */
    bool has_doubles;    /* a list of thresholds or weights was double */
    bool has_cast;       /* the graph casts its input to float32 */
    unsigned n_steps_of_floats; /* number of steps between the cast and the trees */
    uint64_t input_type;        /* ELEMENT_FLOAT, ... */
    size_t n_labels;
    uint64_t n_targets;
    uint32_t n_features; /* 0 if not stored */
};

enum status onnx_read_graph(struct onnx_graph *graph, struct protobuf_span message);

/* Sets an error "FILE: ..." and returns `status`. */
enum status onnx_fail(const struct onnx_graph *graph, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* --- parts of the reader ---------------------------------------------------------------------- */

enum status onnx_append(struct onnx_graph *graph, const char *name, struct memory_list *list,
                        uint64_t value);
enum status onnx_append_number(struct onnx_graph *graph, struct memory_list *list, double number);

/* Append the numbers of an attribute. */
enum status onnx_read_floats(struct onnx_graph *graph, const char *name,
                             struct protobuf_span attribute, struct memory_list *list);
enum status onnx_read_integers(struct onnx_graph *graph, const char *name,
                               struct protobuf_span attribute, struct memory_list *list);

/* Appends the numbers of a tensor of floats, doubles or bytes. */
enum status onnx_read_tensor(struct onnx_graph *graph, const char *name,
                             struct protobuf_span tensor, struct memory_list *list);

/* Reads the attributes of a TreeEnsemble into the lists. */
enum status onnx_read_ensemble(struct onnx_graph *graph);

/* Checks that the rows of each tree form a tree whose children come after their parents. Chains of
 * BRANCH_EQ with one true child become BRANCH_MEMBER, and tree_begin, [n_trees + 1] first rows of
 * the trees, is updated. */
enum status onnx_link_trees(struct onnx_graph *graph, size_t n_trees, size_t *tree_begin);

/* Finds the steps between the graph's input and the trees, and the number of features if the graph
 * gives it. */
enum status onnx_read_steps(struct onnx_graph *graph, struct protobuf_span message);
void onnx_free_steps(struct onnx_graph *graph);

/* Applies the steps to a feature with the value x. Returns the value that the trees receive. */
float onnx_apply_steps(const struct onnx_graph *graph, uint32_t feature, float x);

/* Are the constants of the steps finite, and does no finite input become NaN? */
bool onnx_steps_are_exact(const struct onnx_graph *graph, uint32_t feature);

/* onnx_test is a node's test of the value that the trees receive. onnx_folded is the equivalent
 * test of the document's own value x. It holds for x <= threshold if holds_low is true, otherwise
 * for x > threshold. */
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

/* The writer of model_format_onnx. If the width of the ensemble is open, the model accepts
 * documents of any width. */
enum status onnx_write(const struct ensemble *ensemble, FILE *stream, struct error *error);

#endif
