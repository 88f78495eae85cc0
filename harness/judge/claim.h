/* A claim as its artefact states it, and the kinds of claims. */
#ifndef HARNESS_JUDGE_CLAIM_H
#define HARNESS_JUDGE_CLAIM_H

#include "harness/judge/claim_result.h"
#include "harness/judge/compare.h"

enum { CLAIM_OPERANDS_MAX = 16 };

struct operands {
    const char *list[CLAIM_OPERANDS_MAX]; /* pointers into the artefact's JSON */
    size_t count;
};

/* A panel that the claim is about, and the points of this panel that it is about (at least one). */
struct claim_panel {
    const struct panel *panel; /* this and the points belong to the artefact's scale */
    const struct point *points[PANEL_POINTS_MAX];
    size_t n_points;
};

struct claim {
    const char *id, *words;
    const struct claim_kind *kind;
    struct operands slow, fast, variants; /* the kind of claim determines which are used */
    double low, high;                     /* -INFINITY, INFINITY if not given */
    /* the counter that is compared; COUNTER_COUNT: the time */
    enum counter counter;
    /* it is enough if the claim holds at most of the points */
    bool most;
    /* "over": "x": compares points within a panel, not panels */
    bool over_x;
    /* "per": divides a speedup by the growth of x, and a ratio by the growth of the number of
     * threads */
    bool per;
    enum axis x;
    struct claim_panel panels[PANELS_MAX];
    size_t n_panels;
};

struct claim_kind {
    const char *name;
    const char *const *keys; /* in addition to the keys that every claim may have */
    void (*judge)(const struct claim *claim, const struct row_index *index,
                  struct claim_result *result);
};

#endif
