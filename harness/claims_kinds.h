/* The kinds of claims: how each is judged. Private to the claims. */
#ifndef HARNESS_CLAIMS_KINDS_H
#define HARNESS_CLAIMS_KINDS_H

#include "harness/claims.h"
#include "harness/compare.h"

enum { CLAIM_OPERANDS_MAX = 16 };

struct operands {
    const char *list[CLAIM_OPERANDS_MAX]; /* in the artefact's JSON */
    size_t count;
};

/* A panel that the claim is about, with the points there that it is about: at least one. */
struct claim_panel {
    const struct panel *panel; /* of the artefact's scale, likewise the points */
    const struct point *points[PANEL_POINTS_MAX];
    size_t n_points;
};

struct claim {
    const char *id, *words;
    const struct claim_kind *kind;
    struct operands slow, fast, variants; /* those that the kind uses */
    double low, high;                     /* -INFINITY, INFINITY where not given */
    enum counter counter;                 /* what is compared; COUNTER_COUNT: the time */
    bool most;                            /* true at most points is enough */
    bool over_x;                          /* "over": "x", not from panel to panel */
    bool per; /* "per": a speedup over how many times the x there are, a ratio over the threads */
    enum axis x;
    struct claim_panel panels[PANELS_MAX];
    size_t n_panels;
};

struct claim_kind {
    const char *name;
    const char *const *keys; /* besides the ones that every claim may have */
    void (*judge)(const struct claim *claim, const struct rows *rows, struct judged *judged);
};

const struct claim_kind *claim_kind_find(const char *name); /* NULL: none */

#endif
