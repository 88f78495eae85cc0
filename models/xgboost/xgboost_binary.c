/* Reads XGBoost's old binary format. Versions up to 2.x write it unless the file name ends in .json
 * or .ubj. It is little-endian and has no magic number:
 *
 *     4 bytes       number of classes, big-endian; only in classifiers of XGBoost4J-Spark
 *     "binf"        only in some very old files
 *     136 bytes     base score, features, classes, flags, version
 *     texts         the objective and the booster, each with a length of 8 bytes
 *     160 bytes     number of trees, ...
 *     trees         148 bytes (number of nodes, ...), 20 bytes per node, 16 bytes of statistics
 *                   per node, and in old files the leaf vectors
 *     outputs       4 bytes per tree: the output it adds to
 *     "dart" only   8 bytes, then 4 bytes per tree: its weight
 *     attributes and names of metrics, depending on the flags
 *
 * Sources: xgboost's src/learner.cc (LearnerModelParamLegacy, LoadModel), src/gbm/gbtree_model.h,
 * include/xgboost/tree_model.h (TreeParam, Node, RTreeNodeStat) of version 1.0. */
#include "base/number.h"
#include "models/format.h"
#include "models/xgboost/xgboost_model.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEARNER_SIZE = 136,
    MODEL_SIZE = 160,
    TREE_SIZE = 148,
    NODE_SIZE = 20,
    STATISTICS_SIZE = 16,
    SPARK_SIZE = 4, /* bytes that XGBoost4J-Spark writes before the model */
    SPARK_LEAST_CLASSES = 2
};

struct cursor {
    const char *name;
    const unsigned char *begin, *at, *end;
    struct error *error;
};

struct learner {
    struct xgboost_header header;
    float base;
    bool has_attributes, has_metrics;
};

/* --- bytes ------------------------------------------------------------------------------------ */

static size_t left(const struct cursor *c) {
    return (size_t)(c->end - c->at);
}

static enum status wrong_bytes(const struct cursor *c, const char *what) {
    return error_set(c->error, STATUS_INPUT, "%s: byte %zu: %s", c->name,
                     (size_t)(c->at - c->begin), what);
}

/* Takes `count` elements of `size` bytes. */
static enum status take(struct cursor *c, uint64_t count, size_t size, const char *what,
                        const unsigned char **taken) {
    if (count > left(c) / size)
        return error_set(c->error, STATUS_INPUT,
                         "%s: byte %zu: %s: %llu x %zu bytes exceed the rest of the file (bytes "
                         "left: %zu). Is the file truncated?",
                         c->name, (size_t)(c->at - c->begin), what, (unsigned long long)count, size,
                         left(c));
    *taken = c->at;
    c->at += count * size;
    return STATUS_OK;
}

static uint32_t to_u32(const unsigned char *at) {
    return (uint32_t)number_little_endian(at, 4);
}

static int32_t to_i32(const unsigned char *at) {
    return (int32_t)to_u32(at);
}

static float to_float(const unsigned char *at) {
    return number_float_of(to_u32(at));
}

static enum status take_length(struct cursor *c, const char *what, uint64_t *length) {
    const unsigned char *at = NULL;
    enum status status = take(c, 1, 8, what, &at);
    if (!status)
        *length = number_little_endian(at, 8);
    return status;
}

static enum status take_name(struct cursor *c, const char *what,
                             char name[static XGBOOST_NAME_SIZE]) {
    uint64_t length = 0;
    const unsigned char *at = NULL;
    enum status status = take_length(c, what, &length);
    if (!status && length >= XGBOOST_NAME_SIZE)
        return error_set(c->error, STATUS_INPUT,
                         "%s: byte %zu: %s: the name has %llu bytes; the limit is %d", c->name,
                         (size_t)(c->at - c->begin), what, (unsigned long long)length,
                         XGBOOST_NAME_SIZE - 1);
    if (!status)
        status = take(c, length, 1, what, &at);
    if (!status) {
        memcpy(name, at, length);
        name[length] = '\0';
    }
    return status;
}

/* --- the parts of the file -------------------------------------------------------------------- */

static enum status read_learner(struct cursor *c, struct learner *learner) {
    struct xgboost_header *header = &learner->header;
    const unsigned char *at = NULL;
    if (left(c) >= 4 && memcmp(c->at, "binf", 4) == 0)
        c->at += 4;
    enum status status = take(c, 1, LEARNER_SIZE, "the parameters of the learner", &at);
    if (status)
        return status;
    learner->base = to_float(at);
    header->n_features = to_u32(at + 4);
    header->n_classes = to_u32(at + 8);
    learner->has_attributes = to_u32(at + 12) != 0;
    learner->has_metrics = to_u32(at + 16) != 0;
    header->version = (struct xgboost_version){
        .is_known = true, .major = to_u32(at + 20), .minor = to_u32(at + 24)};
    header->base_is_margin = header->version.major == 0;
    header->n_targets = to_u32(at + 28); /* reserved and 0 before version 1.6 */
    if ((status = take_name(c, "the objective", header->objective)) ||
        (status = take_name(c, "the booster", header->booster)))
        return status;
    if (strcmp(header->booster, "gbtree") != 0 && strcmp(header->booster, "dart") != 0)
        return error_set(c->error, STATUS_UNSUPPORTED,
                         "%s: the booster '%s' is not supported; expected trees (gbtree or dart)",
                         c->name, header->booster);
    return STATUS_OK;
}

static struct xgboost_node to_node(const unsigned char *at) {
    uint32_t split = to_u32(at + 12);
    return (struct xgboost_node){.left = to_i32(at + 4),
                                 .right = to_i32(at + 8),
                                 .feature = split & UINT32_C(0x7fffffff),
                                 .default_left = split >> 31,
                                 .number = to_float(at + 16)};
}

/* Versions before 2.0 wrote leaf vectors after the nodes. They were never used. */
static enum status skip_leaf_vectors(struct cursor *c, uint32_t size, uint32_t major_version) {
    uint64_t length = 0;
    const unsigned char *at;
    if (major_version >= 2)
        return size <= 1 ? STATUS_OK
                         : wrong_bytes(c, "leaves with several values are not supported");
    if (size == 0)
        return STATUS_OK;
    enum status status = take_length(c, "leaf vectors", &length);
    return status ? status : take(c, length, 4, "leaf vectors", &at);
}

static enum status read_tree(struct cursor *c, uint32_t major_version,
                             struct xgboost_model *model) {
    const unsigned char *parameters = NULL, *nodes = NULL, *statistics;
    enum status status = take(c, 1, TREE_SIZE, "the parameters of a tree", &parameters);
    if (status)
        return status;
    uint32_t n_nodes = to_u32(parameters + 4);
    if (to_u32(parameters) != 1)
        return wrong_bytes(c, "trees with several roots are not supported");
    if ((status = take(c, n_nodes, NODE_SIZE, "the nodes of a tree", &nodes)) ||
        (status = take(c, n_nodes, STATISTICS_SIZE, "the statistics of a tree", &statistics)) ||
        (status = skip_leaf_vectors(c, to_u32(parameters + 20), major_version)))
        return status;
    struct xgboost_node *converted = malloc((n_nodes ? n_nodes : 1) * sizeof *converted);
    if (!converted)
        return error_memory(c->error, "the nodes of a tree");
    for (size_t i = 0; i < n_nodes; i++)
        converted[i] = to_node(nodes + i * NODE_SIZE);
    struct xgboost_tree tree = {.nodes = converted, .n_nodes = n_nodes};
    status = xgboost_add_tree(model, &tree);
    free(converted);
    return status;
}

static enum status read_trees(struct cursor *c, struct learner *learner,
                              struct xgboost_model *model) {
    const struct xgboost_version *version = &learner->header.version;
    const unsigned char *parameters = NULL;
    enum status status = take(c, 1, MODEL_SIZE, "the parameters of the trees", &parameters);
    if (status)
        return status;
    uint32_t n_trees = to_u32(parameters);
    if (version->major > 1 || (version->major == 1 && version->minor >= 6))
        learner->header.early_stop.n_parallel =
            to_u32(parameters + 4); /* in older versions the number of roots */
    if (to_u32(parameters + 16) || to_u32(parameters + 20))
        return wrong_bytes(c, "prediction buffers, written by versions before 0.6, are not "
                              "supported. Load and save the model with a newer version of XGBoost");
    for (uint32_t t = 0; t < n_trees && !status; t++)
        status = read_tree(c, version->major, model);
    return status;
}

/* Reads u32 or floats. */
static enum status read_numbers(struct cursor *c, uint32_t count, const char *what,
                                struct memory_list *list) {
    const unsigned char *at = NULL;
    enum status status = take(c, count, 4, what, &at);
    for (size_t i = 0; i < count && !status; i++) {
        const uint32_t bits = to_u32(at + 4 * i);
        if (!memory_list_add(list, &bits, sizeof bits))
            status = error_memory(c->error, "the trees of a model");
    }
    return status;
}

static enum status read_weights(struct cursor *c, uint32_t n_trees, struct memory_list *list) {
    static const char what[] = "the weights of the trees";
    uint64_t length = 0;
    enum status status = take_length(c, what, &length);
    if (!status && length != n_trees)
        status = wrong_bytes(c, "expected one weight per tree");
    return status ? status : read_numbers(c, n_trees, what, list);
}

static bool is_text(const unsigned char *at, uint64_t length, const char *text) {
    return length == strlen(text) && memcmp(at, text, length) == 0;
}

static enum status take_text(struct cursor *c, const char *what, const unsigned char **at,
                             uint64_t *length) {
    enum status status = take_length(c, what, length);
    return status ? status : take(c, *length, 1, what, at);
}

static enum status skip_texts(struct cursor *c, uint64_t count, const char *what) {
    enum status status = STATUS_OK;
    uint64_t length;
    const unsigned char *at;
    for (uint64_t i = 0; i < count && !status; i++)
        status = take_text(c, what, &at, &length);
    return status;
}

/* Reads the attributes. Early stopping stores two numbers there. */
static enum status read_attributes(struct cursor *c, uint64_t count,
                                   struct xgboost_early_stop *early_stop) {
    enum status status = STATUS_OK;
    for (uint64_t i = 0; i < count && !status; i++) {
        const unsigned char *key = NULL, *text = NULL;
        uint64_t key_length = 0, length = 0;
        if ((status = take_text(c, "attributes", &key, &key_length)) ||
            (status = take_text(c, "attributes", &text, &length)))
            break;
        uint32_t number = 0;
        const char *begin = (const char *)text, *end = begin + length;
        bool is_number = number_parse_u32(begin, end, &number) == end;
        if (is_number && is_text(key, key_length, "best_iteration")) {
            early_stop->is_known = true;
            early_stop->iteration = number;
        }
        if (is_number && is_text(key, key_length, "best_ntree_limit"))
            early_stop->ntree_limit = number;
    }
    return status;
}

/* Reads the rest of the file. Everything but the attributes is only read to check that the file is
 * complete. */
static enum status read_rest(struct cursor *c, struct learner *learner) {
    enum status status = STATUS_OK;
    uint64_t count = 0;
    if (learner->has_attributes && !(status = take_length(c, "attributes", &count))) {
        if (count > left(c))
            return wrong_bytes(c, "the number of attributes does not fit the rest of the file");
        status = read_attributes(c, count, &learner->header.early_stop);
    }
    if (!status && learner->header.version.major == 0 &&
        strcmp(learner->header.objective, "count:poisson") == 0)
        status = skip_texts(c, 1, "max_delta_step");
    if (!status && learner->has_metrics && !(status = take_length(c, "metrics", &count)))
        status = skip_texts(c, count, "metrics");
    return status;
}

/* --- the model -------------------------------------------------------------------------------- */

static enum status read_model(struct cursor *c, struct learner *learner,
                              struct xgboost_model *model) {
    struct xgboost_header *header = &learner->header;
    enum status status = read_learner(c, learner);
    if (!status && !memory_list_add(&header->base, &learner->base, sizeof learner->base))
        status = error_memory(c->error, "a model");
    if (!status)
        status = read_trees(c, learner, model);
    if (!status)
        status = read_numbers(c, model->n_trees, "the outputs of the trees", &header->tree_output);
    if (!status && strcmp(header->booster, "dart") == 0)
        status = read_weights(c, model->n_trees, &header->tree_weight);
    return status ? status : read_rest(c, learner);
}

/* Does the data begin with a learner whose objective and booster have valid names? */
static bool begins_model(const unsigned char *data, size_t size) {
    struct cursor c = {"", data, data, data + size, NULL};
    struct learner learner = {0};
    enum status status = read_learner(&c, &learner);
    bool is_linear =
        status == STATUS_UNSUPPORTED && strcmp(learner.header.booster, "gblinear") == 0;
    return !status || is_linear;
}

/* Returns the number of bytes before the model: SPARK_SIZE if XGBoost4J-Spark wrote the file,
 * otherwise 0. */
static size_t spark_size(const unsigned char *data, size_t size) {
    if (size < SPARK_SIZE || begins_model(data, size))
        return 0;
    uint32_t classes = (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 |
                       (uint32_t)data[3];
    bool are_classes = classes >= SPARK_LEAST_CLASSES && classes <= ENSEMBLE_MAX_OUTPUTS;
    return are_classes && begins_model(data + SPARK_SIZE, size - SPARK_SIZE) ? SPARK_SIZE : 0;
}

static enum status binary_read(const char *name, const char *text, size_t size,
                               struct ensemble **ensemble, struct error *error) {
    const unsigned char *data = (const unsigned char *)text;
    struct cursor c = {name, data, data + spark_size(data, size), data + size, error};
    struct learner learner = {.has_metrics = false};
    struct xgboost_model model = {
        .name = name, .error = error, .builder = ensemble_builder_create()};
    enum status status = read_model(&c, &learner, &model);
    return xgboost_model_finish(&model, status, &learner.header, ensemble);
}

static bool binary_recognise(const char *text, size_t size) {
    const unsigned char *data = (const unsigned char *)text;
    return spark_size(data, size) > 0 || begins_model(data, size);
}

const struct model_format model_format_xgboost_binary = {
    .name = "xgboost-binary",
    .title = "XGBoost's old binary format",
    .recognise = binary_recognise,
    .read = binary_read,
    .absent_is_missing = true,
    .numbers_as_written = true,
};
