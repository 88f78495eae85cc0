/* A claim as an artefact's file states it, and the kinds of claims. */
#ifndef HARNESS_JUDGE_CLAIM_H
#define HARNESS_JUDGE_CLAIM_H

#include "harness/judge/claim_result.h"
#include "harness/judge/compare.h"

enum { CLAIM_OPERANDS_MAX = 16 };

struct operands {
    const char *list[CLAIM_OPERANDS_MAX]; /* pointers into the artefact's JSON */
    size_t count;
};

/* A panel that a claim is about, with the points of this panel that the claim is about (at least
 * one). */
struct claim_panel {
    const struct panel *panel; /* owned by the artefact's scale, like the points */
    const struct point *points[PANEL_POINTS_MAX];
    size_t n_points;
};

struct claim {
    const char *id, *words;
    const struct claim_kind *kind;
    struct operands slow, fast, variants; /* the kind of claim determines which of them are used */
    double low, high;                     /* bounds; -INFINITY and INFINITY if not given */
    /* the paper's own range: reported beside the measured values and not judged; NaN if not given
     */
    struct interval range;
    /* the counter whose values are compared; COUNTER_COUNT: times are compared */
    enum counter counter;
    /* true: the claim need hold only at more than half of its points */
    bool most;
    /* true if "over" is "x": the claim compares points within a panel, not panels */
    bool over_x;
    /* true if "per" is "x" or "threads": divides a speedup by the growth of x, and a ratio by the
     * growth of the number of threads */
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
