#include "harness/quality/metrics.h"

#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The largest label for NDCG. The gain 2^label is then exact in a double. XGBoost has this limit
 * too. */
enum { LABEL_MAX = 31 };

/* --- names ------------------------------------------------------------------------------------ */

static enum status parse_depth(const char *text, size_t *depth, struct error *error) {
    const char *end = text + strlen(text);
    uint32_t parsed;
    if (number_parse_u32(text, end, &parsed) != end || parsed == 0)
        return error_set(
            error, STATUS_INPUT,
            "ndcg@%s: '%s' is not a positive integer. Use a number of ranks, such as ndcg@10", text,
            text);
    *depth = parsed;
    return STATUS_OK;
}

static enum status parse_threshold(const char *text, double *threshold, struct error *error) {
    const char *end = text + strlen(text);
    if (number_parse_double(text, end, threshold) != end || !isfinite(*threshold))
        return error_set(error, STATUS_INPUT,
                         "accuracy@%s: '%s' is not a threshold. Use a number such as 0.5", text,
                         text);
    return STATUS_OK;
}

enum status metric_parse(const char *text, struct metric *metric, struct error *error) {
    static const char *const names[] = {[METRIC_NDCG] = "ndcg",
                                        [METRIC_MAP] = "map",
                                        [METRIC_ACCURACY] = "accuracy",
                                        [METRIC_RMSE] = "rmse"};
    *metric = (struct metric){.depth = SIZE_MAX};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        metric->kind = (enum metric_kind)i;
        if (strcmp(text, names[i]) == 0)
            return STATUS_OK;
    }
    metric->kind = METRIC_NDCG;
    if (strncmp(text, "ndcg@", 5) == 0)
        return parse_depth(text + 5, &metric->depth, error);
    metric->kind = METRIC_ACCURACY;
    if (strncmp(text, "accuracy@", 9) == 0)
        return parse_threshold(text + 9, &metric->threshold, error);
    return error_set(error, STATUS_INPUT,
                     "unknown metric '%s'. Use ndcg@K, ndcg, map, accuracy, accuracy@T or rmse",
                     text);
}

/* --- checks ----------------------------------------------------------------------------------- */

static enum status refuse_label(size_t row, float label, const char *expected,
                                struct error *error) {
    return error_set(error, STATUS_INPUT, "document %zu (counted from 0) has label %g, but %s", row,
                     (double)label, expected);
}

static enum status check_scored(const struct scored_documents *scored, struct error *error) {
    const struct matrix *documents = scored->documents;
    if (!documents->labels)
        return error_set(error, STATUS_INPUT,
                         "the documents have no labels. If a column of the table holds them, name "
                         "it with --label");
    if (documents->n_rows == 0)
        return error_set(error, STATUS_INPUT, "the data has no documents");
    for (size_t row = 0; row < documents->n_rows; row++)
        if (isnan(documents->labels[row]))
            return refuse_label(row, documents->labels[row], "it must be a number", error);
    for (size_t i = 0; i < documents->n_rows * scored->n_outputs; i++)
        if (isnan(scored->scores[i]))
            return error_set(error, STATUS_INPUT,
                             "document %zu (counted from 0): the score is not a number",
                             i / scored->n_outputs);
    return STATUS_OK;
}

static enum status check_one_output(const char *metric, const struct scored_documents *scored,
                                    struct error *error) {
    if (scored->n_outputs == 1)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s needs one output per document, but the scores have %" PRIu32 " outputs",
                     metric, scored->n_outputs);
}

/* --- metrics of queries ----------------------------------------------------------------------- */

struct ranked_document {
    double score;
    float label;
    size_t row;
};

/* Orders documents by score, best first. Equal scores keep the order of the documents. */
static int compare_scores(const void *a, const void *b) {
    const struct ranked_document *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static int compare_labels(const void *a, const void *b) {
    const struct ranked_document *x = a, *y = b;
    return x->label > y->label ? -1 : x->label < y->label;
}

static double discounted_gain(const struct ranked_document *list, size_t n, size_t depth) {
    double sum = 0;
    for (size_t i = 0; i < n && i < depth; i++)
        sum += (exp2((double)list[i].label) - 1) / log2((double)i + 2);
    return sum;
}

/* ndcg and average_precision reorder the list. They return NaN for a query without relevant
 * documents. */
static double ndcg(struct ranked_document *list, size_t n, size_t depth) {
    qsort(list, n, sizeof *list, compare_scores);
    double gain = discounted_gain(list, n, depth);
    qsort(list, n, sizeof *list, compare_labels);
    double ideal = discounted_gain(list, n, depth);
    return ideal > 0 ? gain / ideal : (double)NAN;
}

static double average_precision(struct ranked_document *list, size_t n) {
    qsort(list, n, sizeof *list, compare_scores);
    size_t relevant = 0;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (list[i].label > 0)
            sum += (double)++relevant / (double)(i + 1);
    return relevant ? sum / (double)relevant : (double)NAN;
}

static size_t query_size(const struct matrix *documents, size_t query) {
    return documents->query_row[query + 1] - documents->query_row[query];
}

static size_t largest_query(const struct matrix *documents) {
    size_t largest = 0;
    for (size_t q = 0; q < documents->n_queries; q++)
        if (query_size(documents, q) > largest)
            largest = query_size(documents, q);
    return largest;
}

static double value_of_query(const struct metric *metric, const struct scored_documents *scored,
                             size_t query, struct ranked_document *list) {
    size_t begin = scored->documents->query_row[query];
    size_t n = query_size(scored->documents, query);
    for (size_t i = 0; i < n; i++)
        list[i] = (struct ranked_document){scored->scores[begin + i],
                                           scored->documents->labels[begin + i], begin + i};
    return metric->kind == METRIC_NDCG ? ndcg(list, n, metric->depth) : average_precision(list, n);
}

static enum status check_queries(const struct metric *metric, const struct scored_documents *scored,
                                 struct error *error) {
    const struct matrix *documents = scored->documents;
    const char *name = metric->kind == METRIC_NDCG ? "ndcg" : "map";
    enum status status = check_scored(scored, error);
    if (!status)
        status = check_one_output(name, scored, error);
    if (!status && (!documents->query_row || documents->n_queries == 0))
        return error_set(
            error, STATUS_INPUT,
            "%s: the documents have no queries. Add qid:N to SVMlight text or a column qid to "
            "a table, or give --queries FILE",
            name);
    for (size_t row = 0; !status && metric->kind == METRIC_NDCG && row < documents->n_rows; row++)
        if (documents->labels[row] < 0 || documents->labels[row] > LABEL_MAX)
            return refuse_label(row, documents->labels[row], "ndcg needs labels from 0 to 31",
                                error);
    return status;
}

enum status metric_of_queries(const struct metric *metric, const struct scored_documents *scored,
                              enum no_relevant no_relevant, double *values, struct error *error) {
    enum status status = check_queries(metric, scored, error);
    if (status)
        return status;
    const struct matrix *documents = scored->documents;
    struct ranked_document *list = calloc(largest_query(documents) + 1, sizeof *list);
    if (!list)
        return error_memory(error, "the documents of a query");
    for (size_t q = 0; q < documents->n_queries; q++) {
        values[q] = value_of_query(metric, scored, q, list);
        if (isnan(values[q]) && no_relevant != NO_RELEVANT_SKIP)
            values[q] = no_relevant == NO_RELEVANT_ONE;
    }
    free(list);
    return STATUS_OK;
}

static enum status mean_over_queries(const struct metric *metric,
                                     const struct scored_documents *scored,
                                     enum no_relevant no_relevant, double *value,
                                     struct error *error) {
    double *values = calloc(scored->documents->n_queries + 1, sizeof *values);
    if (!values)
        return error_memory(error, "the values of queries");
    enum status status = metric_of_queries(metric, scored, no_relevant, values, error);
    size_t counted = 0;
    double sum = 0;
    for (size_t q = 0; !status && q < scored->documents->n_queries; q++)
        if (!isnan(values[q])) {
            sum += values[q];
            counted++;
        }
    free(values);
    if (!status && counted == 0)
        status = error_set(error, STATUS_INPUT, "no query has a relevant document (label over 0)");
    if (!status)
        *value = sum / (double)counted;
    return status;
}

size_t metric_count_no_relevant(const struct matrix *documents) {
    size_t count = 0;
    for (size_t q = 0; q < documents->n_queries; q++) {
        bool relevant = false;
        for (size_t row = documents->query_row[q]; row < documents->query_row[q + 1]; row++)
            relevant |= documents->labels && documents->labels[row] > 0;
        count += !relevant;
    }
    return count;
}

/* --- metrics of documents --------------------------------------------------------------------- */

uint32_t metric_largest_output(const double *scores, uint32_t n) {
    uint32_t best = 0;
    for (uint32_t output = 1; output < n; output++)
        if (scores[output] > scores[best])
            best = output;
    return best;
}

static enum status is_right(const struct metric *metric, const struct scored_documents *scored,
                            size_t row, bool *right, struct error *error) {
    uint32_t n = scored->n_outputs;
    const double *scores = scored->scores + row * n;
    float label = scored->documents->labels[row];
    if (n == 1) {
        if (label != 0 && label != 1 && label != -1)
            return refuse_label(
                row, label, "accuracy of a model with one output needs labels 0 and 1, or -1 and 1",
                error);
        *right = (scores[0] > metric->threshold) == (label > 0);
        return STATUS_OK;
    }
    if (n == 2 && label == -1)
        label = 0;
    if (label < 0 || (double)label >= (double)n || label != floorf(label))
        return refuse_label(row, label,
                            "accuracy needs labels that number the model's outputs from 0", error);
    *right = metric_largest_output(scores, n) == (uint32_t)label;
    return STATUS_OK;
}

static enum status accuracy(const struct metric *metric, const struct scored_documents *scored,
                            double *value, struct error *error) {
    size_t n_rows = scored->documents->n_rows, n_right = 0;
    for (size_t row = 0; row < n_rows; row++) {
        bool right = false;
        enum status status = is_right(metric, scored, row, &right, error);
        if (status)
            return status;
        n_right += right;
    }
    *value = (double)n_right / (double)n_rows;
    return STATUS_OK;
}

static enum status rmse(const struct scored_documents *scored, double *value, struct error *error) {
    enum status status = check_one_output("rmse", scored, error);
    if (status)
        return status;
    size_t n_rows = scored->documents->n_rows;
    double sum = 0;
    for (size_t row = 0; row < n_rows; row++) {
        double difference = scored->scores[row] - (double)scored->documents->labels[row];
        sum += difference * difference;
    }
    *value = sqrt(sum / (double)n_rows);
    return STATUS_OK;
}

enum status metric_compute(const struct metric *metric, const struct scored_documents *scored,
                           enum no_relevant no_relevant, double *value, struct error *error) {
    if (metric->kind == METRIC_NDCG || metric->kind == METRIC_MAP)
        return mean_over_queries(metric, scored, no_relevant, value, error);
    enum status status = check_scored(scored, error);
    if (status)
        return status;
    return metric->kind == METRIC_ACCURACY ? accuracy(metric, scored, value, error)
                                           : rmse(scored, value, error);
}
