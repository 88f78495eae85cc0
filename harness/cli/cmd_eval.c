/* treebench eval: computes the quality of a model's scores on labelled documents. */
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/inputs.h"
#include "harness/quality/metrics.h"
#include "harness/quality/scores.h"

#include <stdio.h>
#include <string.h>

/* indexed by enum no_relevant */
static const char *const no_relevant_words[] = {"zero", "one", "skip", NULL};

struct eval_options {
    struct input_files files;
    const char *scores, *spec;
    int no_relevant; /* 0: not given; otherwise the index of the word plus 1 */
    struct flag_texts metrics;
};

/* Returns true if all labels are 0 or 1, or if all labels are -1 or 1. Such labels are classes, not
 * grades or amounts. */
static bool labels_are_two_classes(const struct matrix *documents) {
    bool zeros_and_ones = documents->labels != NULL, signs = zeros_and_ones;
    for (size_t i = 0; zeros_and_ones + signs > 0 && i < documents->n_rows; i++) {
        zeros_and_ones &= documents->labels[i] == 0 || documents->labels[i] == 1;
        signs &= documents->labels[i] == -1 || documents->labels[i] == 1;
    }
    return zeros_and_ones || signs;
}

/* Chooses the default metrics for these documents. */
static void choose_metrics(const struct matrix *documents, uint32_t n_outputs,
                           struct flag_texts *metrics) {
    static const char *const of_queries[] = {"ndcg@1", "ndcg@3", "ndcg@10", "ndcg", "map"};
    enum { COUNT = sizeof of_queries / sizeof *of_queries };
    if (n_outputs == 1 && documents->n_queries > 0) {
        memcpy(metrics->items, of_queries, sizeof of_queries);
        metrics->count = COUNT;
        return;
    }
    bool classes = n_outputs > 1 || labels_are_two_classes(documents);
    metrics->items[0] = classes ? "accuracy" : "rmse";
    metrics->count = 1;
}

/* Warns if a ranking model is evaluated on documents without queries, because users rarely want
 * this. */
static void tell_queries(const struct input_files *files, const struct inputs *inputs) {
    const struct ensemble *model = inputs->ensemble;
    if (model && inputs->documents->n_queries == 0 && strstr(model->objective, "rank"))
        command_note("%s: the documents have no queries (qid or --queries), so NDCG and MAP are "
                     "not computed, although %s was trained to rank ('%s')",
                     files->data, files->model, model->objective);
}

/* Computes all metrics before any is printed, so that an error leaves no partial output. */
static enum status compute(const struct flag_texts *names, const struct scored_documents *scored,
                           enum no_relevant no_relevant, double *values, struct error *error) {
    for (size_t i = 0; i < names->count; i++) {
        struct metric metric;
        enum status status = metric_parse(names->items[i], &metric, error);
        if (!status)
            status = metric_compute(&metric, scored, no_relevant, &values[i], error);
        if (status)
            return status;
    }
    return STATUS_OK;
}

static void print(const struct matrix *documents, const struct flag_texts *names,
                  const double *values) {
    printf("%-12s %zu\n", "documents", documents->n_rows);
    if (documents->n_queries > 0)
        printf("%-12s %zu, %zu of them without a relevant document\n", "queries",
               documents->n_queries, metric_count_no_relevant(documents));
    for (size_t i = 0; i < names->count; i++)
        printf("%-12s %.6g\n", names->items[i], values[i]);
}

static enum status judge(struct eval_options *options, const struct inputs *inputs,
                         struct error *error) {
    enum no_relevant no_relevant =
        options->no_relevant ? (enum no_relevant)(options->no_relevant - 1) : NO_RELEVANT_ZERO;
    struct scores scores = {0};
    double values[FLAG_LIST_MAX];
    enum status status =
        inputs->ensemble
            ? scores_make(inputs->ensemble,
                          options->spec ? options->spec : impl_with_role(IMPL_USUAL)->name,
                          &(const struct plan){.order = ORDER_DS}, inputs->documents, command_show,
                          &scores, error)
            : scores_read(options->scores, inputs->documents->n_rows, &scores, error);
    if (status)
        return status;
    const struct scored_documents scored = {inputs->documents, scores.values, scores.n_outputs};
    if (options->metrics.count == 0) {
        tell_queries(&options->files, inputs);
        choose_metrics(inputs->documents, scores.n_outputs, &options->metrics);
    }
    struct error reason;
    status = compute(&options->metrics, &scored, no_relevant, values, &reason);
    if (status)
        error_set(error, status, "%s: %.900s", options->files.data, reason.text);
    else {
        command_release_notes();
        print(inputs->documents, &options->metrics, values);
    }
    scores_free(&scores);
    return status;
}

/* Returns true if one of the metrics needs queries. Also returns true if no metrics are named,
 * because the default metrics may need queries. */
static bool ranks(const struct flag_texts *names) {
    bool found = names->count == 0;
    for (size_t i = 0; i < names->count; i++) {
        struct metric metric;
        found |= metric_parse(names->items[i], &metric, NULL) == STATUS_OK &&
                 (metric.kind == METRIC_NDCG || metric.kind == METRIC_MAP);
    }
    return found;
}

/* Finds mistakes in options before anything is read or scored. */
static enum status check(const struct eval_options *options, struct error *error) {
    enum status status = STATUS_OK;
    struct metric metric;
    for (size_t i = 0; !status && i < options->metrics.count; i++)
        status = metric_parse(options->metrics.items[i], &metric, error);
    if (!status && !options->files.model == !options->scores)
        status = error_set(error, STATUS_INPUT,
                           options->scores ? "--model and --scores cannot be used together"
                                           : "eval: --model FILE or --scores FILE is required");
    if (!status && options->no_relevant && !ranks(&options->metrics))
        status = error_set(error, STATUS_INPUT,
                           "--no-relevant has no effect on these metrics, only on ndcg and map");
    if (!status && options->scores && strcmp(options->scores, "-") == 0 &&
        strcmp(options->files.data, "-") == 0)
        status =
            error_set(error, STATUS_INPUT, "--scores and --data cannot both be standard input");
    return status;
}

static enum status run(struct parsed *parsed, struct error *error) {
    struct eval_options *options = parsed->request;
    command_hold_notes();
    struct inputs inputs;
    enum status status = check(options, error);
    if (!status)
        status = inputs_read(&options->files, &inputs, error);
    if (status)
        return status;
    status = judge(options, &inputs, error);
    inputs_free(&inputs);
    return status;
}

static const struct flag flags[] = {
    DATA_FLAG(eval_options, files, true),
    MODEL_FLAG(eval_options, files, false),
    {"scores", "FILE", "or its scores, as treebench score writes them",
     SETS_TEXT(eval_options, scores),
     .useless = (const char *const[]){"impl", "missing", "trees", NULL}},
    {"metric", "NAME", "ndcg@K, ndcg, map, accuracy, accuracy@T or rmse; may be repeated",
     SETS_TEXTS(eval_options, metrics)},
    {"no-relevant", NULL, "the NDCG and MAP of a query without relevant documents (default: zero)",
     SETS_CHOICE(eval_options, no_relevant, no_relevant_words)},
    {"impl", "SPEC", "the implementation that scores (default: vpred)",
     SETS_TEXT(eval_options, spec)},
    MISSING_FLAG(eval_options, files),
    READING_FLAGS(eval_options, files),
    QUERIES_FLAG(eval_options, files),
    TREES_FLAG(eval_options, files),
    {0}};

const struct command command_eval = {
    .name = "eval",
    .summary = "judge a model's scores by labels: NDCG, MAP, accuracy, RMSE",
    .details =
        "  ndcg@K    gain 2^label - 1, discount log2(1 + rank), divided by that of the\n"
        "            ideal order; mean over queries. ndcg counts all ranks.\n"
        "  map       mean average precision; labels over 0 are relevant\n"
        "  accuracy  with several outputs, the largest is the class. With one output, a\n"
        "            score over 0 (accuracy@T: over T) is class 1; others are 0 or -1.\n"
        "  rmse      root of the mean squared difference from the label\n"
        "\n"
        "Equal scores are ranked in the order of the documents. A query without relevant documents "
        "has NDCG and MAP 0, as in the scripts of LETOR and MSLR and in XGBoost's ndcg@K-. "
        "LightGBM and XGBoost's ndcg@K count it as 1: use --no-relevant one.\n"
        "\n"
        "Without --metric: ndcg@1, ndcg@3, ndcg@10, ndcg and map if there are queries; accuracy if "
        "the model has several outputs or all labels are 0 and 1 (or -1 and 1); rmse otherwise.\n"
        "\n" READS_HELP "\n"
        "Examples:\n"
        "  treebench eval --model ensemble.xml --data test.txt --metric ndcg@10\n"
        "  treebench eval --model classes.txt --data table.csv --label class",
    .flags = flags,
    .request = &(struct eval_options){.files.use = INPUTS_JUDGED},
    .run = run,
};
