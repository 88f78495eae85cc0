/* treebench train: an ensemble learned from labelled documents. */
#include "base/nearest.h"
#include "datasets/columns.h"
#include "datasets/format.h"
#include "harness/command.h"
#include "harness/inputs.h"
#include "harness/progress.h"
#include "models/feature_names.h"
#include "models/format.h"
#include "models/learner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The options as typed; NULL where they were not. */
struct request {
    const char *learner, *data, *queries, *valid, *valid_queries, *label, *first_feature, *out,
        *task;
    const char *trees, *leaves, *patience, *depth, *seed, *threads;
};

/* The options as understood. */
struct training {
    const char *learner;
    bool is_lambdamart;
    struct lambdamart_options lambdamart;
    struct forest_options forest;
    bool from_zero;           /* SVMlight text numbers features so */
    const char *column_names; /* of the documents; NULL: they have none */
};

static const char *const learners[] = {"lambdamart", "cart", "random-forest", "extra-trees"};
enum { N_LEARNERS = sizeof learners / sizeof *learners };

static enum status parse_learner(const char *text, struct training *plan, struct error *error) {
    size_t i = 0;
    while (i < N_LEARNERS && strcmp(text, learners[i]) != 0)
        i++;
    if (i == N_LEARNERS) {
        const char *nearest = nearest_name(text, learners, N_LEARNERS);
        return error_set(error, STATUS_INPUT, "--learner: '%s' is none of %s, %s, %s and %s%s%s%s",
                         text, learners[0], learners[1], learners[2], learners[3],
                         nearest ? "; did you mean '" : "", nearest ? nearest : "",
                         nearest ? "'?" : "");
    }
    plan->learner = learners[i];
    plan->is_lambdamart = i == 0;
    if (i > 0)
        plan->forest.kind = (enum forest_kind)(i - 1);
    return STATUS_OK;
}

static enum status parse_task(const char *text, enum forest_task *task, struct error *error) {
    *task = FOREST_CLASSIFY;
    if (!text || strcmp(text, "classification") == 0)
        return STATUS_OK;
    if (strcmp(text, "regression") != 0)
        return error_set(error, STATUS_INPUT,
                         "--task: '%s' is neither classification nor regression", text);
    *task = FOREST_REGRESS;
    return STATUS_OK;
}

/* An option's number, which stays as it is where the option is not given. */
static enum status parse_number(const char *flag, const char *text, long long low, long long high,
                                uint32_t *number, struct error *error) {
    if (!text)
        return STATUS_OK;
    long long value;
    enum status status = command_integer(flag, text, low, high, &value, error);
    if (!status)
        *number = (uint32_t)value;
    return status;
}

static enum status parse_seed(const char *text, uint64_t *seed, struct error *error) {
    long long value = 1;
    enum status status =
        text ? command_integer("seed", text, 0, INT64_MAX, &value, error) : STATUS_OK;
    *seed = (uint64_t)value;
    return status;
}

/* Refuses what a learner has no use for. */
static enum status check_useless(const struct request *request, const struct training *plan,
                                 struct error *error) {
    bool is_cart = !plan->is_lambdamart && plan->forest.kind == FOREST_CART;
    const char *boosting = plan->is_lambdamart ? "" : NULL, *forest = boosting ? NULL : "";
    const char *unvalidated = request->valid ? forest : boosting ? " without --valid" : "";
    const struct {
        const char *flag, *text;
        const char *useless; /* NULL: it is not; else when it is */
    } options[] = {
        {"queries", request->queries, forest},
        {"valid", request->valid, forest},
        {"valid-queries", request->valid_queries, unvalidated},
        {"leaves", request->leaves, forest},
        {"patience", request->patience, unvalidated},
        {"depth", request->depth, boosting},
        {"task", request->task, boosting},
        {"trees", request->trees, is_cart ? "" : NULL},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].text && options[i].useless)
            return error_set(error, STATUS_INPUT, "--%s means nothing to %s%s", options[i].flag,
                             plan->learner, options[i].useless);
    return STATUS_OK;
}

static enum status parse(const struct request *request, struct training *plan,
                         struct error *error) {
    struct lambdamart_options *boosting = &plan->lambdamart;
    struct forest_options *forest = &plan->forest;
    uint32_t n_threads = 1;
    *boosting = (struct lambdamart_options){.n_trees = 1000, .max_leaves = 31, .patience = 100};
    *forest = (struct forest_options){.n_trees = 100};
    enum status status = parse_learner(request->learner, plan, error);
    if (!status)
        status = check_useless(request, plan, error);
    if (!status)
        status = parse_task(request->task, &forest->task, error);
    if (!status)
        status = parse_number("trees", request->trees, 1, 1000000,
                              plan->is_lambdamart ? &boosting->n_trees : &forest->n_trees, error);
    if (!status)
        status = parse_number("leaves", request->leaves, 2, 65536, &boosting->max_leaves, error);
    if (!status)
        status =
            parse_number("patience", request->patience, 1, 1000000, &boosting->patience, error);
    if (!status)
        status =
            parse_number("depth", request->depth, 1, ENSEMBLE_MAX_DEPTH, &forest->max_depth, error);
    if (!status)
        status = parse_number("threads", request->threads, 1, 1024, &n_threads, error);
    if (!status)
        status = inputs_parse_first_feature(request->first_feature, &plan->from_zero, error);
    if (!status)
        status = parse_seed(request->seed, &forest->seed, error);
    boosting->seed = forest->seed;
    boosting->n_threads = forest->n_threads = n_threads;
    if (!plan->is_lambdamart && forest->kind == FOREST_CART)
        forest->n_trees = 1;
    return status;
}

/* At least n_features columns. */
static enum status read_data(const char *path, const struct data_reading *reading,
                             struct matrix **matrix, struct learner_data *data,
                             struct error *error) {
    uint32_t n_features = reading->n_features;
    enum status status = data_read(path, reading, matrix, error);
    if (status)
        return status;
    const struct matrix *m = *matrix;
    *data = (struct learner_data){.name = path,
                                  .n_rows = m->n_rows,
                                  .n_features = n_features ? n_features : m->n_features,
                                  .stride = m->stride,
                                  .values = m->values,
                                  .labels = m->labels,
                                  .query_row = m->query_row,
                                  .n_queries = m->n_queries};
    return STATUS_OK;
}

static enum status learn_to_rank(const struct training *training, const struct learner_data *train,
                                 const struct request *request, struct lambdamart_result *result,
                                 struct error *error) {
    const char *valid = request->valid;
    struct data_reading reading = {.n_features = train->n_features,
                                   .label = request->label,
                                   .queries = request->valid_queries,
                                   .feature_names = training->column_names,
                                   .from_zero = training->from_zero,
                                   .first_feature_given = request->first_feature};
    struct matrix *documents = NULL;
    struct learner_data validation;
    enum status status =
        valid ? read_data(valid, &reading, &documents, &validation, error) : STATUS_OK;
    if (!status && valid && documents->columns != COLUMNS_NUMBERED &&
        documents->n_named != train->n_features)
        status = error_set(error, STATUS_INPUT,
                           "%s: %u columns of features, and %s has %u; should be as many", valid,
                           documents->n_named, train->name, train->n_features);
    if (!status)
        status = learn_lambdamart(train, valid ? &validation : NULL, &training->lambdamart, result,
                                  error);
    matrix_free(documents);
    return status;
}

/* A tree is grown, and the next begins. */
static void show_tree(void *context) {
    struct progress *progress = context;
    progress_done(progress);
    if (progress->done < progress->total)
        progress_step(progress, "trees");
}

/* Says how the trees are getting on, and what the validation documents decided. */
static enum status learn(const struct request *request, struct training *training,
                         const struct learner_data *data, struct ensemble **ensemble,
                         struct error *error) {
    struct lambdamart_result result = {0};
    struct progress progress;
    training->lambdamart.progress = training->forest.progress =
        (struct learner_progress){show_tree, &progress};
    progress_begin(&progress, training->is_lambdamart ? training->lambdamart.n_trees
                                                      : training->forest.n_trees);
    progress_step(&progress, "trees");
    enum status status = training->is_lambdamart
                             ? learn_to_rank(training, data, request, &result, error)
                             : learn_forest(data, &training->forest, ensemble, error);
    progress_done(&progress);
    if (status || !training->is_lambdamart)
        return status;
    *ensemble = result.ensemble;
    if (request->valid)
        fprintf(strcmp(request->out, "-") ? stdout : stderr, "%-20s %.6g, after %u of %u trees\n",
                "validation ndcg@10", result.validation_ndcg, result.ensemble->n_trees,
                result.n_grown);
    return STATUS_OK;
}

/* Labels that count from 1 make a class that no document is of. */
static void tell_classes(const struct learner_data *data) {
    float least = INFINITY, most = -INFINITY;
    for (size_t row = 0; data->labels && row < data->n_rows; row++) {
        least = fminf(least, data->labels[row]);
        most = fmaxf(most, data->labels[row]);
    }
    if (least > 0 && least < most && most < FOREST_MAX_CLASSES)
        command_note("%s: labels are %g to %g: the model has outputs for the classes from 0 on, "
                     "which no document is of",
                     data->name, (double)least, (double)most);
}

/* A table's names become the model's, which then finds its columns in any other table. */
static enum status name_features(const struct matrix *documents, struct ensemble *ensemble,
                                 const char *path, struct error *error) {
    struct feature_names names = {0};
    bool distinct;
    enum status status = columns_are_distinct(documents, &distinct, error);
    const char *name = documents->column_names;
    for (uint32_t i = 0; !status && distinct && i < documents->n_named; i++) {
        status = feature_names_add(&names, name, strlen(name), error);
        name += strlen(name) + 1;
    }
    if (!status)
        return feature_names_give(&names, ensemble, path, error);
    feature_names_free(&names);
    return status;
}

static enum status train(const struct request *request, struct training *training,
                         struct error *error) {
    struct matrix *documents;
    struct learner_data data;
    struct ensemble *ensemble = NULL;
    const struct data_reading reading = {.label = request->label,
                                         .queries = request->queries,
                                         .from_zero = training->from_zero,
                                         .first_feature_given = request->first_feature};
    enum status status = model_check_own_name(request->out, error);
    if (!status)
        status = read_data(request->data, &reading, &documents, &data, error);
    if (status)
        return status;
    training->column_names = documents->column_names;
    inputs_tell_words(request->data, documents);
    if (!training->is_lambdamart && training->forest.task == FOREST_CLASSIFY)
        tell_classes(&data);
    status = learn(request, training, &data, &ensemble, error);
    if (!status)
        status = name_features(documents, ensemble, request->data, error);
    if (!status && documents->note[0]) {
        char note[ENSEMBLE_NOTE_SIZE];
        snprintf(note, sizeof note, "learned from %s", documents->note);
        ensemble_set_note(ensemble, note);
    }
    matrix_free(documents);
    if (!status)
        status = model_write(ensemble, request->out, NULL, error);
    ensemble_free(ensemble);
    return status;
}

static int run(int argc, char **argv) {
    struct request request = {0};
    struct flag flags[] = {
        {.name = "learner",
         .argument = "NAME",
         .help = "lambdamart, cart, random-forest or extra-trees",
         .value = &request.learner},
        {.name = "data",
         .argument = "FILE",
         .help = "the documents with their labels; - is standard input",
         .value = &request.data},
        QUERIES_FLAG(request.queries),
        {.name = "valid",
         .argument = "FILE",
         .help = "lambdamart: documents that decide how many trees to keep",
         .value = &request.valid},
        {.name = "valid-queries",
         .argument = "FILE",
         .help = "the same as --queries for --valid",
         .value = &request.valid_queries},
        LABEL_FLAG(request.label),
        FIRST_FEATURE_FLAG(request.first_feature),
        {.name = "out",
         .argument = "FILE",
         .help = "the model to write, as treebench JSON; - is standard output",
         .value = &request.out},
        {.name = "trees",
         .argument = "N",
         .help = "trees, with --valid at most (default: lambdamart 1000, forests 100)",
         .value = &request.trees},
        {.name = "leaves",
         .argument = "N",
         .help = "lambdamart: leaves of a tree, at most (default: 31)",
         .value = &request.leaves},
        {.name = "patience",
         .argument = "N",
         .help = "lambdamart: stop after N trees without a better NDCG (default: 100)",
         .value = &request.patience},
        {.name = "depth",
         .argument = "N",
         .help = "cart and forests: decisions on a path, at most (default: no limit)",
         .value = &request.depth},
        {.name = "task",
         .argument = "NAME",
         .help = "cart and forests: classification (default) or regression",
         .value = &request.task},
        {.name = "seed",
         .argument = "N",
         .help = "seed of all random choices (default: 1)",
         .value = &request.seed},
        {.name = "threads",
         .argument = "N",
         .help = "threads (default: 1)",
         .value = &request.threads},
        {0}};
    bool done;
    int exit_status = command_parse(&command_train, flags, argc, argv, NULL, &done);
    if (exit_status != EXIT_DONE || done)
        return exit_status;
    if ((exit_status = command_require(&command_train, flags, "learner")) ||
        (exit_status = command_require(&command_train, flags, "data")) ||
        (exit_status = command_require(&command_train, flags, "out")))
        return exit_status;

    struct error error;
    struct training training = {0};
    enum status status = parse(&request, &training, &error);
    if (!status)
        status = command_keep_apart("out", request.out, "data", request.data, &error);
    if (!status)
        status = command_keep_apart("out", request.out, "valid", request.valid, &error);
    if (!status)
        status = command_keep_apart("out", request.out, "queries", request.queries, &error);
    if (!status)
        status =
            command_keep_apart("out", request.out, "valid-queries", request.valid_queries, &error);
    if (!status)
        status = train(&request, &training, &error);
    return status ? command_fail(status, &error) : EXIT_DONE;
}

const struct command command_train = {
    .name = "train",
    .summary = "learn an ensemble from labelled documents",
    .details =
        "lambdamart     boosted trees for NDCG, by XGBoost: learning rate 0.05, for every tree "
        "0.3\n"
        "               of the documents and of the features; needs queries (qid:\n"
        "               or --queries)\n"
        "cart           one tree of all documents, every feature tried at every node\n"
        "random-forest  trees of bootstrap samples, the best thresholds\n"
        "extra-trees    trees of all documents, random thresholds\n"
        "\n"
        "Classification splits by Gini; labels are classes 0, 1, ..., or -1 and 1. Forests try\n"
        "sqrt(features) features at a node. Regression splits by variance and tries all features.\n"
        "Scores: the mean for regression; for two classes, class 1 is where the score is over 0;\n"
        "for more, one output for every class, of which the largest is the class.\n"
        "The same seed gives the same model; lambdamart only with the same number of threads.\n"
        "\n"
        "Examples:\n"
        "  treebench train --learner lambdamart --data train.txt --valid valid.txt --leaves 16 \\\n"
        "                  --out model.json\n"
        "  treebench train --learner random-forest --data train.txt --trees 25 --depth 20 \\\n"
        "                  --out model.json",
    .run = run,
};
