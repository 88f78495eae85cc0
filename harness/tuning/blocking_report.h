/* Reports a search for the fastest order and blocks as text and as JSON. */
#ifndef HARNESS_TUNING_BLOCKING_REPORT_H
#define HARNESS_TUNING_BLOCKING_REPORT_H

#include "harness/blocking/predict.h"
#include "harness/blocking/search.h"
#include "harness/judge/claim_result.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>

struct blocking_result {
    const char *spec;
    uint32_t n_trees;
    const char *documents_note; /* describes documents that were made; "" if they were given */
    bool caches_measured;       /* false: sizes as reported, typical latencies */
    struct blocking_problem problem;
    struct blocking_search search;
    double search_seconds; /* CPU time */
    bool has_fit;
    /* t0 + t1 * T, fitted to the candidates' times; the correlation with the standard miss rates */
    struct cost_fit fit, standard_fit;
    bool has_reference; /* the exhaustive search was asked for */
    struct blocking_reference reference;
    double reference_seconds;
};

void blocking_print(FILE *stream, const struct blocking_result *result);

/* docs/blocking.md has the keys. NULL if memory runs out. */
cJSON *blocking_to_json(const struct blocking_result *result);

/* --- jin2016's claims about the guided choice, judged by an exhaustive search ------------------
 */

/* The paper's largest error of a guided choice (section 5.2). */
#define GUIDED_MOST 0.024

/* The choice is at most 2.4 % slower than the best point of the exhaustive search. */
enum verdict blocking_judge_close(const struct ratio *error);

/* The best point is one of the cases that the proposition proposes, which are the paper's four, or
 * six with large trees. A best point that is not measurably faster than the guided choice ties with
 * it. Not judged (unresolved) if the conditions of the proposition do not hold. */
enum verdict blocking_judge_proposition(const struct blocking_problem *problem, bool by_proposition,
                                        const struct range_case *best, const struct ratio *error);

/* Without blocks (DS), scoring takes longer. */
enum verdict blocking_judge_pays(const struct ratio *ds_to_choice);

#endif
