/* treebench synth: documents and models that are made, not found. */
#include "base/random.h"
#include "datasets/catalogue.h"
#include "datasets/format.h"
#include "harness/command.h"
#include "harness/inputs.h"
#include "models/format.h"
#include "synth/grown.h"
#include "synth/standin.h"
#include "synth/synth.h"

#include <stdint.h>
#include <string.h>

/* The options as typed. */
struct typed {
    const char *depth, *features, *trees, *documents, *seed, *leaves;
    const char *like, *grow_on, *copies_of; /* each a way of its own */
    const char *label, *first_feature;      /* of the documents to grow on */
    const char *model, *data;               /* NULL: not wanted */
};

struct request {
    struct synth_shape shape;
    uint32_t leaves;
    size_t documents; /* 0: as many as the data set */
    uint64_t seed;
    const char *model, *data;
};

static enum status parse_u32(const char *flag, const char *text, long long low, long long high,
                             uint32_t *value, struct error *error) {
    long long parsed;
    enum status status = text ? command_integer(flag, text, low, high, &parsed, error) : STATUS_OK;
    if (!status && text)
        *value = (uint32_t)parsed;
    return status;
}

static enum status parse_request(const struct typed *typed, struct request *request,
                                 struct error *error) {
    enum { DEPTH_MAX = 20, FEATURES_MAX = 1000 * 1000, TREES_MAX = 1000 * 1000 };
    const long long documents_max = 1LL << 32;
    long long documents = typed->like ? 0 : 1024, seed = 1;
    *request = (struct request){
        .shape.n_trees = 1, .leaves = 31, .model = typed->model, .data = typed->data};
    enum status status;
    (void)((status =
                parse_u32("depth", typed->depth, 0, DEPTH_MAX, &request->shape.depth, error)) ||
           (status = parse_u32("features", typed->features, 1, FEATURES_MAX,
                               &request->shape.n_features, error)) ||
           (status =
                parse_u32("trees", typed->trees, 1, TREES_MAX, &request->shape.n_trees, error)) ||
           (status =
                parse_u32("leaves", typed->leaves, 2, GROWN_MAX_LEAVES, &request->leaves, error)) ||
           (typed->documents && (status = command_integer("documents", typed->documents, 1,
                                                          documents_max, &documents, error))) ||
           (typed->seed &&
            (status = command_integer("seed", typed->seed, 0, INT64_MAX, &seed, error))));
    request->documents = (size_t)documents;
    request->seed = (uint64_t)seed;
    return status;
}

/* --- the ways --------------------------------------------------------------------------------- */
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

static enum status make_balanced(const struct request *request, struct error *error) {
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

static enum status make_standin(const char *like, const struct request *request,
                                struct error *error) {
    const struct data_set *set;
    struct matrix *documents;
    enum status status = data_set_find(like, &set, error);
    if (!status)
        status = synth_standin(set, request->documents, request->seed, &documents, error);
    if (status)
        return status;
    status = data_write(documents, request->data, NULL, error);
    matrix_free(documents);
    return status;
}

static enum status write_model(struct ensemble *ensemble, const char *path, struct error *error) {
    enum status status = model_write(ensemble, path, NULL, error);
    ensemble_free(ensemble);
    return status;
}

static enum status grow(const struct typed *typed, const struct request *request,
                        struct error *error) {
    struct matrix *documents;
    struct ensemble *ensemble;
    struct data_reading reading = {.label = typed->label,
                                   .first_feature_given = typed->first_feature};
    enum status status =
        inputs_parse_first_feature(typed->first_feature, &reading.from_zero, error);
    if (!status)
        status = data_read(typed->grow_on, &reading, &documents, error);
    if (status)
        return status;
    const struct grown_shape shape = {request->shape.n_trees, request->leaves};
    status = synth_grown(documents, &shape, request->seed, &ensemble, error);
    matrix_free(documents);
    return status ? status : write_model(ensemble, request->model, error);
}

static enum status copy(const char *model, const struct request *request, struct error *error) {
    struct ensemble *ensemble, *copies;
    enum status status = model_read(model, &ensemble, error);
    if (status)
        return status;
    status = synth_copies(ensemble, request->shape.n_trees, &copies, error);
    ensemble_free(ensemble);
    return status ? status : write_model(copies, request->model, error);
}

/* --- which way -------------------------------------------------------------------------------- */
/* What a way cannot do without, and what it has no use for: names of options. */
struct way {
    const char *needs[3], *refuses[9];
};
static const struct way BALANCED = {{"depth", "features"}, {"leaves", "label", "first-feature"}};
static const struct way STANDIN = {{"data"},
                                   {"depth", "features", "trees", "leaves", "model", "grow-on",
                                    "copies-of", "label", "first-feature"}};
static const struct way GROWN = {{"trees", "model"},
                                 {"depth", "features", "documents", "data", "copies-of"}};
static const struct way COPIES = {
    {"trees", "model"},
    {"depth", "features", "documents", "data", "leaves", "seed", "label", "first-feature"}};

static bool is_given(const struct flag *flags, const char *name) {
    while (flags->name && strcmp(flags->name, name) != 0)
        flags++;
    return flags->name && *flags->value;
}

static int check_way(const struct way *way, const char *name, const struct flag *flags) {
    for (size_t i = 0; i < sizeof way->needs / sizeof *way->needs && way->needs[i]; i++) {
        int exit_status = command_require(&command_synth, flags, way->needs[i]);
        if (exit_status)
            return exit_status;
    }
    for (size_t i = 0; i < sizeof way->refuses / sizeof *way->refuses && way->refuses[i]; i++) {
        struct error error;
        if (is_given(flags, way->refuses[i]))
            return command_fail(error_set(&error, STATUS_INPUT,
                                          "--%s means nothing with %s; see treebench synth --help",
                                          way->refuses[i], name),
                                &error);
    }
    return EXIT_DONE;
}

static int check_ways(const struct typed *typed, const struct flag *flags) {
    if (typed->like)
        return check_way(&STANDIN, "--like", flags);
    if (typed->grow_on)
        return check_way(&GROWN, "--grow-on", flags);
    if (typed->copies_of)
        return check_way(&COPIES, "--copies-of", flags);
    int exit_status = check_way(&BALANCED, "--depth", flags);
    struct error error;
    if (exit_status || typed->model || typed->data)
        return exit_status;
    return command_fail(
        error_set(&error, STATUS_INPUT, "synth: --model FILE or --data FILE is needed"), &error);
}

/* Names that say no format are found before anything is made. */
static enum status check_names(const struct typed *typed, struct error *error) {
    const struct data_format *data;
    enum status status = typed->model ? model_check_own_name(typed->model, error) : STATUS_OK;
    if (!status && typed->data)
        status = data_find_writer(typed->data, NULL, &data, error);
    return status;
}

static enum status check_files(const struct typed *typed, struct error *error) {
    const char *model = typed->model;
    bool both = model && typed->data && strcmp(model, "-") == 0 && strcmp(typed->data, "-") == 0;
    enum status status =
        both ? error_set(error, STATUS_INPUT, "--model and --data cannot both be standard output")
             : command_keep_apart("data", typed->data, "model", model, error);
    if (!status)
        status = check_names(typed, error);
    if (!status)
        status = command_keep_apart("model", model, "grow-on", typed->grow_on, error);
    if (!status)
        status = command_keep_apart("model", model, "copies-of", typed->copies_of, error);
    return status;
}

static enum status synthesise(const struct typed *typed, struct error *error) {
    struct request request;
    enum status status = parse_request(typed, &request, error);
    if (!status)
        status = check_files(typed, error);
    if (status)
        return status;
    if (typed->like)
        return make_standin(typed->like, &request, error);
    if (typed->grow_on)
        return grow(typed, &request, error);
    if (typed->copies_of)
        return copy(typed->copies_of, &request, error);
    return make_balanced(&request, error);
}

static int run(int argc, char **argv) {
    struct typed typed = {0};
    struct flag flags[] = {
        {.name = "depth",
         .argument = "D",
         .help = "decisions on each path, 0 to 20",
         .value = &typed.depth},
        {.name = "features",
         .argument = "F",
         .help = "features of a document",
         .value = &typed.features},
        {.name = "like",
         .argument = "NAME",
         .help = "a data set whose stand-in to make; see treebench list",
         .value = &typed.like},
        {.name = "grow-on",
         .argument = "FILE",
         .help = "documents on whose quantiles to grow random trees",
         .value = &typed.grow_on},
        LABEL_FLAG(typed.label),
        FIRST_FEATURE_FLAG(typed.first_feature),
        {.name = "copies-of",
         .argument = "FILE",
         .help = "a model to copy until there are enough trees",
         .value = &typed.copies_of},
        {.name = "trees", .argument = "N", .help = "trees (default: 1)", .value = &typed.trees},
        {.name = "leaves",
         .argument = "L",
         .help = "the most leaves of a grown tree (default: 31)",
         .value = &typed.leaves},
        {.name = "documents",
         .argument = "N",
         .help = "documents (default: 1024, or the data set's)",
         .value = &typed.documents},
        {.name = "seed",
         .argument = "S",
         .help = "the same seed gives the same files (default: 1)",
         .value = &typed.seed},
        {.name = "model",
         .argument = "FILE",
         .help = "where the trees go, as JSON",
         .value = &typed.model},
        {.name = "data",
         .argument = "FILE",
         .help = "where the documents go: .txt, .csv, .cache",
         .value = &typed.data},
        {0}};
    bool done;
    int exit_status = command_parse(&command_synth, flags, argc, argv, NULL, &done);
    if (exit_status != EXIT_DONE || done)
        return exit_status;
    if ((exit_status = check_ways(&typed, flags)))
        return exit_status;

    struct error error;
    enum status status = synthesise(&typed, &error);
    return status ? command_fail(status, &error) : EXIT_DONE;
}

const struct command command_synth = {
    .name = "synth",
    .summary = "make trees and documents: balanced, like a data set, or grown at random",
    .details =
        "--depth makes the trees and documents of asadi2014, section 4.1: N documents reach\n"
        "each of the 2^D leaves of the first tree N/2^D times. One of --model and --data\n"
        "may be left out.\n"
        "--like makes documents of a data set's shape, for where it is absent: a synthetic\n"
        "stand-in, which says so. --grow-on makes random trees with the shapes of trained\n"
        "ones, --copies-of a larger ensemble of the same scores: for speed, not for\n"
        "predictions, and their note says so.\n\n"
        "Examples:\n"
        "  treebench synth --depth 5 --features 32 --model trees.json --data documents.txt\n"
        "  treebench synth --like mslr-web10k --documents 100000 --data standin.cache\n"
        "  treebench synth --grow-on standin.cache --trees 1000 --leaves 64 --model big.json\n"
        "  treebench synth --copies-of model.txt --trees 20000 --model bagged.json",
    .run = run,
};
