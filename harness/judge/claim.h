/* Claims as an artefact's file states them, and the kinds of claims. */
#ifndef HARNESS_JUDGE_CLAIM_H
#define HARNESS_JUDGE_CLAIM_H

#include "harness/judge/claim_result.h"
#include "harness/judge/compare.h"

enum { CLAIM_OPERANDS_MAX = 16 };

struct operands {
    const char *list[CLAIM_OPERANDS_MAX]; /* pointers into the artefact's JSON */
    size_t count;
};

/* A panel that a claim is about, and those of its points that the claim is about (at least one). */
struct claim_panel {
    const struct panel *panel; /* owned by the artefact's scale, as are the points */
    const struct point *points[PANEL_POINTS_MAX];
    size_t n_points;
};

struct claim {
    const struct claim_kind *kind;
    struct operands slow, fast, variants; /* each kind of claim uses some of these */
    double low, high;                     /* bounds; -INFINITY or INFINITY if not given */
    /* the range that the paper reports; shown, but not judged; NaN if not given */
    struct interval range;
    /* the counter whose values are compared; COUNTER_COUNT: none, because times are compared */
    enum counter counter;
    /* true: the claim holds if it holds at more than half of its points */
    bool most;
    /* true ("over": "x"): compares the points of each panel; false: compares panels */
    bool over_x;
    /* true ("per": "x" or "threads"): a speedup or slowdown is divided by the growth of x, a ratio
     * by that of the number of threads */
    bool per;
    uint32_t from; /* x of the point with which "slowdown" compares the others */
    enum axis x;
    struct claim_panel panels[PANELS_MAX];
    size_t n_panels;
};

struct claim_tally; /* claim_verdict.h */

struct claim_kind {
    const char *name;
    const char *const *keys; /* allowed in addition to the keys of every claim */
    /* Counts one of the claim's points. NULL: `judge` looks at all of them itself. */
    void (*tally)(const struct claim *claim, const struct place *at, struct claim_tally *tally);
    void (*judge)(const struct claim *claim, const struct row_index *index,
                  struct claim_result *result);
    const char *none; /* what is said if no point has a value; NULL: "no numbers" and the range */
    /* what is compared with the bounds, in words; NULL if `rule` says when the claim is held */
    const char *value, *rule;
    bool is_share; /* values are shares, shown as percentages */
    double high;   /* the upper bound of claims that give none */
};

/* The kinds of claims. To add a kind, define a `struct claim_kind` in a new file. Then add it here
 * and to the table in claims.c. */
extern const struct claim_kind claim_ratio, claim_improvement; /* claim_ratio.c */
extern const struct claim_kind claim_shrinks;                  /* named "ratio_shrinks" */
extern const struct claim_kind claim_speedup, claim_slowdown;  /* claim_speedup.c */
extern const struct claim_kind claim_best_grows;
extern const struct claim_kind claim_follows;

#endif
