/* Writes ONNX: one TreeEnsembleRegressor, which ONNX 1.4 (2019) and later read. Thresholds are
 * float32 in ONNX too; leaf values and base scores are rounded to float32. */
#include "base/number.h"
#include "models/onnx/onnx.h"
#include "models/reader.h"

#include <inttypes.h>
#include <string.h>

enum { FORMAT_VERSION = 4, OPERATORS = 9, TREE_OPERATORS = 1 }; /* of ONNX 1.4 */
enum { TYPE_INTEGER = 2, TYPE_STRING = 3, TYPE_FLOATS = 6, TYPE_INTEGERS = 7, TYPE_STRINGS = 8 };
static const char TREE_DOMAIN[] = "ai.onnx.ml", INPUT[] = "X", OUTPUT[] = "scores";

/* --- protobuf --------------------------------------------------------------------------------- */

/* The size of a message precedes its content. Each message is therefore written twice: first to a
 * counter, then to the stream. No content is stored. */
struct protobuf_out {
    FILE *stream;  /* NULL: only count bytes. Failures set the stream's error flag (ferror). */
    uint64_t size; /* bytes written so far */
};

enum { VARINT = 0, BYTES = 2 }; /* wire types */

static void put(struct protobuf_out *out, const void *bytes, size_t size) {
    if (out->stream)
        fwrite(bytes, 1, size, out->stream);
    out->size += size;
}

static void protobuf_put_varint(struct protobuf_out *out, uint64_t value) {
    unsigned char bytes[10];
    size_t size = 0;
    for (; value > 127; value >>= 7)
        bytes[size++] = (unsigned char)(value | 128);
    bytes[size++] = (unsigned char)value;
    put(out, bytes, size);
}

static void protobuf_put_bits(struct protobuf_out *out, uint32_t bits) {
    const unsigned char bytes[] = {(unsigned char)bits, (unsigned char)(bits >> 8),
                                   (unsigned char)(bits >> 16), (unsigned char)(bits >> 24)};
    put(out, bytes, sizeof bytes);
}

static void protobuf_put_integer(struct protobuf_out *out, uint32_t field, uint64_t value) {
    protobuf_put_varint(out, (uint64_t)field << 3 | VARINT);
    protobuf_put_varint(out, value);
}

static void protobuf_put_text(struct protobuf_out *out, uint32_t field, const char *text) {
    protobuf_put_varint(out, (uint64_t)field << 3 | BYTES);
    protobuf_put_varint(out, strlen(text));
    put(out, text, strlen(text));
}

/* Writes a message or a packed list. `put_content` is called more than once and must write the same
 * bytes each time. */
typedef void protobuf_put(struct protobuf_out *out, const void *data);

static void protobuf_put_message(struct protobuf_out *out, uint32_t field,
                                 protobuf_put *put_content, const void *data) {
    struct protobuf_out measured = {NULL, 0};
    put_content(&measured, data);
    protobuf_put_varint(out, (uint64_t)field << 3 | BYTES);
    protobuf_put_varint(out, measured.size);
    if (out->stream)
        put_content(out, data);
    else
        out->size += measured.size;
}

/* --- lists ------------------------------------------------------------------------------------ */

struct list {
    const struct ensemble *e;
    enum onnx_column column;
};

/* Returns an item of an inner node. In a tree, the inner nodes come first, as in canonical form,
 * and then the leaves. */
static uint32_t item_of_inner(const struct list *list, uint32_t t, uint32_t number) {
    const struct ensemble *e = list->e;
    size_t node = e->tree_node[t] + number;
    uint32_t n_inner = ensemble_tree_nodes(e, t);
    switch (list->column) {
    case FEATURE_IDS:
        return e->feature[node];
    case NODE_MODES:
        return BRANCH_LEQ;
    case VALUES:
        return number_bits_of(e->threshold[node]);
    case TRUE_IDS:
        return reader_child(n_inner, e->left[node]);
    case FALSE_IDS:
        return reader_child(n_inner, e->right[node]);
    case MISSING_TRUE:
        return e->nan_left[node];
    default:
        return 0;
    }
}

static uint32_t leaf_class(const struct ensemble *e, uint32_t t, uint32_t leaf) {
    return (uint32_t)e->value[e->tree_leaf[t] + leaf];
}

static uint32_t item(const struct list *list, uint32_t t, uint32_t number) {
    const struct ensemble *e = list->e;
    uint32_t n_inner = ensemble_tree_nodes(e, t);
    switch (list->column) {
    case TREE_IDS:
    case WEIGHT_TREES:
        return t;
    case NODE_IDS:
    case WEIGHT_NODES:
        return number;
    case WEIGHT_IDS:
        return e->votes ? leaf_class(e, t, number - n_inner) : e->tree_output[t];
    case WEIGHTS:
        return number_bits_of(e->votes ? 1 : (float)e->value[e->tree_leaf[t] + number - n_inner]);
    default: /* leaves: 0 and LEAF */
        return number < n_inner ? item_of_inner(list, t, number) : 0;
    }
}

static void put_item(struct protobuf_out *out, int field, uint32_t value) {
    if (field == ATTRIBUTE_INTEGERS)
        protobuf_put_varint(out, value);
    else if (field == ATTRIBUTE_FLOATS)
        protobuf_put_bits(out, value);
    else
        protobuf_put_text(out, ATTRIBUTE_STRINGS, onnx_mode_names[value]);
}

static void put_items(struct protobuf_out *out, const void *data) {
    const struct list *list = data;
    const struct ensemble *e = list->e;
    int field = onnx_columns[list->column].field;
    for (uint32_t t = 0; t < e->n_trees; t++) {
        uint32_t n_inner = ensemble_tree_nodes(e, t);
        uint32_t end = n_inner + ensemble_tree_leaves(e, t);
        for (uint32_t i = list->column > MISSING_TRUE ? n_inner : 0; i < end; i++)
            put_item(out, field, item(list, t, i));
    }
}

static void put_base(struct protobuf_out *out, const void *data) {
    const struct ensemble *e = ((const struct list *)data)->e;
    for (uint32_t k = 0; k < e->n_outputs; k++)
        protobuf_put_bits(out, number_bits_of((float)e->base[k]));
}

static void put_list(struct protobuf_out *out, const void *data) {
    const struct list *list = data;
    int field = onnx_columns[list->column].field;
    protobuf_put_text(out, ATTRIBUTE_NAME, onnx_columns[list->column].name);
    if (list->column == BASE_VALUES)
        protobuf_put_message(out, ATTRIBUTE_FLOATS, put_base, list);
    else if (field == ATTRIBUTE_STRINGS)
        put_items(out, list);
    else
        protobuf_put_message(out, (uint32_t)field, put_items, list);
    protobuf_put_integer(out, ATTRIBUTE_TYPE,
                         field == ATTRIBUTE_STRINGS    ? TYPE_STRINGS
                         : field == ATTRIBUTE_INTEGERS ? TYPE_INTEGERS
                                                       : TYPE_FLOATS);
}

/* --- the node with the trees ------------------------------------------------------------------ */

static void put_targets(struct protobuf_out *out, const void *data) {
    protobuf_put_text(out, ATTRIBUTE_NAME, "n_targets");
    protobuf_put_integer(out, ATTRIBUTE_INTEGER, ((const struct ensemble *)data)->n_outputs);
    protobuf_put_integer(out, ATTRIBUTE_TYPE, TYPE_INTEGER);
}

static void put_post_transform(struct protobuf_out *out, const void *data) {
    (void)data;
    protobuf_put_text(out, ATTRIBUTE_NAME, "post_transform");
    protobuf_put_text(out, ATTRIBUTE_STRING, "NONE");
    protobuf_put_integer(out, ATTRIBUTE_TYPE, TYPE_STRING);
}

static bool has_base(const struct ensemble *e) {
    for (uint32_t k = 0; k < e->n_outputs; k++)
        if (e->base[k] != 0)
            return true;
    return false;
}

static void put_trees(struct protobuf_out *out, const void *data) {
    const struct ensemble *e = data;
    protobuf_put_text(out, NODE_INPUT, INPUT);
    protobuf_put_text(out, NODE_OUTPUT, OUTPUT);
    protobuf_put_text(out, NODE_OPERATOR, "TreeEnsembleRegressor");
    protobuf_put_text(out, NODE_DOMAIN, TREE_DOMAIN);
    protobuf_put_message(out, NODE_ATTRIBUTE, put_targets, e);
    protobuf_put_message(out, NODE_ATTRIBUTE, put_post_transform, e);
    for (int c = 0; c < COLUMNS; c++) {
        if ((c == MISSING_TRUE && !e->any_nan_left) || (c == BASE_VALUES && !has_base(e)))
            continue; /* 0 is the default */
        const struct list list = {e, (enum onnx_column)c};
        protobuf_put_message(out, NODE_ATTRIBUTE, put_list, &list);
    }
}

/* --- the model around it ---------------------------------------------------------------------- */

/* An input or output of the graph: a matrix with any number of documents. */
struct value {
    const char *name;
    uint32_t n_columns; /* 0 means any number */
};

static void put_documents(struct protobuf_out *out, const void *data) {
    (void)data;
    protobuf_put_text(out, DIMENSION_NAME, "N");
}

static void put_columns(struct protobuf_out *out, const void *data) {
    const struct value *value = data;
    if (value->n_columns)
        protobuf_put_integer(out, DIMENSION_NUMBER, value->n_columns);
    else
        protobuf_put_text(out, DIMENSION_NAME, "C");
}

static void put_shape(struct protobuf_out *out, const void *data) {
    protobuf_put_message(out, SHAPE_DIMENSION, put_documents, data);
    protobuf_put_message(out, SHAPE_DIMENSION, put_columns, data);
}

static void put_tensor(struct protobuf_out *out, const void *data) {
    protobuf_put_integer(out, TENSOR_ELEMENT, ELEMENT_FLOAT);
    protobuf_put_message(out, TENSOR_SHAPE, put_shape, data);
}

static void put_type(struct protobuf_out *out, const void *data) {
    protobuf_put_message(out, TYPE_TENSOR, put_tensor, data);
}

static void put_value(struct protobuf_out *out, const void *data) {
    protobuf_put_text(out, VALUE_NAME, ((const struct value *)data)->name);
    protobuf_put_message(out, VALUE_TYPE, put_type, data);
}

static void put_graph(struct protobuf_out *out, const void *data) {
    const struct ensemble *e = data;
    const struct value input = {INPUT, e->open_width ? 0 : e->n_features};
    const struct value output = {OUTPUT, e->n_outputs};
    protobuf_put_message(out, GRAPH_NODE, put_trees, e);
    protobuf_put_text(out, GRAPH_NAME, "trees");
    protobuf_put_message(out, GRAPH_INPUT, put_value, &input);
    protobuf_put_message(out, GRAPH_OUTPUT, put_value, &output);
}

static void put_operators(struct protobuf_out *out, const void *data) {
    const char *domain = data;
    protobuf_put_text(out, OPERATORS_DOMAIN, domain);
    protobuf_put_integer(out, OPERATORS_VERSION, *domain ? TREE_OPERATORS : OPERATORS);
}

static void put_model(struct protobuf_out *out, const struct ensemble *e) {
    protobuf_put_integer(out, MODEL_VERSION, FORMAT_VERSION);
    protobuf_put_text(out, MODEL_PRODUCER, "treebench");
    protobuf_put_message(out, MODEL_OPERATORS, put_operators, "");
    protobuf_put_message(out, MODEL_OPERATORS, put_operators, TREE_DOMAIN);
    protobuf_put_message(out, MODEL_GRAPH, put_graph, e);
}

enum status onnx_write(const struct ensemble *e, FILE *stream, struct error *error) {
    struct protobuf_out measured = {NULL, 0}, out = {stream, 0};
    if (!ensemble_fits_float32(e))
        return error_set(error, STATUS_UNSUPPORTED,
                         "a leaf value or base score exceeds the range of ONNX's float32");
    put_model(&measured, e);
    if (measured.size > INT32_MAX)
        return error_set(error, STATUS_UNSUPPORTED,
                         "the model needs %" PRIu64
                         " bytes as ONNX, which exceeds protobuf's limit of %d",
                         measured.size, INT32_MAX);
    put_model(&out, e);
    return STATUS_OK;
}
