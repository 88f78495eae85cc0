#include "synth/labels.h"

#include "base/order.h"
#include "synth/stream.h"
#include "synth/synth.h"

#include <stdlib.h>
#include <string.h>

enum { GRADES = 5 };
static const double GRADE_RATIO = 0.4;

void labels_draw_rule(struct labels_rule *rule, uint32_t n_features, struct random *random) {
    for (size_t i = 0; i < LABELS_TERMS; i++) {
        rule->terms[i].a = (uint32_t)random_below(random, n_features);
        rule->terms[i].b = (uint32_t)random_below(random, n_features);
        rule->terms[i].weight = 2 * random_float(random) - 1;
    }
}

float labels_score(const struct labels_rule *rule, const float *values, struct random *random) {
    float score = 0.5f * random_float(random);
    for (size_t i = 0; i < LABELS_TERMS; i++) {
        float a = values[rule->terms[i].a], b = values[rule->terms[i].b];
        score += rule->terms[i].weight * (i % 3 == 0 ? 2 * a * b : a);
    }
    return score;
}

/* Sets first[label] to the rank of the first document with that label. */
static void share_out(size_t n_rows, uint32_t n_labels, double ratio, size_t *first) {
    double share = 1, total = 0, sum = 0;
    for (uint32_t label = 0; label < n_labels; label++, share *= ratio)
        total += share;
    share = 1;
    for (uint32_t label = 0; label < n_labels; label++, share *= ratio) {
        first[label] = (size_t)((double)n_rows * (sum / total));
        sum += share;
    }
}

enum status labels_from_scores(const float *scores, size_t n_rows, uint32_t n_labels, bool graded,
                               float **labels, struct error *error) {
    float *sorted = malloc(n_rows * sizeof *sorted), *made = malloc(n_rows * sizeof *made);
    size_t *first = malloc(n_labels * sizeof *first);
    bool has_memory = sorted && made && first;
    if (has_memory) {
        memcpy(sorted, scores, n_rows * sizeof *sorted);
        qsort(sorted, n_rows, sizeof *sorted, compare_floats);
        share_out(n_rows, n_labels, graded ? GRADE_RATIO : 1, first);
        for (size_t row = 0; row < n_rows; row++) {
            uint32_t label = n_labels - 1;
            while (label > 0 && scores[row] < sorted[first[label]])
                label--;
            made[row] = (float)label;
        }
        *labels = made;
    } else {
        free(made);
    }
    free(sorted);
    free(first);
    return has_memory ? STATUS_OK : error_memory(error, "labels");
}

enum status synth_labels(struct matrix *documents, uint64_t seed, struct error *error) {
    struct labels_rule rule;
    struct random random;
    float *scores = malloc(documents->n_rows * sizeof *scores);
    if (!scores)
        return error_memory(error, "labels");
    random_seed(&random, random_derive(documents->n_features, STREAM_LABELS));
    labels_draw_rule(&rule, documents->n_features, &random);
    random_seed(&random, random_derive(seed, STREAM_LABELS));
    for (size_t row = 0; row < documents->n_rows; row++)
        scores[row] = labels_score(&rule, matrix_row(documents, row), &random);
    enum status status =
        labels_from_scores(scores, documents->n_rows, GRADES, true, &documents->labels, error);
    free(scores);
    return status;
}
