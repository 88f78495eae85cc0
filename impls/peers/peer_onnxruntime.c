/* The ONNX Runtime library, if the user has it. It is called through its C API and uses its own CPU
 * kernels, on one thread. The model is passed in ONNX format, as a single TreeEnsembleRegressor.
 *
 * The C API is a table of functions whose positions never change (onnxruntime_c_api.h: "only add
 * functions to the end"). The functions used here are in version 1 of the table, from 2019, which
 * later libraries also provide.
 *
 * The input tensor refers to the memory of the documents, so documents are not copied. treebench's
 * rows may be padded. Therefore the model leaves the width of the input open: ONNX Runtime then
 * accepts rows of any length and reads only the tested features.
 *
 * ONNX Runtime's own threads are not used. treebench's threads divide the documents and call Run
 * concurrently, which Run supports. */
#include "impls/impl.h"

#include "impls/peers/peer_library.h"
#include "models/formats.h"

#include <math.h>
#include <stdlib.h>

/* Sizes in the memory of ONNX Runtime. Its TreeNodeElement has a feature, a threshold, the
 * positions of the children, a mode and flags. A leaf also has a weight. */
enum { NODE_BYTES = 24, LEAF_BYTES = NODE_BYTES + 8 };

/* Constants of onnxruntime_c_api.h, and the number of dimensions of the tensors. */
enum {
    API_VERSION = 1,
    LOG_ERRORS = 3,
    EXECUTE_IN_SEQUENCE = 0,
    ARENA_ALLOCATOR = 1,
    DEFAULT_MEMORY = 0,
    ELEMENT_FLOAT = 1,
    DIMENSIONS = 2
};

typedef struct ort_error ort_error; /* NULL means success */
typedef struct ort_environment ort_environment;
typedef struct ort_options ort_options;
typedef struct ort_session ort_session;
typedef struct ort_memory ort_memory;
typedef struct ort_value ort_value;

/* The table of functions. A member at_N stands for unused functions, of which the first is at
 * position N. */
struct ort_api {
    void *at_0[2];
    const char *(*error_text)(const ort_error *error);
    ort_error *(*create_environment)(int log_level, const char *id, ort_environment **environment);
    void *at_4[4];
    ort_error *(*create_session)(const ort_environment *environment, const void *model, size_t size,
                                 const ort_options *options, ort_session **session);
    ort_error *(*run)(ort_session *session, const void *run_options, const char *const *input_names,
                      const ort_value *const *inputs, size_t n_inputs,
                      const char *const *output_names, size_t n_outputs, ort_value **outputs);
    ort_error *(*create_options)(ort_options **options);
    void *at_11[2];
    ort_error *(*set_execution)(ort_options *options, int mode);
    void *at_14[10];
    ort_error *(*set_threads_in_nodes)(ort_options *options, int threads);
    ort_error *(*set_threads_over_nodes)(ort_options *options, int threads);
    void *at_26[23];
    ort_error *(*create_tensor)(const ort_memory *memory, void *data, size_t bytes,
                                const int64_t *shape, size_t n_dimensions, int element,
                                ort_value **value);
    void *at_50[19];
    ort_error *(*create_memory)(int allocator, int type, ort_memory **memory);
    void *at_70[22];
    void (*free_environment)(ort_environment *environment);
    void (*free_error)(ort_error *error);
    void (*free_memory)(ort_memory *memory);
    void (*free_session)(ort_session *session);
    void (*free_value)(ort_value *value);
    void *at_97[3];
    void (*free_options)(ort_options *options);
};
_Static_assert(offsetof(struct ort_api, free_options) == 100 * sizeof(void *), "places of the API");

struct ort_base {
    const struct ort_api *(*api)(uint32_t version);
    const char *(*version)(void);
};

static const struct ort_base *(*get_base)(void);
static const struct peer_library library = {
    .name = "onnxruntime",
    .file = "libonnxruntime.so.1",
    .variable = "TREEBENCH_ONNXRUNTIME",
    .origin = "its releases and npm install onnxruntime-node bring one"};
static const struct loader_symbol functions[] = {{"OrtGetApiBase", (void **)&get_base}, {0}};

struct peer_onnxruntime {
    struct scorer scorer;
    const struct ort_api *api;
    ort_environment *environment;
    ort_session *session;
    ort_memory *memory; /* describes plain CPU memory, for creating tensors */
};

/* --- scoring ---------------------------------------------------------------------------------- */

static bool succeeds(const struct ort_api *api, ort_error *error) {
    if (error)
        api->free_error(error);
    return !error;
}

static ort_value *tensor(const struct peer_onnxruntime *peer, const float *data, size_t n_rows,
                         size_t n_columns) {
    const int64_t shape[DIMENSIONS] = {(int64_t)n_rows, (int64_t)n_columns};
    ort_value *value = NULL;
    bool made =
        succeeds(peer->api, peer->api->create_tensor(peer->memory, (void *)(uintptr_t)data,
                                                     n_rows * n_columns * sizeof *data, shape,
                                                     DIMENSIONS, ELEMENT_FLOAT, &value));
    return made ? value : NULL;
}

static bool predict(const struct peer_onnxruntime *peer, const float *x, size_t stride,
                    size_t n_docs, float *results) {
    static const char *const input_names[] = {"X"}, *const output_names[] = {"scores"};
    const struct ort_api *api = peer->api;
    ort_value *input = tensor(peer, x, n_docs, stride);
    ort_value *output = tensor(peer, results, n_docs, peer->scorer.n_outputs);
    const ort_value *const inputs[] = {input};
    bool done = input && output &&
                succeeds(api, api->run(peer->session, NULL, input_names, inputs, 1, output_names, 1,
                                       &output));
    if (input)
        api->free_value(input);
    if (output)
        api->free_value(output);
    return done;
}

static void onnxruntime_score(const struct scorer *scorer, struct span units, struct span docs,
                              const struct batch *batch) {
    size_t n_docs = docs.end - docs.begin, n_scores = n_docs * scorer->n_outputs;
    if (units.begin == units.end || n_docs == 0)
        return;
    float *results = malloc(n_scores * sizeof *results);
    bool done =
        results && predict((const struct peer_onnxruntime *)scorer,
                           batch->x + docs.begin * batch->stride, batch->stride, n_docs, results);
    double *scores = batch->scores + docs.begin * scorer->n_outputs;
    /* `score` cannot return an error, so a failure makes the scores NaN. */
    for (size_t i = 0; i < n_scores; i++)
        scores[i] += done ? (double)results[i] : (double)NAN;
    free(results);
}

/* --- building --------------------------------------------------------------------------------- */

static void onnxruntime_destroy(struct scorer *scorer) {
    struct peer_onnxruntime *peer = (struct peer_onnxruntime *)scorer;
    if (peer->session)
        peer->api->free_session(peer->session);
    if (peer->memory)
        peer->api->free_memory(peer->memory);
    if (peer->environment)
        peer->api->free_environment(peer->environment);
}

static enum status check(const struct ort_api *api, ort_error *failure, struct error *error) {
    if (!failure)
        return STATUS_OK;
    enum status status = error_library(error, "ONNX Runtime", api->error_text(failure));
    api->free_error(failure);
    return status;
}

static enum status create_session(struct peer_onnxruntime *peer, const char *model, size_t size,
                                  struct error *error) {
    const struct ort_api *api = peer->api;
    ort_options *options = NULL;
    enum status status = check(api, api->create_options(&options), error);
    if (!status)
        status = check(api, api->set_execution(options, EXECUTE_IN_SEQUENCE), error);
    if (!status)
        status = check(api, api->set_threads_in_nodes(options, 1), error);
    if (!status)
        status = check(api, api->set_threads_over_nodes(options, 1), error);
    if (!status)
        status =
            check(api, api->create_session(peer->environment, model, size, options, &peer->session),
                  error);
    if (options)
        api->free_options(options);
    return status;
}

static enum status load(struct peer_onnxruntime *peer, const struct ensemble *ensemble,
                        struct error *error) {
    struct ensemble trees = *ensemble;
    char *model;
    size_t size;
    trees.open_width = true;
    enum status status = peer_write_model(&trees, model_format_onnx.write, &model, &size, error);
    if (!status)
        status = create_session(peer, model, size, error);
    free(model);
    return status;
}

static enum status start(struct peer_onnxruntime *peer, const struct ensemble *ensemble,
                         struct error *error) {
    peer->api = get_base()->api(API_VERSION);
    if (!peer->api)
        return error_set(
            error, STATUS_MACHINE,
            "ONNX Runtime %s is too old: it has no API of version %d. Install a newer one",
            get_base()->version(), API_VERSION);
    enum status status =
        check(peer->api, peer->api->create_environment(LOG_ERRORS, "treebench", &peer->environment),
              error);
    if (!status)
        status =
            check(peer->api,
                  peer->api->create_memory(ARENA_ALLOCATOR, DEFAULT_MEMORY, &peer->memory), error);
    return status ? status : load(peer, ensemble, error);
}

static enum status onnxruntime_build(const struct impl *impl, const struct ensemble *ensemble,
                                     const struct options *options, struct scorer **scorer,
                                     struct error *error) {
    (void)options;
    enum status status = peer_library_open(&library, functions, error);
    if (status)
        return status;
    /* one call of the library scores all trees */
    struct peer_onnxruntime *peer = scorer_create(sizeof *peer, impl, ensemble, 1, 0, error);
    if (!peer)
        return STATUS_MEMORY;
    peer->scorer.bytes = NODE_BYTES * ensemble->n_nodes + LEAF_BYTES * ensemble->n_leaves;
    return scorer_finish(&peer->scorer, start(peer, ensemble, error), scorer, error);
}

static void onnxruntime_version(char *text, size_t size) {
    snprintf(text, size, "ONNX Runtime %s", get_base()->version());
}

static enum status onnxruntime_find(char *text, size_t size) {
    return peer_library_find(&library, functions, onnxruntime_version, text, size);
}

const struct impl impl_onnxruntime = {.name = "onnxruntime",
                                      .title = "ONNX Runtime",
                                      .source = "onnxruntime.ai",
                                      .kind = IMPL_LIBRARY,
                                      .find = onnxruntime_find,
                                      .version = onnxruntime_version,
                                      .build = onnxruntime_build,
                                      .score = onnxruntime_score,
                                      .destroy = onnxruntime_destroy};
