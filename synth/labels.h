/* Makes labels that depend on features, so that models can be trained on them.
 *
 * A hidden rule scores each document: weighted features, products of two of them, and noise. The
 * documents are ranked by that score, and each label gets a share of the ranking. */
#ifndef SYNTH_LABELS_H
#define SYNTH_LABELS_H

#include "base/random.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LABELS_TERMS = 12 };

struct labels_rule {
    struct {
        uint32_t a, b; /* indices of features; b is used in products only */
        float weight;
    } terms[LABELS_TERMS];
};

void labels_draw_rule(struct labels_rule *rule, uint32_t n_features, struct random *random);

/* Returns the score of a document whose values are in [0, 1). The noise, which no learner can
 * predict, is drawn from `random`. */
float labels_score(const struct labels_rule *rule, const float *values, struct random *random);

/* Makes labels from 0 to n_labels - 1. A higher score means a higher label. Graded labels imitate
 * human judgements: each label has 0.4 times as many documents as the next lower label. If `graded`
 * is false, all labels have equal shares. The caller frees *labels. */
enum status labels_from_scores(const float *scores, size_t n_rows, uint32_t n_labels, bool graded,
                               float **labels, struct error *error);

#endif
