/* The result of judging a claim by the rows of a run. */
#ifndef HARNESS_JUDGE_CLAIM_RESULT_H
#define HARNESS_JUDGE_CLAIM_RESULT_H

#include "harness/rows/row.h"

enum verdict { VERDICT_HELD, VERDICT_NOT_HELD, VERDICT_UNRESOLVED };
extern const char *const verdict_names[3]; /* "held", "not held", "unresolved" */

struct claim_result {
    char id[ROW_NAME_SIZE];
    char words[256]; /* the paper's claim in short */
    enum verdict verdict;
    /* the measured value with its interval, and the points at which the claim does not hold */
    char measured[1024];
};

#endif
