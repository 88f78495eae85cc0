/* treebench's own JSON: every ensemble, exactly. docs/model-json.md describes it. */
#include "base/json.h"
#include "base/number.h"
#include "models/feature_names.h"
#include "models/formats.h"
#include "models/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1 };
#define LARGEST_COUNT ((uint64_t)1 << 53) /* up to which doubles, and so cJSON, count exactly */

/* --- writing ---------------------------------------------------------------------------------- */

/* Text that gives the same float when it is read as a double and rounded. The shortest text of a
 * float does, but for one in a great many that lies so near the middle of two floats that rounding
 * twice goes wrong. */
static void format_threshold(float value, char text[static NUMBER_TEXT_SIZE]) {
    if (isinf(value)) {
        strcpy(text, value > 0 ? "\"inf\"" : "\"-inf\"");
        return;
    }
    double read_back = 0;
    number_format_float(value, text);
    number_parse_double(text, text + strlen(text), &read_back);
    if ((float)read_back != value)
        number_format_double(value, text);
}

static void write_thresholds(FILE *stream, const float *value, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char text[NUMBER_TEXT_SIZE];
        format_threshold(value[i], text);
        fprintf(stream, "%s%s", i ? "," : "", text);
    }
}

static void write_doubles(FILE *stream, const double *value, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char text[NUMBER_TEXT_SIZE];
        number_format_double(value[i], text);
        fprintf(stream, "%s%s", i ? "," : "", text);
    }
}

static void write_children(FILE *stream, const int32_t *child, size_t n) {
    for (size_t i = 0; i < n; i++)
        fprintf(stream, "%s%" PRId32, i ? "," : "", child[i]);
}

static void write_features(FILE *stream, const uint32_t *feature, size_t n) {
    for (size_t i = 0; i < n; i++)
        fprintf(stream, "%s%" PRIu32, i ? "," : "", feature[i]);
}

static void write_flags(FILE *stream, const uint8_t *flag, size_t n) {
    for (size_t i = 0; i < n; i++)
        fprintf(stream, "%s%d", i ? "," : "", flag[i]);
}

static void write_counts(FILE *stream, const uint64_t *count, size_t n) {
    for (size_t i = 0; i < n; i++)
        fprintf(stream, "%s%" PRIu64, i ? "," : "", count[i]);
}

static void write_tree(const struct ensemble *e, uint32_t t, FILE *stream) {
    size_t node = e->tree_node[t], n_nodes = ensemble_tree_nodes(e, t);
    size_t leaf = e->tree_leaf[t], n_leaves = ensemble_tree_leaves(e, t);
    fprintf(stream, "  {\"output\": %" PRIu32 ",\n   \"feature\": [", e->tree_output[t]);
    write_features(stream, e->feature + node, n_nodes);
    fputs("],\n   \"threshold\": [", stream);
    write_thresholds(stream, e->threshold + node, n_nodes);
    fputs("],\n   \"left\": [", stream);
    write_children(stream, e->left + node, n_nodes);
    fputs("],\n   \"right\": [", stream);
    write_children(stream, e->right + node, n_nodes);
    if (n_nodes && memchr(e->nan_left + node, 1, n_nodes)) {
        fputs("],\n   \"nan_left\": [", stream);
        write_flags(stream, e->nan_left + node, n_nodes);
    }
    if (e->node_count) {
        fputs("],\n   \"node_count\": [", stream);
        write_counts(stream, e->node_count + node, n_nodes);
        fputs("],\n   \"leaf_count\": [", stream);
        write_counts(stream, e->leaf_count + leaf, n_leaves);
    }
    fputs("],\n   \"value\": [", stream);
    write_doubles(stream, e->value + leaf, n_leaves);
    fprintf(stream, "]}%s\n", t + 1 < e->n_trees ? "," : "");
}

static bool counts_are_exact(const uint64_t *count, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (count[i] > LARGEST_COUNT)
            return false;
    }
    return true;
}

static enum status treebench_write(const struct ensemble *e, FILE *stream, struct error *error) {
    if (e->node_count && (!counts_are_exact(e->node_count, e->n_nodes) ||
                          !counts_are_exact(e->leaf_count, e->n_leaves)))
        return error_set(error, STATUS_UNSUPPORTED,
                         "a node was passed by more than 2^53 documents: JSON cannot count so far");
    fprintf(stream,
            "{\"format\": \"treebench\", \"version\": %d, \"features\": %" PRIu32
            ", \"outputs\": %" PRIu32 ",\n",
            VERSION, e->n_features, e->n_outputs);
    if (e->note[0]) /* has nothing to escape */
        fprintf(stream, " \"note\": \"%s\",\n", e->note);
    if (e->feature_names) {
        fputs(" \"feature_names\": ", stream);
        feature_names_write_json(e, stream);
        fputs(",\n", stream);
    }
    fputs(" \"base\": [", stream);
    write_doubles(stream, e->base, e->n_outputs);
    fputs("],\n \"trees\": [\n", stream);
    for (uint32_t t = 0; t < e->n_trees; t++)
        write_tree(e, t, stream);
    fputs(" ]}\n", stream);
    return ferror(stream) ? error_set(error, STATUS_IO, "cannot write the model") : STATUS_OK;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Refuses members that this version does not know. */
static enum status check_known(const char *name, const cJSON *object, const char *const *known,
                               struct error *error) {
    for (const cJSON *member = object->child; member; member = member->next) {
        size_t i = 0;
        while (known[i] && strcmp(member->string, known[i]) != 0)
            i++;
        if (!known[i])
            return error_set(error, STATUS_INPUT,
                             "%s: %.100s: unknown, and should not be in version %d", name,
                             member->string, VERSION);
    }
    return STATUS_OK;
}

/* A member that is an array of `size` values. */
static enum status get_sized(const char *name, const cJSON *object, const char *key, size_t size,
                             const cJSON **array, struct error *error) {
    enum status status = json_get_array(name, object, key, array, error);
    if (!status && (size_t)cJSON_GetArraySize(*array) != size)
        status = error_set(error, STATUS_INPUT, "%s: %s: has %d values, and should have %zu", name,
                           key, cJSON_GetArraySize(*array), size);
    return status;
}

/* The arrays of a tree while they are read side by side: the next value of each. */
enum tree_array {
    FEATURE,
    THRESHOLD,
    LEFT,
    RIGHT,
    NAN_LEFT,
    NODE_COUNT,
    VALUE,
    LEAF_COUNT,
    ARRAYS
};
static const char *const array_names[ARRAYS] = {"feature",  "threshold",  "left",  "right",
                                                "nan_left", "node_count", "value", "leaf_count"};

struct tree_reader {
    char name[ERROR_TEXT_SIZE / 2]; /* "FILE: tree 3" */
    uint32_t n_inner;
    const cJSON *next[ARRAYS]; /* NULL where the array is left out */
    bool has_counts;
    struct error *error;
};

static enum status wrong_value(const struct tree_reader *r, enum tree_array which, uint32_t i,
                               const char *expected) {
    return error_set(r->error, STATUS_INPUT, "%s: %s: value %u should be %s", r->name,
                     array_names[which], i, expected);
}

/* Takes the next value of an array, an integer of [low, high]. */
static enum status take_integer(struct tree_reader *r, enum tree_array which, uint32_t i,
                                double low, double high, double *value) {
    const cJSON *item = r->next[which];
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= low && item->valuedouble <= high) ||
        item->valuedouble != floor(item->valuedouble)) {
        char expected[80];
        snprintf(expected, sizeof expected, "an integer from %.0f to %.0f", low, high);
        return wrong_value(r, which, i, expected);
    }
    *value = item->valuedouble;
    r->next[which] = item->next;
    return STATUS_OK;
}

static enum status take_threshold(struct tree_reader *r, uint32_t i, float *value) {
    const cJSON *item = r->next[THRESHOLD];
    if (cJSON_IsString(item) && strcmp(item->valuestring, "inf") == 0)
        *value = INFINITY;
    else if (cJSON_IsString(item) && strcmp(item->valuestring, "-inf") == 0)
        *value = -INFINITY;
    else if (cJSON_IsNumber(item) && isfinite((float)item->valuedouble))
        *value = (float)item->valuedouble;
    else
        return wrong_value(r, THRESHOLD, i, "a number in float32's range, \"inf\" or \"-inf\"");
    r->next[THRESHOLD] = item->next;
    return STATUS_OK;
}

static enum status take_count(struct tree_reader *r, enum tree_array which, uint32_t i,
                              uint64_t *count) {
    double value = 0;
    *count = ENSEMBLE_NO_COUNT;
    if (!r->has_counts)
        return STATUS_OK;
    enum status status = take_integer(r, which, i, 0, (double)LARGEST_COUNT, &value);
    *count = (uint64_t)value;
    return status;
}

static enum status take_inner(struct tree_reader *r, uint32_t i, struct ensemble_builder *builder) {
    struct inner_node node = {0};
    double feature, left, right, nan_left = 0;
    double lowest = -(double)r->n_inner - 1, highest = (double)r->n_inner - 1;
    enum status status;
    if ((status = take_integer(r, FEATURE, i, 0, ENSEMBLE_MAX_FEATURES - 1, &feature)) ||
        (status = take_threshold(r, i, &node.threshold)) ||
        (status = take_integer(r, LEFT, i, lowest, highest, &left)) ||
        (status = take_integer(r, RIGHT, i, lowest, highest, &right)) ||
        (r->next[NAN_LEFT] && (status = take_integer(r, NAN_LEFT, i, 0, 1, &nan_left))) ||
        (status = take_count(r, NODE_COUNT, i, &node.count)))
        return status;
    node.feature = (uint32_t)feature;
    node.left = reader_child(r->n_inner, (int32_t)left);
    node.right = reader_child(r->n_inner, (int32_t)right);
    node.nan_left = nan_left != 0;
    ensemble_builder_add_inner(builder, &node);
    return STATUS_OK;
}

static enum status take_leaf(struct tree_reader *r, uint32_t i, struct ensemble_builder *builder) {
    uint64_t count;
    const cJSON *item = r->next[VALUE];
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
        return wrong_value(r, VALUE, i, "a finite number");
    r->next[VALUE] = item->next;
    enum status status = take_count(r, LEAF_COUNT, i, &count);
    if (!status)
        ensemble_builder_add_leaf(builder, item->valuedouble, count);
    return status;
}

/* Finds the arrays of a tree and checks their sizes, which `feature` sets. */
static enum status find_arrays(struct tree_reader *r, const cJSON *tree) {
    const cJSON *arrays[ARRAYS] = {NULL};
    enum status status =
        json_get_array(r->name, tree, array_names[FEATURE], &arrays[FEATURE], r->error);
    if (status)
        return status;
    r->n_inner = (uint32_t)cJSON_GetArraySize(arrays[FEATURE]);
    r->has_counts = cJSON_HasObjectItem(tree, array_names[NODE_COUNT]) ||
                    cJSON_HasObjectItem(tree, array_names[LEAF_COUNT]);
    for (int i = 0; i < ARRAYS && !status; i++) {
        bool of_leaves = i == VALUE || i == LEAF_COUNT;
        if ((i == NAN_LEFT && !cJSON_HasObjectItem(tree, array_names[i])) ||
            ((i == NODE_COUNT || i == LEAF_COUNT) && !r->has_counts))
            continue;
        status = get_sized(r->name, tree, array_names[i], (size_t)r->n_inner + of_leaves,
                           &arrays[i], r->error);
        r->next[i] = arrays[i] ? arrays[i]->child : NULL;
    }
    return status;
}

static enum status read_tree(const char *name, const cJSON *tree, uint32_t number,
                             uint32_t n_outputs, struct ensemble_builder *builder,
                             struct error *error) {
    static const char *const known[] = {"output",     "feature",  "threshold",  "left",
                                        "right",      "nan_left", "node_count", "value",
                                        "leaf_count", NULL};
    struct tree_reader r = {.error = error};
    uint32_t output = 0;
    snprintf(r.name, sizeof r.name, "%s: tree %" PRIu32, name, number);
    if (!cJSON_IsObject(tree))
        return error_set(error, STATUS_INPUT, "%s: should be an object", r.name);
    enum status status = check_known(r.name, tree, known, error);
    if (!status)
        status = json_get_u32(r.name, tree, "output", 0, n_outputs - 1, &output, error);
    if (!status)
        status = find_arrays(&r, tree);
    if (!status)
        ensemble_builder_add_tree(builder, output);
    for (uint32_t i = 0; i < r.n_inner && !status; i++)
        status = take_inner(&r, i, builder);
    for (uint32_t i = 0; i < r.n_inner + 1 && !status; i++)
        status = take_leaf(&r, i, builder);
    return status;
}

static enum status read_base(const char *name, const cJSON *model, uint32_t n_outputs,
                             double **base, struct error *error) {
    const cJSON *array = NULL;
    enum status status = get_sized(name, model, "base", n_outputs, &array, error);
    if (status)
        return status;
    *base = calloc(n_outputs, sizeof **base);
    if (!*base)
        return error_memory(error, "a model");
    size_t i = 0;
    for (const cJSON *item = array->child; item; item = item->next, i++) {
        if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
            return error_set(error, STATUS_INPUT, "%s: base: value %zu should be a finite number",
                             name, i);
        (*base)[i] = item->valuedouble;
    }
    return STATUS_OK;
}

static enum status check_header(const char *name, const cJSON *model, struct error *error) {
    static const char *const known[] = {"format", "version", "features",      "outputs", "base",
                                        "trees",  "note",    "feature_names", NULL};
    const char *format = NULL;
    double version = 0;
    if (!cJSON_IsObject(model))
        return error_set(error, STATUS_INPUT, "%s:1: should be a JSON object", name);
    enum status status = json_get_string(name, model, "format", &format, error);
    if (!status && strcmp(format, "treebench") != 0)
        status = error_set(error, STATUS_INPUT,
                           "%s: format: is \"%.100s\", and should be "
                           "\"treebench\"",
                           name, format);
    if (!status)
        status = json_get_number(name, model, "version", -INFINITY, INFINITY, &version, error);
    if (!status && version != VERSION)
        status = error_set(error, STATUS_UNSUPPORTED, "%s: version: is %g, and should be %d", name,
                           version, VERSION);
    return status ? status : check_known(name, model, known, error);
}

static enum status read_trees(const char *name, const cJSON *model, uint32_t n_outputs,
                              struct ensemble_builder *builder, struct error *error) {
    const cJSON *trees = NULL;
    enum status status = json_get_array(name, model, "trees", &trees, error);
    uint32_t number = 0;
    for (const cJSON *tree = status ? NULL : trees->child; tree && !status; tree = tree->next)
        status = read_tree(name, tree, number++, n_outputs, builder, error);
    return status;
}

static enum status name_features(const char *name, const cJSON *model, struct ensemble *ensemble,
                                 struct error *error) {
    const cJSON *array = NULL;
    struct feature_names names = {0};
    enum status status = STATUS_OK;
    if (cJSON_HasObjectItem(model, "feature_names"))
        status = json_get_array(name, model, "feature_names", &array, error);
    for (const cJSON *item = array ? array->child : NULL; item && !status; item = item->next)
        status =
            cJSON_IsString(item)
                ? feature_names_add(&names, item->valuestring, strlen(item->valuestring), error)
                : error_set(error, STATUS_INPUT, "%s: feature_names: should be strings", name);
    if (!status)
        return feature_names_give(&names, ensemble, name, error);
    feature_names_free(&names);
    return status;
}

static enum status read_model(const char *name, const cJSON *model, struct ensemble **ensemble,
                              struct error *error) {
    struct ensemble_shape shape = {0};
    double *base = NULL;
    enum status status;
    if ((status = check_header(name, model, error)) ||
        (status = json_get_u32(name, model, "features", 1, ENSEMBLE_MAX_FEATURES, &shape.n_features,
                               error)) ||
        (status = json_get_u32(name, model, "outputs", 1, ENSEMBLE_MAX_OUTPUTS, &shape.n_outputs,
                               error)))
        return status;
    struct ensemble_builder *builder = ensemble_builder_create();
    status = builder ? STATUS_OK : error_memory(error, "a model");
    if (!status)
        status = read_base(name, model, shape.n_outputs, &base, error);
    if (!status)
        status = read_trees(name, model, shape.n_outputs, builder, error);
    if (!status && cJSON_HasObjectItem(model, "note"))
        status = json_get_string(name, model, "note", &shape.note, error);
    shape.base = base;
    struct ensemble *made = NULL;
    if (!status)
        status = reader_finish(name, builder, &shape, &made, error);
    else
        ensemble_builder_free(builder);
    free(base);
    if (!status)
        status = name_features(name, model, made, error);
    if (status)
        ensemble_free(made);
    else
        *ensemble = made;
    return status;
}

static enum status treebench_read(const char *name, const char *text, size_t size,
                                  struct ensemble **ensemble, struct error *error) {
    cJSON *model = NULL;
    enum status status = json_parse(name, text, size, &model, error);
    if (!status)
        status = read_model(name, model, ensemble, error);
    cJSON_Delete(model);
    return status;
}

/* A JSON object that names the format near its beginning. */
static bool treebench_recognise(const char *text, size_t size) {
    static const char word[] = "\"treebench\"";
    size_t near = size < 4096 ? size : 4096, at = 0;
    while (at < near && strchr(" \t\r\n", text[at]))
        at++;
    return at < near && text[at] == '{' && memmem(text, near, word, sizeof word - 1);
}

const struct model_format model_format_treebench = {
    .name = "treebench",
    .title = "treebench JSON",
    .recognise = treebench_recognise,
    .read = treebench_read,
    .write = treebench_write,
};
