/* Reads the preprocessing nodes between the input of an ONNX graph and its trees. These nodes
 * transform each feature separately, in float32. They keep or reverse the order of numbers, so they
 * can be folded into the thresholds (onnx_threshold.c). Supported operators:
 *
 *     Scaler               (x - offset) * scale          Imputer      a number in place of NaN
 *     Add, Sub, Mul, Div   with a constant               Binarizer    x > threshold
 *     Identity, Cast       to float */
#include "base/number.h"
#include "models/onnx/onnx.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node before the trees. */
struct node {
    struct protobuf_span message, operator, name, input, second;
};

static bool span_equal(struct protobuf_span a, struct protobuf_span b) {
    return a.at && b.at && a.end - a.at == b.end - b.at &&
           memcmp(a.at, b.at, (size_t)(a.end - a.at)) == 0;
}

/* The length to show with "%.*s". */
static int shown(struct protobuf_span span) {
    return span.at ? (int)(span.end - span.at < 40 ? span.end - span.at : 40) : 0;
}

static enum status refuse(const struct onnx_graph *g, const struct node *node, const char *why) {
    return onnx_fail(g, STATUS_UNSUPPORTED, "the node '%.*s' (%.*s) before the trees %s. Export only the trees", shown(node->name), node->name.at ? node->name.at : "",
                     shown(node->operator), node->operator.at ? node->operator.at : "", why);
}

/* --- finding ---------------------------------------------------------------------------------- */

/* Finds the part of the graph whose field number is `kind` and whose name is `name`. found->at is
 * NULL if there is none. */
static enum status find_named(const struct onnx_graph *g, struct protobuf_span graph, uint32_t kind,
                              uint32_t name_field, struct protobuf_span name,
                              struct protobuf_span *found) {
    struct protobuf_field field;
    struct protobuf_span own;
    enum status status = STATUS_OK;
    *found = (struct protobuf_span){NULL, NULL};
    while (!found->at && protobuf_more(&g->file, &graph, &field, &status)) {
        if (field.number != kind || !field.bytes.at)
            continue;
        status = protobuf_find(&g->file, field.bytes, name_field, &own);
        if (!status && span_equal(own, name))
            *found = field.bytes;
    }
    return status;
}

static enum status open_node(const struct onnx_graph *g, struct node *node) {
    struct protobuf_span rest = node->message;
    struct protobuf_field field;
    enum status status = STATUS_OK;
    while (protobuf_more(&g->file, &rest, &field, &status)) {
        if (field.number == NODE_INPUT && field.bytes.at) {
            if (!node->input.at)
                node->input = field.bytes;
            else if (!node->second.at)
                node->second = field.bytes;
        }
        if (field.number == NODE_OPERATOR)
            node->operator= field.bytes;
        if (field.number == NODE_NAME)
            node->name = field.bytes;
    }
    return status;
}

static enum status find_attribute(const struct onnx_graph *g, const struct node *node,
                                  const char *name, struct protobuf_span *attribute) {
    const struct protobuf_span wanted = {name, name + strlen(name)};
    return find_named(g, node->message, NODE_ATTRIBUTE, ATTRIBUTE_NAME, wanted, attribute);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static enum status read_floats(struct onnx_graph *g, const struct node *node, const char *name,
                               struct memory_list *list) {
    struct protobuf_span attribute;
    enum status status = find_attribute(g, node, name, &attribute);
    return status ? status : onnx_read_floats(g, name, attribute, list);
}

/* Reads the number of an attribute. It is unchanged if absent. */
static enum status read_number(const struct onnx_graph *g, const struct node *node,
                               const char *name, uint32_t field, uint64_t *bits) {
    struct protobuf_span attribute;
    enum status status = find_attribute(g, node, name, &attribute);
    return status ? status : protobuf_integer(&g->file, attribute, field, bits);
}

static enum status read_float(const struct onnx_graph *g, const struct node *node, const char *name,
                              float *value) {
    uint64_t bits = 0;
    enum status status = read_number(g, node, name, ATTRIBUTE_FLOAT, &bits);
    *value = number_float_of((uint32_t)bits);
    return status;
}

static enum status add_step(struct onnx_graph *g, const struct node *node, enum onnx_step_kind kind,
                            struct onnx_step **step) {
    *step = &g->steps[g->n_steps];
    if (g->n_steps == ONNX_MAX_STEPS)
        return refuse(g, node, "exceeds the number of supported nodes");
    g->n_steps++;
    (*step)->kind = kind;
    return STATUS_OK;
}

static void add_dimension(uint64_t dimension, uint64_t *rows, uint64_t *columns) {
    *rows = *columns == 1 ? *rows : 2;
    *columns = dimension;
}

/* Checks that a constant is the same for all documents: one number, or one per feature. */
static enum status check_shape(const struct onnx_graph *g, const struct node *node,
                               struct protobuf_span tensor) {
    struct protobuf_field field;
    uint64_t rows = 1, columns = 1, dimension;
    enum status status = STATUS_OK;
    while (protobuf_more(&g->file, &tensor, &field, &status)) {
        if (field.number != CONSTANT_DIMENSIONS)
            continue;
        if (!field.bytes.at)
            add_dimension(field.integer, &rows, &columns);
        while (protobuf_more_packed(&g->file, &field.bytes, &dimension, &status))
            add_dimension(dimension, &rows, &columns);
    }
    if (status)
        return status;
    return rows == 1 ? STATUS_OK : refuse(g, node, "has a constant that differs between documents");
}

static enum status read_constant(struct onnx_graph *g, struct protobuf_span graph,
                                 const struct node *node, struct protobuf_span name,
                                 struct memory_list *list) {
    struct protobuf_span tensor;
    uint64_t type = 0;
    enum status status = find_named(g, graph, GRAPH_CONSTANT, CONSTANT_NAME, name, &tensor);
    if (!status && !tensor.at)
        return refuse(g, node, "has two inputs that are not constant");
    if (!status)
        status = check_shape(g, node, tensor);
    if (!status)
        status = protobuf_integer(&g->file, tensor, CONSTANT_TYPE, &type);
    if (!status && type != ELEMENT_FLOAT)
        return refuse(g, node, "does not compute in float32");
    return status ? status : onnx_read_tensor(g, "constant", tensor, list);
}

/* --- operators -------------------------------------------------------------------------------- */

static enum status read_arithmetic(struct onnx_graph *g, struct protobuf_span graph,
                                   struct node *node, enum onnx_step_kind kind) {
    struct onnx_step *step;
    struct protobuf_span tensor;
    enum status status = find_named(g, graph, GRAPH_CONSTANT, CONSTANT_NAME, node->input, &tensor);
    if (!status && tensor.at && kind != ADD && kind != MULTIPLY)
        return refuse(g, node, "has a constant as its first input");
    if (!status && tensor.at) {
        const struct protobuf_span constant = node->input;
        node->input = node->second;
        node->second = constant;
    }
    if (!status && !(status = add_step(g, node, kind, &step)))
        status = read_constant(g, graph, node, node->second, &step->values);
    return status;
}

/* Steps are listed from last to first. */
static enum status read_scaler(struct onnx_graph *g, const struct node *node) {
    struct onnx_step *step;
    enum status status = add_step(g, node, MULTIPLY, &step);
    if (!status)
        status = read_floats(g, node, "scale", &step->values);
    if (!status && !(status = add_step(g, node, SUBTRACT, &step)))
        status = read_floats(g, node, "offset", &step->values);
    return status;
}

static enum status read_imputer(struct onnx_graph *g, const struct node *node) {
    struct onnx_step *step;
    float replaced;
    enum status status = read_float(g, node, "replaced_value_float", &replaced);
    if (!status && !isnan(replaced))
        return refuse(g, node, "replaces a value other than NaN");
    if (!status && !(status = add_step(g, node, IMPUTE, &step)))
        status = read_floats(g, node, "imputed_value_floats", &step->values);
    return status;
}

static enum status read_binarizer(struct onnx_graph *g, const struct node *node) {
    struct onnx_step *step;
    float threshold;
    enum status status = read_float(g, node, "threshold", &threshold);
    if (!status && !(status = add_step(g, node, BINARIZE, &step)))
        status = onnx_append_number(g, &step->values, (double)threshold);
    return status;
}

static enum status read_cast(struct onnx_graph *g, const struct node *node) {
    uint64_t type = 0;
    enum status status = read_number(g, node, "to", ATTRIBUTE_INTEGER, &type);
    if (!status && type != ELEMENT_FLOAT)
        return refuse(g, node, "converts to a type other than float");
    g->has_cast = true;
    g->n_steps_of_floats = g->n_steps;
    return status;
}

static enum status read_node(struct onnx_graph *g, struct protobuf_span graph, struct node *node) {
    static const struct {
        const char *name;
        enum onnx_step_kind kind;
    } arithmetic[] = {{"Add", ADD}, {"Sub", SUBTRACT}, {"Mul", MULTIPLY}, {"Div", DIVIDE}};
    if (protobuf_is(node->operator, "Identity"))
        return STATUS_OK;
    if (protobuf_is(node->operator, "Cast"))
        return read_cast(g, node);
    if (protobuf_is(node->operator, "Scaler"))
        return read_scaler(g, node);
    if (protobuf_is(node->operator, "Imputer"))
        return read_imputer(g, node);
    if (protobuf_is(node->operator, "Binarizer"))
        return read_binarizer(g, node);
    for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++)
        if (protobuf_is(node->operator, arithmetic[i].name))
            return read_arithmetic(g, graph, node, arithmetic[i].kind);
    return refuse(g, node, "does more than change each feature on its own");
}

/* --- the way back to the input ---------------------------------------------------------------- */

/* Finds the node whose output is `name`. */
static enum status find_maker(const struct onnx_graph *g, struct protobuf_span graph,
                              struct protobuf_span name, struct node *node) {
    struct protobuf_field field, output;
    enum status status = STATUS_OK;
    *node = (struct node){{NULL, NULL}, {NULL, NULL}, {NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
    while (!node->message.at && protobuf_more(&g->file, &graph, &field, &status)) {
        struct protobuf_span rest = field.bytes;
        while (field.number == GRAPH_NODE && protobuf_more(&g->file, &rest, &output, &status))
            if (output.number == NODE_OUTPUT && span_equal(output.bytes, name))
                node->message = field.bytes;
    }
    if (status || !node->message.at)
        return status;
    return open_node(g, node);
}

/* Reads the type of the numbers and the last dimension, which is the number of features if it is
 * given. */
static enum status read_input(struct onnx_graph *g, struct protobuf_span value) {
    static const uint32_t path[] = {VALUE_TYPE, TYPE_TENSOR, TENSOR_SHAPE, SHAPE_DIMENSION};
    struct protobuf_span tensor = {NULL, NULL};
    uint64_t n_features = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof path / sizeof *path && !status; i++) {
        status = protobuf_find(&g->file, value, path[i], &value);
        tensor = i == 1 ? value : tensor;
    }
    if (!status)
        status = protobuf_integer(&g->file, value, DIMENSION_NUMBER, &n_features);
    if (n_features <= INT32_MAX)
        g->n_features = (uint32_t)n_features;
    return status ? status : protobuf_integer(&g->file, tensor, TENSOR_ELEMENT, &g->input_type);
}

/* A step has one constant for all features, or one constant per feature. If the graph does not give
 * the number of features, the number of constants does. */
static enum status check_widths(struct onnx_graph *g) {
    for (unsigned i = 0; i < g->n_steps; i++) {
        size_t count = g->steps[i].values.count;
        if (count > 1 && g->n_features == 0 && count <= ENSEMBLE_MAX_FEATURES)
            g->n_features = (uint32_t)count;
        if (count == 0 || (count > 1 && count != g->n_features))
            return onnx_fail(g, STATUS_INPUT,
                             "a node before the trees has %zu numbers, but the number of "
                             "features is %" PRIu32,
                             count, g->n_features);
    }
    return STATUS_OK;
}

/* Steps before a cast to float32, or without a cast, compute in the type of the input. */
static enum status check_type(const struct onnx_graph *g) {
    unsigned n_floats = g->has_cast ? g->n_steps_of_floats : 0;
    if (g->n_steps == n_floats || g->input_type == ELEMENT_FLOAT || g->input_type == 0)
        return STATUS_OK;
    return onnx_fail(g, STATUS_UNSUPPORTED,
                     "the operators before the trees do not compute in float32. Export the model "
                     "for float32, or only the trees");
}

enum status onnx_read_steps(struct onnx_graph *g, struct protobuf_span message) {
    struct protobuf_span name, input = {NULL, NULL};
    enum status status = protobuf_find(&g->file, g->trees, NODE_INPUT, &name);
    for (unsigned passed = 0; !status && !input.at; passed++) {
        struct node node;
        status = find_named(g, message, GRAPH_INPUT, VALUE_NAME, name, &input);
        if (status || input.at)
            continue;
        status = find_maker(g, message, name, &node);
        if (!status && (!node.message.at || passed == 2 * ONNX_MAX_STEPS))
            return onnx_fail(g, STATUS_INPUT,
                             "the input of the trees must come from an input of the graph");
        if (!status)
            status = read_node(g, message, &node);
        name = node.input;
    }
    if (!status)
        status = read_input(g, input);
    if (!status)
        status = check_type(g);
    return status ? status : check_widths(g);
}

void onnx_free_steps(struct onnx_graph *g) {
    for (unsigned i = 0; i < g->n_steps; i++)
        free(g->steps[i].values.number);
}

static float apply_step(const struct onnx_step *step, uint32_t feature, float x) {
    float value = (float)step->values.number[step->values.count > 1 ? feature : 0];
    switch (step->kind) {
    case ADD:
        return x + value;
    case SUBTRACT:
        return x - value;
    case MULTIPLY:
        return x * value;
    case DIVIDE:
        return x / value;
    case IMPUTE:
        return isnan(x) ? value : x;
    default:
        return x > value ? 1.0F : 0.0F;
    }
}

float onnx_apply_steps(const struct onnx_graph *g, uint32_t feature, float x) {
    for (unsigned i = g->n_steps; i-- > 0;)
        x = apply_step(&g->steps[i], feature, x);
    return x;
}

/* Is the result of all steps for x a number? Only an overflow can result in NaN, and the largest
 * numbers overflow first. */
static bool keeps_numbers(const struct onnx_graph *g, uint32_t feature, float x) {
    for (unsigned i = g->n_steps; i-- > 0 && !isnan(x);)
        x = apply_step(&g->steps[i], feature, x);
    return !isnan(x);
}

bool onnx_steps_are_exact(const struct onnx_graph *g, uint32_t feature) {
    for (unsigned i = 0; i < g->n_steps; i++) {
        const struct memory_list *values = &g->steps[i].values;
        if (values->count > 1 && feature >= values->count)
            return false;
        double value = values->number[values->count > 1 ? feature : 0];
        if (!isfinite(value) || (g->steps[i].kind == DIVIDE && value == 0))
            return false;
    }
    return keeps_numbers(g, feature, FLT_MAX) && keeps_numbers(g, feature, -FLT_MAX);
}
