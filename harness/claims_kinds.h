/* The kinds of claims: how each is judged. Private to the claims. */
#ifndef HARNESS_CLAIMS_KINDS_H
#define HARNESS_CLAIMS_KINDS_H

#include "harness/claims.h"
#include "harness/compare.h"

enum { CLAIM_OPERANDS_MAX = 16, CLAIM_POINTS_MAX = ARTEFACT_AXIS_MAX * ARTEFACT_AXIS_MAX };

struct operands {
    const char *list[CLAIM_OPERANDS_MAX]; /* in the artefact's JSON */
    size_t count;
};

struct claim {
    const char *id, *words;
    const struct claim_kind *kind;
    struct operands slow, fast, variants; /* those that the kind uses */
    double low, high;                     /* -INFINITY, INFINITY where not given */
    bool most;                            /* true at most points is enough */
    uint32_t depths[ARTEFACT_AXIS_MAX], features[ARTEFACT_AXIS_MAX]; /* of the scale, and asked */
    size_t n_depths, n_features;
};

struct claim_kind {
    const char *name;
    const char *const *keys; /* besides the ones that every claim may have */
    void (*judge)(const struct claim *claim, const struct rows *rows, struct judged *judged);
};

const struct claim_kind *claim_kind_find(const char *name); /* NULL: none */

#endif
