/* treebench synth: balanced random trees, and documents that reach every leaf equally often. */
#include "base/random.h"
#include "datasets/format.h"
#include "harness/command.h"
#include "models/format.h"
#include "synth/synth.h"

#include <stdint.h>

struct request {
    struct synth_shape shape;
    size_t documents;
    uint64_t seed;
    const char *model, *data; /* NULL: not wanted */
};

/* The options as typed; those with a default hold its text. */
struct typed {
    const char *depth, *features, *trees, *documents, *seed;
};

static enum status parse_u32(const char *flag, const char *text, long long low, long long high,
                             uint32_t *value, struct error *error) {
    long long parsed;
    enum status status = command_integer(flag, text, low, high, &parsed, error);
    if (!status)
        *value = (uint32_t)parsed;
    return status;
}

static enum status parse_request(const struct typed *typed, struct request *request,
                                 struct error *error) {
    enum { DEPTH_MAX = 20, FEATURES_MAX = 1000 * 1000, TREES_MAX = 1000 * 1000 };
    const long long documents_max = 1LL << 32;
    long long documents = 0, seed = 0;
    enum status status;
    (void)((status =
                parse_u32("depth", typed->depth, 0, DEPTH_MAX, &request->shape.depth, error)) ||
           (status = parse_u32("features", typed->features, 1, FEATURES_MAX,
                               &request->shape.n_features, error)) ||
           (status =
                parse_u32("trees", typed->trees, 1, TREES_MAX, &request->shape.n_trees, error)) ||
           (status = command_integer("documents", typed->documents, 1, documents_max, &documents,
                                     error)) ||
           (status = command_integer("seed", typed->seed, 0, INT64_MAX, &seed, error)));
    request->documents = (size_t)documents;
    request->seed = (uint64_t)seed;
    return status;
}

static enum status write_documents(const struct ensemble *ensemble, const struct request *request,
                                   struct error *error) {
    struct matrix *documents;
    enum status status = synth_documents(ensemble, request->documents,
                                         random_derive(request->seed, 1), &documents, error);
    if (status)
        return status;
    status = data_write(documents, request->data, NULL, error);
    matrix_free(documents);
    return status;
}

static enum status synthesise(const struct request *request, struct error *error) {
    struct ensemble *ensemble;
    enum status status =
        synth_trees(&request->shape, random_derive(request->seed, 0), &ensemble, error);
    if (status)
        return status;
    if (request->model)
        status = model_write(ensemble, request->model, NULL, error);
    if (!status && request->data)
        status = write_documents(ensemble, request, error);
    ensemble_free(ensemble);
    return status;
}

static int run(int argc, char **argv) {
    struct request request = {0};
    struct typed typed = {.trees = "1", .documents = "1024", .seed = "1"};
    struct flag flags[] = {
        {.name = "depth",
         .argument = "D",
         .help = "decisions on each path, 0 to 20",
         .value = &typed.depth},
        {.name = "features",
         .argument = "F",
         .help = "features of a document",
         .value = &typed.features},
        {.name = "trees", .argument = "N", .help = "trees (default: 1)", .value = &typed.trees},
        {.name = "documents",
         .argument = "N",
         .help = "documents (default: 1024)",
         .value = &typed.documents},
        {.name = "seed",
         .argument = "S",
         .help = "the same seed gives the same files (default: 1)",
         .value = &typed.seed},
        {.name = "model",
         .argument = "FILE",
         .help = "where the trees go, as JSON",
         .value = &request.model},
        {.name = "data",
         .argument = "FILE",
         .help = "where the documents go, as SVMlight text",
         .value = &request.data},
        {0}};
    bool done;
    int exit_status = command_parse(&command_synth, flags, argc, argv, NULL, &done);
    if (exit_status != EXIT_DONE || done)
        return exit_status;
    if ((exit_status = command_require(&command_synth, flags, "depth")) ||
        (exit_status = command_require(&command_synth, flags, "features")))
        return exit_status;
    if (!request.model && (exit_status = command_require(&command_synth, flags, "data")))
        return exit_status;

    struct error error;
    enum status status = parse_request(&typed, &request, &error);
    if (!status)
        status = synthesise(&request, &error);
    return status ? command_fail(status, &error) : EXIT_DONE;
}

const struct command command_synth = {
    .name = "synth",
    .summary = "make random balanced trees, and documents that reach every leaf equally often",
    .details = "The trees and documents of asadi2014, section 4.1. N documents reach each of the\n"
               "2^D leaves of the first tree N/2^D times. One of --model and --data may be left\n"
               "out.\n\n"
               "Example:\n"
               "  treebench synth --depth 5 --features 32 --model trees.json --data documents.txt",
    .run = run,
};
