/* treebench eval: how good a model's scores are on labelled documents. */
#include "harness/command.h"
#include "harness/inputs.h"
#include "harness/metrics.h"
#include "harness/scores.h"

#include <stdio.h>
#include <string.h>

struct request {
    struct input_files files;
    const char *scores, *spec, *no_relevant;
    struct flag_list metrics;
};

static enum status parse_no_relevant(const char *text, enum no_relevant *parsed,
                                     struct error *error) {
    static const char *const names[] = {"zero", "one", "skip"};
    if (!text)
        return STATUS_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            *parsed = (enum no_relevant)i;
            return STATUS_OK;
        }
    return error_set(error, STATUS_INPUT, "--no-relevant: '%s' is none of zero, one and skip",
                     text);
}

/* Classes, and no grades or amounts? */
static bool labels_are_two_classes(const struct matrix *documents) {
    bool zeros_and_ones = documents->labels != NULL, signs = zeros_and_ones;
    for (size_t i = 0; zeros_and_ones + signs > 0 && i < documents->n_rows; i++) {
        zeros_and_ones &= documents->labels[i] == 0 || documents->labels[i] == 1;
        signs &= documents->labels[i] == -1 || documents->labels[i] == 1;
    }
    return zeros_and_ones || signs;
}

/* What is usually asked of such documents. */
static void choose_metrics(const struct matrix *documents, uint32_t n_outputs,
                           struct flag_list *metrics) {
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

/* A model that ranks, on documents that are no rankings, is rarely what was wanted. */
static void tell_queries(const struct input_files *files, const struct inputs *inputs) {
    const struct ensemble *model = inputs->ensemble;
    if (model && inputs->documents->n_queries == 0 && strstr(model->objective, "rank"))
        command_note("%s: has no queries (qid, or --queries), and %s was trained to rank ('%s'): "
                     "NDCG and MAP need them",
                     files->data, files->model, model->objective);
}

/* All of them before anything is printed. */
static enum status compute(const struct flag_list *names, const struct judged *judged,
                           enum no_relevant no_relevant, double *values, struct error *error) {
    for (size_t i = 0; i < names->count; i++) {
        struct metric metric;
        enum status status = metric_parse(names->items[i], &metric, error);
        if (!status)
            status = metric_compute(&metric, judged, no_relevant, &values[i], error);
        if (status)
            return status;
    }
    return STATUS_OK;
}

static void print(const struct matrix *documents, const struct flag_list *names,
                  const double *values) {
    printf("%-12s %zu\n", "documents", documents->n_rows);
    if (documents->n_queries > 0)
        printf("%-12s %zu, %zu of them without a relevant document\n", "queries",
               documents->n_queries, metric_count_no_relevant(documents));
    for (size_t i = 0; i < names->count; i++)
        printf("%-12s %.6g\n", names->items[i], values[i]);
}

static enum status judge(struct request *request, const struct inputs *inputs,
                         enum no_relevant no_relevant, struct error *error) {
    struct scores scores = {0};
    double values[FLAG_LIST_MAX];
    enum status status =
        inputs->ensemble ? scores_make(inputs->ensemble, request->spec ? request->spec : "vpred",
                                       &(const struct plan){.order = ORDER_DS}, inputs->documents,
                                       &scores, error)
                         : scores_read(request->scores, inputs->documents->n_rows, &scores, error);
    if (status)
        return status;
    const struct judged judged = {inputs->documents, scores.values, scores.n_outputs};
    if (request->metrics.count == 0) {
        tell_queries(&request->files, inputs);
        choose_metrics(inputs->documents, scores.n_outputs, &request->metrics);
    }
    struct error reason;
    status = compute(&request->metrics, &judged, no_relevant, values, &reason);
    if (status)
        error_set(error, status, "%s: %.900s", request->files.data, reason.text);
    else
        print(inputs->documents, &request->metrics, values);
    scores_free(&scores);
    return status;
}

/* Scores that are read were made without these. */
static enum status check_useless(const struct request *request, struct error *error) {
    const struct {
        const char *flag, *text;
    } options[] = {{"impl", request->spec},
                   {"missing", request->files.missing},
                   {"trees", request->files.trees}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (request->scores && options[i].text)
            return error_set(error, STATUS_INPUT, "--%s means nothing with --scores",
                             options[i].flag);
    return STATUS_OK;
}

/* Does one of the metrics look at queries? Those that are chosen later may. */
static bool ranks(const struct flag_list *names) {
    bool found = names->count == 0;
    for (size_t i = 0; i < names->count; i++) {
        struct metric metric;
        found |= metric_parse(names->items[i], &metric, NULL) == STATUS_OK &&
                 (metric.kind == METRIC_NDCG || metric.kind == METRIC_MAP);
    }
    return found;
}

/* Mistyped names are found before long reading and scoring. */
static enum status check(const struct request *request, enum no_relevant *no_relevant,
                         struct error *error) {
    enum status status = parse_no_relevant(request->no_relevant, no_relevant, error);
    struct metric metric;
    for (size_t i = 0; !status && i < request->metrics.count; i++)
        status = metric_parse(request->metrics.items[i], &metric, error);
    if (!status && !request->files.model == !request->scores)
        status = error_set(error, STATUS_INPUT, "eval: give one of --model FILE and --scores FILE");
    if (!status)
        status = check_useless(request, error);
    if (!status && request->no_relevant && !ranks(&request->metrics))
        status = error_set(error, STATUS_INPUT,
                           "--no-relevant means nothing to these metrics, only to NDCG and MAP");
    if (!status && request->scores && strcmp(request->scores, "-") == 0 &&
        strcmp(request->files.data, "-") == 0)
        status =
            error_set(error, STATUS_INPUT, "--scores and --data cannot both be standard input");
    return status;
}

static int evaluate(struct request *request) {
    struct error error;
    struct inputs inputs;
    enum no_relevant no_relevant = NO_RELEVANT_ZERO;
    enum status status = check(request, &no_relevant, &error);
    if (!status)
        status = inputs_read(&request->files, &inputs, &error);
    if (status)
        return command_fail(status, &error);
    status = judge(request, &inputs, no_relevant, &error);
    inputs_free(&inputs);
    return status ? command_fail(status, &error) : EXIT_DONE;
}

static int run(int argc, char **argv) {
    struct request request = {.files = {.use = INPUTS_JUDGED}, .no_relevant = NULL};
    struct flag flags[] = {
        {.name = "data",
         .argument = "FILE",
         .help = "the documents with their labels; - is standard input",
         .value = &request.files.data},
        {.name = "model",
         .argument = "FILE",
         .help = "the model whose scores are judged",
         .value = &request.files.model},
        {.name = "scores",
         .argument = "FILE",
         .help = "or scores, as treebench score writes them",
         .value = &request.scores},
        {.name = "metric",
         .argument = "NAME",
         .help = "ndcg@K, ndcg, map, accuracy, accuracy@T or rmse; may be repeated",
         .list = &request.metrics},
        {.name = "no-relevant",
         .argument = "zero|one|skip",
         .help = "what a query without relevant documents counts as (default: zero)",
         .value = &request.no_relevant},
        {.name = "impl",
         .argument = "SPEC",
         .help = "the implementation that scores (default: vpred)",
         .value = &request.spec},
        MISSING_FLAG(request.files.missing),
        FIRST_FEATURE_FLAG(request.files.first_feature),
        LABEL_FLAG(request.files.label),
        QUERIES_FLAG(request.files.queries),
        TREES_FLAG(request.files.trees),
        {0}};
    bool done;
    int exit_status = command_parse(&command_eval, flags, argc, argv, NULL, &done);
    if (exit_status != EXIT_DONE || done)
        return exit_status;
    if ((exit_status = command_require(&command_eval, flags, "data")))
        return exit_status;
    return evaluate(&request);
}

const struct command command_eval = {
    .name = "eval",
    .summary = "judge a model's scores by labels: NDCG, MAP, accuracy, RMSE",
    .details =
        "ndcg@K     gain 2^label - 1, discount log2(1 + rank), over the ideal order's; mean over\n"
        "           queries; ndcg counts all ranks\n"
        "map        mean average precision; a label over 0 is relevant\n"
        "accuracy   several outputs: the largest is the class, the first of equals; one output:\n"
        "           over 0 (accuracy@T: over T) is class 1, anything else class 0 or -1\n"
        "rmse       root of the mean squared difference from the label\n"
        "\n"
        "Equal scores are ranked in the order of the documents. A query without relevant "
        "documents\n"
        "has NDCG and average precision 0, as in LETOR's and MSLR's scripts and XGBoost's "
        "ndcg@K-;\n"
        "--no-relevant one is the convention of XGBoost's ndcg@K and of LightGBM.\n" READS_HELP
        "Without --metric: ndcg@1, 3, 10, ndcg and map where there are queries; accuracy where "
        "the\n"
        "model has several outputs, or all labels are 0 and 1, or -1 and 1; else rmse.\n"
        "\n"
        "Example:\n"
        "  treebench eval --model ensemble.xml --data test.txt --metric ndcg@10 --metric map\n"
        "  treebench eval --model classes.txt --data table.csv --label class --metric accuracy",
    .run = run,
};
