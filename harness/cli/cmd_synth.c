/* treebench synth: makes documents and models. */
#include "base/random.h"
#include "datasets/catalogue.h"
#include "datasets/data.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/inputs.h"
#include "models/format.h"
#include "synth/grown.h"
#include "synth/more.h"
#include "synth/standin.h"
#include "synth/synth.h"

#include <string.h>

struct synth_options {
    int64_t depth, features, trees, leaves, seed;
    int64_t documents; /* 0: the default */
    /* like, more_of, copies_of and files.data (--grow-on) each select a struct way */
    const char *like, *more_of, *copies_of;
    struct input_files files; /* files.data: the documents on which trees are grown */
    const char *model, *data; /* files to write; NULL: not requested */
};

/* --- the ways --------------------------------------------------------------------------------- */

/* What a way makes; NULL: nothing. */
struct made {
    struct ensemble *ensemble;
    struct matrix *documents;
};

static enum status make_balanced(const struct synth_options *options, struct made *made,
                                 struct error *error) {
    const struct synth_shape shape = {.depth = (uint32_t)options->depth,
                                      .n_features = (uint32_t)options->features,
                                      .n_trees = (uint32_t)options->trees};
    uint64_t seed = (uint64_t)options->seed;
    if (!options->model && !options->data)
        return error_set(error, STATUS_INPUT,
                         "synth: nothing to write; give --model FILE, --data FILE or both");
    enum status status = synth_trees(&shape, random_derive(seed, 0), &made->ensemble, error);
    if (status || !options->data)
        return status;
    size_t count = options->documents ? (size_t)options->documents : 1024;
    status =
        synth_documents(made->ensemble, count, random_derive(seed, 1), &made->documents, error);
    return status ? status : synth_labels(made->documents, random_derive(seed, 2), error);
}

static enum status make_standin(const struct synth_options *options, struct made *made,
                                struct error *error) {
    const struct data_set *set;
    enum status status = data_set_find(options->like, &set, error);
    return status ? status
                  : synth_standin(set, (size_t)options->documents, (uint64_t)options->seed,
                                  &made->documents, error);
}

static enum status read_documents(const char *path, const struct synth_options *options,
                                  struct matrix **documents, struct error *error) {
    const struct data_reading reading = inputs_reading(&options->files);
    return data_read(path, &reading, documents, error);
}

static enum status make_more(const struct synth_options *options, struct made *made,
                             struct error *error) {
    struct matrix *documents, *more;
    enum status status = read_documents(options->more_of, options, &documents, error);
    if (status)
        return status;
    status = synth_more(options->more_of, documents, (size_t)options->documents,
                        (uint64_t)options->seed, &more, error);
    matrix_free(documents);
    if (!status)
        made->documents = more;
    return status;
}

static enum status grow(const struct synth_options *options, struct made *made,
                        struct error *error) {
    struct matrix *documents;
    enum status status = read_documents(options->files.data, options, &documents, error);
    if (status)
        return status;
    const struct grown_shape shape = {(uint32_t)options->trees, (uint32_t)options->leaves};
    status = synth_grown(documents, &shape, (uint64_t)options->seed, &made->ensemble, error);
    matrix_free(documents);
    return status;
}

static enum status copy(const struct synth_options *options, struct made *made,
                        struct error *error) {
    struct ensemble *ensemble;
    enum status status = model_read(options->copies_of, &ensemble, error);
    if (status)
        return status;
    status = synth_copies(ensemble, (uint32_t)options->trees, &made->ensemble, error);
    ensemble_free(ensemble);
    return status;
}

/* --- which way -------------------------------------------------------------------------------- */

enum { NEEDS_MAX = 3 };

/* A way to make models and documents, and the options that it requires. Those that have no effect
 * are with the option that chooses the way. */
static const struct way {
    enum status (*make)(const struct synth_options *options, struct made *made,
                        struct error *error);
    const char *needs[NEEDS_MAX];
} BALANCED = {make_balanced, {"depth", "features"}}, STANDIN = {make_standin, {"data"}},
  MORE = {make_more, {"documents", "data"}}, GROWN = {grow, {"trees", "model"}},
  COPIES = {copy, {"trees", "model"}};

static const struct way *choose_way(const struct synth_options *options) {
    return options->like         ? &STANDIN
           : options->more_of    ? &MORE
           : options->files.data ? &GROWN
           : options->copies_of  ? &COPIES
                                 : &BALANCED;
}

/* Rejects file names of unknown formats before anything is made. */
static enum status check_names(const struct synth_options *options, struct error *error) {
    const struct data_format *data;
    enum status status = options->model ? model_check_own_name(options->model, error) : STATUS_OK;
    if (!status && options->data)
        status = data_find_writer(options->data, NULL, &data, error);
    return status;
}

static enum status check_files(const struct synth_options *options, struct error *error) {
    const char *model = options->model, *data = options->data;
    bool both = model && data && strcmp(model, "-") == 0 && strcmp(data, "-") == 0;
    if (both)
        return error_set(error, STATUS_INPUT, "--model and --data cannot both be standard output");
    return check_names(options, error);
}

/* Options that several ways have no use for. */
#define READING_NAMES "label", "first-feature", "data-format"
#define MODEL_NAMES "depth", "features", "trees", "leaves", "model", "grow-on", "copies-of"

static const struct flag flags[] = {
    {"depth", "D", "decisions on each path, 0 to 20", SETS_INTEGER(synth_options, depth, 0, 20),
     .useless = (const char *const[]){"leaves", READING_NAMES, NULL}},
    {"features", "F", "features of a document",
     SETS_INTEGER(synth_options, features, 1, 1000 * 1000)},
    {"like", "NAME", "a data set whose stand-in to make; see treebench list",
     SETS_TEXT(synth_options, like),
     .useless = (const char *const[]){MODEL_NAMES, "more-of", READING_NAMES, NULL}},
    {"grow-on", "FILE", "documents on whose quantiles to grow random trees",
     SETS_TEXT(synth_options, files.data), .file = FLAG_READS,
     .useless = (const char *const[]){"depth", "features", "documents", "data", "copies-of", NULL}},
    {"more-of", "FILE", "labelled documents with queries, to add documents to",
     SETS_TEXT(synth_options, more_of), .file = FLAG_READS,
     .useless = (const char *const[]){MODEL_NAMES, NULL}},
    READING_FLAGS_OF(synth_options, files, NULL),
    {"copies-of", "FILE", "a model to copy until there are enough trees",
     SETS_TEXT(synth_options, copies_of), .file = FLAG_READS,
     .useless = (const char *const[]){"depth", "features", "documents", "data", "leaves", "seed",
                                      READING_NAMES, NULL}},
    {"trees", "N", "trees (default: 1)", SETS_INTEGER(synth_options, trees, 1, 1000 * 1000)},
    {"leaves", "L", "the most leaves of a grown tree (default: 31)",
     SETS_INTEGER(synth_options, leaves, 2, GROWN_MAX_LEAVES)},
    {"documents", "N",
     "documents (default: 1024, or those of the data set); with --more-of, per query and required",
     SETS_INTEGER(synth_options, documents, 1, 1LL << 32)},
    {"seed", "S", "the same seed gives the same files (default: 1)",
     SETS_INTEGER(synth_options, seed, 0, INT64_MAX)},
    {"model", "FILE", "the file for the trees, as JSON", SETS_TEXT(synth_options, model),
     .file = FLAG_WRITES},
    {"data", "FILE", "the file for the documents: .txt, .csv or .cache",
     SETS_TEXT(synth_options, data), .file = FLAG_WRITES},
    {0}};

static enum status run(struct parsed *parsed, struct error *error) {
    const struct synth_options *options = parsed->request;
    const struct way *way = choose_way(options);
    bool has_way =
        way != &BALANCED || command_given(parsed, "depth") || command_given(parsed, "features");
    if (!has_way)
        return error_set(
            error, STATUS_INPUT,
            "synth: give --depth D and --features F, --like NAME, --more-of FILE, --grow-on "
            "FILE or --copies-of FILE; see treebench synth --help");
    for (size_t i = 0; i < NEEDS_MAX && way->needs[i]; i++)
        command_require(parsed, way->needs[i]);
    if (parsed->ends)
        return STATUS_OK;
    struct made made = {NULL, NULL};
    enum status status = check_files(options, error);
    if (!status)
        status = way->make(options, &made, error);
    if (!status && options->model)
        status = model_write(made.ensemble, options->model, NULL, error);
    if (!status && options->data)
        status = data_write(made.documents, options->data, NULL, error);
    ensemble_free(made.ensemble);
    matrix_free(made.documents);
    return status;
}

const struct command command_synth = {
    .name = "synth",
    .summary = "make trees and documents: balanced, like a data set, or random",
    .details =
        "--depth makes balanced trees, and documents that reach each of the 2^D leaves of the "
        "first tree equally often (asadi2014, section 4.1). The labels are relevance grades 0 to "
        "4, which depend on some features and on noise. Give --model, --data or both.\n"
        "\n"
        "--like makes documents with the shape of a data set: a synthetic stand-in for a data set "
        "that you do not have.\n"
        "\n"
        "--more-of copies documents and adds changed copies until each query has --documents N: "
        "mostly of documents with low labels, which are 0 to 4 (jin2016, section 5).\n"
        "\n"
        "--grow-on grows random trees with the shapes of trained ones. --copies-of copies a model "
        "until it has enough trees, with the same scores. Both are for measuring speed, not for "
        "predictions. A note in each file records how it was made.\n"
        "\n"
        "Examples:\n"
        "  treebench synth --depth 5 --features 32 --model trees.json --data docs.txt\n"
        "  treebench synth --like mslr-web10k --documents 100000 --data standin.cache\n"
        "  treebench synth --grow-on standin.cache --trees 1000 --leaves 64 \\\n"
        "                  --model big.json\n"
        "  treebench synth --copies-of model.txt --trees 20000 --model bagged.json",
    .flags = flags,
    .request = &(struct synth_options){.trees = 1, .leaves = 31, .seed = 1},
    .run = run,
};
