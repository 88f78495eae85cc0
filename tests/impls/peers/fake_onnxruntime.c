/* Stands in for libonnxruntime.so in test_peer_onnxruntime.c, which compiles it: the table of
 * functions by their places, of which those that are needed are there. Predicts what is easy to
 * tell, and fails where a call is not as it should be. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int n_alive, n_threads[2], in_sequence;

int fake_n_alive(void) {
    return n_alive;
}

struct tensor {
    float *data;
    int64_t rows, columns;
};

static void *make(void **made) {
    *made = malloc(1);
    n_alive++;
    return NULL;
}

static void release(void *made) {
    free(made);
    n_alive--;
}

static void *fail(void) {
    void *error;
    make(&error);
    return error;
}

static const char *error_text(const void *error) {
    return error ? "no such model\nand more lines" : NULL;
}

static void *create_environment(int log_level, const char *id, void **environment) {
    return log_level >= 0 && id ? make(environment) : fail();
}

static void *create_options(void **options) {
    in_sequence = n_threads[0] = n_threads[1] = 0;
    return make(options);
}

static void *set_execution(void *options, int mode) {
    in_sequence = options && mode == 0;
    return NULL;
}

static void *set_threads_in_nodes(void *options, int threads) {
    n_threads[0] = options ? threads : 0;
    return NULL;
}

static void *set_threads_over_nodes(void *options, int threads) {
    n_threads[1] = options ? threads : 0;
    return NULL;
}

static int holds(const char *model, size_t size, const char *word) {
    for (size_t i = 0; i + strlen(word) <= size; i++)
        if (memcmp(model + i, word, strlen(word)) == 0)
            return 1;
    return 0;
}

/* A model of three outputs is refused. */
static void *create_session(const void *environment, const void *model, size_t size,
                            const void *options, void **session) {
    int good = environment && options && in_sequence && n_threads[0] == 1 && n_threads[1] == 1 &&
               holds(model, size, "TreeEnsembleRegressor") && holds(model, size, "scores") &&
               !holds(model, size, "n_targets\x18\x03");
    return good ? make(session) : fail();
}

static void *create_memory(int allocator, int type, void **memory) {
    return allocator == 1 && type == 0 ? make(memory) : fail();
}

static void *create_tensor(const void *memory, void *data, size_t bytes, const int64_t *shape,
                           size_t n_dimensions, int element, void **value) {
    if (!memory || n_dimensions != 2 || element != 1 ||
        bytes != (size_t)(shape[0] * shape[1]) * sizeof(float))
        return fail();
    struct tensor *tensor = malloc(sizeof *tensor);
    *tensor = (struct tensor){data, shape[0], shape[1]};
    n_alive++;
    *value = tensor;
    return NULL;
}

/* The score of a document is its first feature + 10 times its second. A first feature of 999 is an
 * error. */
static void *run(void *session, const void *options, const char *const *input_names,
                 const void *const *inputs, size_t n_inputs, const char *const *output_names,
                 size_t n_outputs, void **outputs) {
    if (!session || options || n_inputs != 1 || n_outputs != 1 || strcmp(input_names[0], "X") ||
        strcmp(output_names[0], "scores"))
        return fail();
    const struct tensor *input = inputs[0], *output = outputs[0];
    if (output->columns != 1 || output->rows != input->rows)
        return fail();
    for (int64_t i = 0; i < input->rows; i++) {
        const float *x = input->data + i * input->columns;
        if (x[0] == 999)
            return fail();
        output->data[i] = x[0] + 10 * x[1];
    }
    return NULL;
}

static const void *table[101] = {[2] = error_text,
                                 [3] = create_environment,
                                 [8] = create_session,
                                 [9] = run,
                                 [10] = create_options,
                                 [13] = set_execution,
                                 [24] = set_threads_in_nodes,
                                 [25] = set_threads_over_nodes,
                                 [49] = create_tensor,
                                 [69] = create_memory,
                                 [92] = release,
                                 [93] = release,
                                 [94] = release,
                                 [95] = release,
                                 [96] = release,
                                 [100] = release};

static const void *api(uint32_t version) {
#ifdef WITHOUT_API
    return NULL;
#endif
    return version == 1 ? table : NULL;
}

static const char *version_text(void) {
    return "0.0.0";
}

static const void *base[] = {api, version_text};

#ifndef WITHOUT_BASE
const void *OrtGetApiBase(void) {
    return base;
}
#endif
