/* The result of judging a claim by the rows of a run. */
#ifndef HARNESS_JUDGE_CLAIM_RESULT_H
#define HARNESS_JUDGE_CLAIM_RESULT_H

#include "harness/instruments/stats.h"
#include "harness/rows/point.h"
#include "harness/rows/row.h"

/* In the order in which reports list claims. VERDICT_NOT_MEASURED: the run has no number for the
 * claim. */
enum verdict { VERDICT_NOT_HELD, VERDICT_UNRESOLVED, VERDICT_HELD, VERDICT_NOT_MEASURED, VERDICTS };
extern const char *const verdict_names[VERDICTS + 1]; /* ended by NULL */

/* One value that a claim was judged by, for example the ratio of two variants at a point. */
struct claim_value {
    char where[POINT_TEXT_SIZE];      /* "d=3 f=32" */
    char what[2 * ROW_NAME_SIZE + 4]; /* "pred / vpred,v=8" */
    double value;
    struct interval interval; /* 95 %; NaN if unknown */
    enum verdict verdict;
};

enum { CLAIM_VALUES_MAX = 128 };

/* The numbers behind a verdict. Kinds of claims that compare no single values with bounds leave it
 * empty: their numbers are only in the text. */
struct claim_evidence {
    bool is_share;          /* values are shares of time saved, not ratios */
    struct interval bounds; /* -INFINITY or INFINITY if the claim has no such bound */
    struct interval papers; /* what the paper reports; NaN if not given */
    struct claim_value values[CLAIM_VALUES_MAX];
    size_t n_values; /* number of values found, of which the first CLAIM_VALUES_MAX are kept */
    size_t held, failed, open; /* points, each of which may have several values */
};

struct claim_result {
    char id[ROW_NAME_SIZE];
    char words[256]; /* the paper's claim in short */
    /* why the numbers that the paper prints do not decide the claim; "": they hold it */
    char open[160];
    char data[192]; /* names of the data sets of the points that the claim is about, or "" */
    enum verdict verdict;
    unsigned origin; /* of the documents and models that were judged: bits of base/origin.h */
    /* the measured value with its interval, and the points at which the claim does not hold */
    char measured[1024];
    char rule[384]; /* when the claim is held, in words */
    struct claim_evidence evidence;
};

struct panel;

/* Adds the panel's data set to result->data. */
void claim_add_data(struct claim_result *result, const struct panel *panel);

/* Appends text to result->measured. */
void claim_say(struct claim_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
