/* treebench train: trains an ensemble on labelled documents. */
#include "base/origin.h"
#include "datasets/columns.h"
#include "datasets/data.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/inputs.h"
#include "harness/instruments/progress.h"
#include "harness/instruments/surroundings.h"
#include "models/feature_names.h"
#include "models/format.h"
#include "models/learn/learner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const learners[] = {"lambdamart", "cart", "random-forest", "extra-trees", NULL};
enum learner { LAMBDAMART = 1, CART, RANDOM_FOREST, EXTRA_TREES };
static const char *const tasks[] = {"classification", "regression", NULL};
enum task { CLASSIFICATION = 1, REGRESSION };

#define MUCH_MEMORY 500000000 /* bytes */

struct train_options {
    struct input_files files;
    const char *valid, *valid_queries, *out, *keep;
    int learner, task; /* learner: an enum learner; task: an enum task, or 0 */
    int64_t trees;     /* 0: the learner's default */
    int64_t leaves, pairs, patience, seed, threads;
    int64_t depth; /* 0: no limit */
    double learning_rate, share;
    bool sum_shares;
};

/* The options of all learners. Only those of the chosen learner are used. */
struct training {
    bool is_lambdamart;
    struct lambdamart_options lambdamart;
    struct forest_options forest;
    const char *column_names; /* names of the documents' columns; NULL if they have none */
};

/* Fails if an option is not supported by the learner. */
static enum status check_useless(const struct train_options *options, const struct parsed *parsed,
                                 struct error *error) {
    static const struct {
        const char *flag;
        bool boosting, cart, forest; /* the learners that support the option */
        bool validates;              /* the option has no effect without --valid */
    } checked[] = {
        {"queries", .boosting = true},
        {"valid", .boosting = true},
        {"valid-queries", .boosting = true, .validates = true},
        {"leaves", .boosting = true},
        {"patience", .boosting = true, .validates = true},
        {"learning-rate", .boosting = true},
        {"share", .boosting = true},
        {"pairs", .boosting = true},
        {"keep", .boosting = true},
        {"depth", .cart = true, .forest = true},
        {"task", .cart = true, .forest = true},
        {"sum-shares", .cart = true, .forest = true},
        {"trees", .boosting = true, .forest = true},
    };
    for (size_t i = 0; i < sizeof checked / sizeof *checked; i++) {
        bool has = options->learner == LAMBDAMART ? checked[i].boosting
                   : options->learner == CART     ? checked[i].cart
                                                  : checked[i].forest;
        if (!command_given(parsed, checked[i].flag))
            continue;
        if (!has)
            return error_set(error, STATUS_INPUT, "--%s is not supported by %s", checked[i].flag,
                             learners[options->learner - 1]);
        if (checked[i].validates && !options->valid)
            return error_set(error, STATUS_INPUT, "--%s has no effect without --valid FILE",
                             checked[i].flag);
    }
    return STATUS_OK;
}

static void plan_training(const struct train_options *options, struct training *training) {
    static const enum forest_kind kinds[] = {
        [CART] = FOREST_CART, [RANDOM_FOREST] = FOREST_RANDOM, [EXTRA_TREES] = FOREST_EXTRA};
    uint32_t trees = (uint32_t)options->trees;
    *training = (struct training){
        .is_lambdamart = options->learner == LAMBDAMART,
        .lambdamart = {.n_trees = trees ? trees : 1000,
                       .max_leaves = (uint32_t)options->leaves,
                       .learning_rate = options->learning_rate,
                       .share = options->share,
                       .n_pairs = (uint32_t)options->pairs,
                       .patience = (uint32_t)options->patience,
                       .seed = (uint64_t)options->seed,
                       .n_threads = (uint32_t)options->threads,
                       .keep = options->keep},
        .forest = {.kind = kinds[options->learner],
                   .task = options->task == REGRESSION ? FOREST_REGRESS : FOREST_CLASSIFY,
                   .sum_shares = options->sum_shares,
                   .n_trees = options->learner == CART ? 1
                              : trees                  ? trees
                                                       : 100,
                   .max_depth = (uint32_t)options->depth,
                   .seed = (uint64_t)options->seed,
                   .n_threads = (uint32_t)options->threads}};
}

/* Reads documents with at least reading->n_features columns into *matrix. *data points into
 * *matrix. */
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

/* Fails if the machine lacks the memory that training takes. Says how much that is, if much. */
static enum status check_memory(const char *data, uint64_t bytes, struct error *error) {
    struct surroundings now;
    surroundings_read("", &now);
    if (now.memory_available && bytes > now.memory_available)
        return error_set(error, STATUS_MEMORY,
                         "%s: training takes up to %.1f GB more memory, and %.1f GB are available. "
                         "Use fewer --leaves or fewer documents",
                         data, (double)bytes / 1e9, (double)now.memory_available / 1e9);
    if (bytes >= MUCH_MEMORY)
        command_note("training takes up to %.1f GB of memory besides the documents",
                     (double)bytes / 1e9);
    return STATUS_OK;
}

static enum status learn_to_rank(const struct training *training, const struct learner_data *train,
                                 const struct train_options *options,
                                 struct lambdamart_result *result, struct error *error) {
    const char *valid = options->valid;
    struct data_reading reading = inputs_reading(&options->files);
    reading.n_features = train->n_features;
    reading.queries = options->valid_queries;
    reading.feature_names = training->column_names;
    struct matrix *documents = NULL;
    struct learner_data validation;
    enum status status =
        valid ? read_data(valid, &reading, &documents, &validation, error) : STATUS_OK;
    if (!status && valid && documents->columns != COLUMNS_NUMBERED &&
        documents->n_named != train->n_features)
        status =
            error_set(error, STATUS_INPUT, "%s: the table has %u feature columns, but %s has %u",
                      valid, documents->n_named, train->name, train->n_features);
    const struct learner_data *judge = valid ? &validation : NULL;
    const struct lambdamart_options *how = &training->lambdamart;
    progress_clear(how->progress.context);
    if (!status)
        status = check_memory(train->name, lambdamart_memory(train, judge, how), error);
    if (!status)
        status = learn_lambdamart(train, judge, how, result, error);
    matrix_free(documents);
    return status;
}

/* Called after each tree. Trees may be grown in parallel, but calls never overlap. */
static void show_tree(void *context, bool is_kept) {
    struct progress *progress = context;
    if (is_kept) {
        progress_skip(progress);
        return;
    }
    progress_done(progress);
    if (progress->done < progress->total)
        progress_step(progress, "trees");
}

/* Trains the model and shows the progress. If there are validation documents, also prints the best
 * NDCG on them. */
static enum status learn(const struct train_options *options, struct training *training,
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
                             ? learn_to_rank(training, data, options, &result, error)
                             : learn_forest(data, &training->forest, ensemble, error);
    progress_done(&progress);
    if (status || !training->is_lambdamart)
        return status;
    *ensemble = result.ensemble;
    if (options->valid)
        fprintf(strcmp(options->out, "-") ? stdout : stderr, "%-20s %.6g, after %u of %u trees\n",
                "validation ndcg@10", result.validation_ndcg, result.ensemble->n_trees,
                result.n_grown);
    return STATUS_OK;
}

/* Warns about labels that count from 1, because class 0 then has no documents. */
static void tell_classes(const struct learner_data *data) {
    float least = INFINITY, most = -INFINITY;
    for (size_t row = 0; data->labels && row < data->n_rows; row++) {
        least = fminf(least, data->labels[row]);
        most = fmaxf(most, data->labels[row]);
    }
    if (least > 0 && least < most && most < FOREST_MAX_CLASSES)
        command_note("%s: labels are %g to %g, but classes are numbered from 0. The model also "
                     "gets outputs for classes without documents",
                     data->name, (double)least, (double)most);
}

/* Stores the names of the table's columns in the model. Columns of other tables can then be matched
 * with features by name. */
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
    return feature_names_give(&names, status, ensemble, path, error);
}

static enum status train(const struct train_options *options, struct training *training,
                         struct error *error) {
    struct matrix *documents;
    struct learner_data data;
    struct ensemble *ensemble = NULL;
    const struct data_reading reading = inputs_reading(&options->files);
    enum status status = read_data(options->files.data, &reading, &documents, &data, error);
    if (status)
        return status;
    training->column_names = documents->column_names;
    inputs_tell_words(options->files.data, documents);
    if (!training->is_lambdamart && training->forest.task == FOREST_CLASSIFY)
        tell_classes(&data);
    status = learn(options, training, &data, &ensemble, error);
    if (!status)
        status = name_features(documents, ensemble, options->files.data, error);
    if (!status)
        ensemble->origin = documents->origin | ORIGIN_TRAINED;
    if (!status && documents->note[0]) {
        char note[ENSEMBLE_NOTE_SIZE];
        snprintf(note, sizeof note, "learned from %s", documents->note);
        ensemble_set_note(ensemble, note);
    }
    matrix_free(documents);
    if (!status)
        status = model_write(ensemble, options->out, NULL, error);
    ensemble_free(ensemble);
    return status;
}

static const struct flag flags[] = {
    {"learner", "NAME", "lambdamart, cart, random-forest or extra-trees",
     SETS_CHOICE(train_options, learner, learners), .required = true},
    {"data", "FILE", "the documents with their labels; - is standard input",
     SETS_TEXT(train_options, files.data), .required = true, .file = FLAG_READS},
    QUERIES_FLAG(train_options, files),
    {"valid", "FILE", "lambdamart: documents that decide how many trees to keep",
     SETS_TEXT(train_options, valid), .file = FLAG_READS},
    {"valid-queries", "FILE", "the same as --queries for --valid",
     SETS_TEXT(train_options, valid_queries), .file = FLAG_READS},
    READING_FLAGS(train_options, files),
    {"out", "FILE", "the model to write, as treebench JSON; - is standard output",
     SETS_TEXT(train_options, out), .required = true, .file = FLAG_WRITES},
    {"trees", "N", "trees, with --valid at most (default: lambdamart 1000, forests 100)",
     SETS_INTEGER(train_options, trees, 1, 1000000)},
    {"leaves", "N", "lambdamart: the most leaves of a tree (default: 31)",
     SETS_INTEGER(train_options, leaves, 2, 65536)},
    {"patience", "N", "lambdamart: stop after N trees without a better NDCG (default: 100)",
     SETS_INTEGER(train_options, patience, 1, 1000000)},
    {"learning-rate", "R", "lambdamart: what each tree is multiplied with (default: 0.05)",
     SETS_REAL(train_options, learning_rate, 0, 1)},
    {"share", "S", "lambdamart: of documents and features, in each tree (default: 0.3)",
     SETS_REAL(train_options, share, 0, 1)},
    {"pairs", "N", "lambdamart: documents that each is paired with, per tree (default: 1)",
     SETS_INTEGER(train_options, pairs, 1, 1000000)},
    {"keep", "FILE", "lambdamart: trees of an interrupted training, to go on from",
     SETS_TEXT(train_options, keep), .file = FLAG_WRITES, .excludes = "valid"},
    {"depth", "N", "cart and forests: the most decisions on a path (default: no limit)",
     SETS_INTEGER(train_options, depth, 1, ENSEMBLE_MAX_DEPTH)},
    {"task", NULL, "cart and forests (default: classification)",
     SETS_CHOICE(train_options, task, tasks)},
    {"sum-shares", NULL, "classification: add up shares of classes instead of votes",
     SETS_SWITCH(train_options, sum_shares)},
    {"seed", "N", "seed of all random choices (default: 1)",
     SETS_INTEGER(train_options, seed, 0, INT64_MAX)},
    {"threads", "N", "threads (default: 1)", SETS_INTEGER(train_options, threads, 1, 1024)},
    {0}};

static enum status check_files(const struct train_options *options, struct error *error) {
    if (options->sum_shares && options->task == REGRESSION)
        return error_set(error, STATUS_INPUT, "--sum-shares has no effect on regression");
    return model_check_own_name(options->out, error);
}

static enum status run(struct parsed *parsed, struct error *error) {
    const struct train_options *options = parsed->request;
    struct training training;
    enum status status = check_useless(options, parsed, error);
    if (!status)
        status = check_files(options, error);
    if (!status) {
        plan_training(options, &training);
        status = train(options, &training, error);
    }
    return status;
}

const struct command command_train = {
    .name = "train",
    .summary = "train an ensemble on labelled documents",
    .details =
        "  lambdamart     boosted trees for NDCG, by XGBoost. Needs queries (qid or\n"
        "                 --queries).\n"
        "  cart           one tree of all documents; each node tries every feature\n"
        "  random-forest  trees of bootstrap samples, with the best thresholds\n"
        "  extra-trees    trees of all documents, with random thresholds\n"
        "\n"
        "Classification splits by the Gini index. Labels are the classes 0, 1, ..., or -1 and 1. "
        "Forests try sqrt(features) features at each node. Regression splits by variance and tries "
        "all features.\n"
        "\n"
        "A regression score is the mean of the trees. In classification, each tree votes for the "
        "class with the most training documents in the leaf. There is one output per class: its "
        "votes.\n"
        "\n"
        "With --sum-shares, a tree adds the share of each class in the leaf, as scikit-learn does. "
        "With two classes, a score over 0 then means class 1.\n"
        "\n"
        "The same seed gives the same model. For lambdamart, the number of threads must be the "
        "same too.\n"
        "\n"
        "With --keep, trees are written to FILE every minute and at the end, in XGBoost's format. "
        "If FILE exists, training goes on from its trees, to --trees trees in all.\n"
        "\n"
        "Examples:\n"
        "  treebench train --learner lambdamart --data train.txt --valid valid.txt \\\n"
        "                  --leaves 16 --out model.json\n"
        "  treebench train --learner lambdamart --data large.cache --share 1 \\\n"
        "                  --threads 2 --keep trees.ubj --out model.json\n"
        "  treebench train --learner random-forest --data train.txt --trees 25 \\\n"
        "                  --depth 20 --out model.json",
    .flags = flags,
    .request = &(struct train_options){.leaves = 31,
                                       .patience = 100,
                                       .learning_rate = 0.05,
                                       .share = 0.3,
                                       .pairs = 1,
                                       .seed = 1,
                                       .threads = 1},
    .run = run,
};
