/* Claims as an artefact's file states them, the kinds of claims, and helpers for all kinds. These
 * compute a claim's value at a point, count the points at which the claim holds, and describe both
 * in words. */
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

struct claim_tally;

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
extern const struct claim_kind claim_speedup, claim_slowdown;  /* claim_ratio.c */
extern const struct claim_kind claim_best_grows;
extern const struct claim_kind claim_follows;

/* The value of a claim for one pair of variants at one point. */
struct claim_finding {
    const struct point *point;
    char slow[ROW_NAME_SIZE], fast[ROW_NAME_SIZE];
    double value; /* NaN if there are no rows, or if is_empty */
    /* true: there is nothing to compare. Both sides are the same variant, or the claim is about
     * threads and both sides have the same number of threads because the machine has too few
     * cores. */
    bool is_empty;
    struct interval interval;
    /* The fewest rounds of the rows behind the value. SIZE_MAX: it does not depend on rounds,
     * because counts do not vary. */
    size_t rounds;
    enum verdict verdict;
};

enum { CLAIM_POINTS_SIZE = 192 };

/* Counts the points at which a claim held, failed or stayed open (unresolved). Also keeps the
 * findings with the least and the greatest value. */
struct claim_tally {
    size_t held, failed, open;
    size_t empty; /* how many of the open points have nothing to compare */
    bool any;
    bool threads_are_named;
    struct claim_finding least, greatest;
    struct claim_value *values; /* the first CLAIM_VALUES_MAX values: those of the evidence */
    size_t n_values;            /* how many were found */
    size_t rounds;              /* the fewest of a finding */
    /* the points at which the claim failed, or stayed open and was measured: "d=3 f=32; ..." */
    char failing[CLAIM_POINTS_SIZE], opening[CLAIM_POINTS_SIZE];
};

/* --- at a point ------------------------------------------------------------------------------- */

/* Computes the ratio of `slow` to `fast` at a point, in times or in the claim's counter. If
 * `scaled` is not NULL, it is applied to the ratio. */
struct claim_finding claim_find(const struct claim *claim, const struct place *at, const char *slow,
                                const char *fast, double (*scaled)(double));

/* Returns the finding with its value, interval and verdict set from the ratio. The claim's bounds
 * decide the verdict. With too few finding.rounds, which the caller sets, it is unresolved. If
 * `scaled` is not NULL, it is applied to the ratio first. */
struct claim_finding claim_weigh(const struct claim *claim, struct claim_finding finding,
                                 struct ratio ratio, double (*scaled)(double));

/* Writes the operand's variant to `name` (ROW_NAME_SIZE bytes). With `with_threads`, appends the
 * number of threads, as in "qs@16". */
void claim_name_operand(const struct place *at, const char *operand, bool with_threads, char *name);
bool claim_names_threads(const char *operand);

/* Returns true if this many rounds can give an interval of 95 %. No verdict rests on fewer. */
bool claim_can_judge(size_t rounds);

/* Returns the number of rounds behind a value that is computed from two times, each of which has
 * that many: finding.rounds. */
size_t claim_rounds(const struct claim *claim, size_t rounds, size_t other);

struct ratio claim_divide(struct ratio ratio, double by);

/* Returns the ratio of the two means. Its interval is a single value, because simulated counts do
 * not vary. */
struct ratio claim_counts_ratio(struct estimate numerator, struct estimate denominator);

/* --- over all points -------------------------------------------------------------------------- */

void claim_tally_extremes(struct claim_tally *tally, const struct claim_finding *finding);

/* The number of pairs of variants compared at one point, and how many of them have each verdict. */
struct claim_pairs {
    size_t all, held, failed, empty;
};
void claim_pairs_add(struct claim_pairs *pairs, const struct claim_finding *finding);

/* Counts a point: as failed if the claim failed for a pair, as held if it held for all pairs, and
 * as open otherwise. */
void claim_tally_point(struct claim_tally *tally, const struct point *point,
                       const struct claim_pairs *pairs);

/* Returns the verdict over all points, or NOT_MEASURED if no value was found. If `most`, it is
 * enough that the claim holds at more than half of the points. */
enum verdict claim_tally_verdict(const struct claim_tally *tally, bool most);

/* --- in words --------------------------------------------------------------------------------- */

/* These append text to result->measured, like claim_say. */
void claim_say_finding(struct claim_result *result, const struct claim_finding *finding,
                       bool percent);
void claim_say_counts(struct claim_result *result, const struct claim_tally *tally);
/* Says if there are too few rounds to judge. */
void claim_say_rounds(struct claim_result *result, size_t rounds);

/* Copies the bounds and the numbers of values and points to result->evidence, which has the values
 * already. */
void claim_set_evidence(struct claim_result *result, const struct claim *claim,
                        const struct claim_tally *tally);

/* Judges a claim by a tally of its points (claim->kind->tally). Says the least and the greatest
 * value, the counts of points, and the range that the paper reports. */
void claim_judge_points(const struct claim *claim, const struct row_index *index,
                        struct claim_result *result);

/* Appends the names of data sets that were samples or stand-ins, and of ensembles that were not
 * trained. */
void claim_say_origins(const struct claim *claim, const struct row_index *index,
                       struct claim_result *result);

#endif
