/* Artefacts with "measure": "blocking": jin2016's Table 5. Each point's model and documents are
 * searched for the fastest order and blocks, guided and exhaustively. */
#ifndef HARNESS_TUNING_BLOCKING_ARTEFACT_H
#define HARNESS_TUNING_BLOCKING_ARTEFACT_H

#include "harness/caches/candidates.h"
#include "harness/judge/claim_result.h"
#include "harness/rows/row.h"

enum { CHOICE_TEXT_SIZE = BLOCKING_TEXT + 16 };

/* What a search found: one line of a run's blocking.jsonl (docs/blocking.md). */
struct blocking_choice {
    struct workload workload; /* documents: of a call */
    char spec[ROW_NAME_SIZE], note[ROW_NOTE_SIZE];
    unsigned origin;                                       /* the model's: bits of base/origin.h */
    char guided[CHOICE_TEXT_SIZE], best[CHOICE_TEXT_SIZE]; /* "DSD2: DSD d = 373" */
    struct ratio error; /* how much slower the guided choice is than the best point: 0.01 is 1 % */
    struct ratio ds;    /* time of DS, divided by that of the choice */
    double unmeasured;  /* the same of the order that is chosen without measuring */
    double seconds, exhaustive_seconds;  /* of the CPU */
    double l1_miss_rate, l2_miss_rate;   /* fitted to the times of the candidates */
    double correlation;                  /* of T and the candidates' times, by rank */
    double cases_correlation, cases_fit; /* of all 28 cases; with fitted miss rates */
    enum verdict proposition; /* the best point is a case that the proposition proposes */
};

#endif
