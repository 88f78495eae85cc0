/* Judges a paper's claims from the results of a run and the artefact's JSON. */
#ifndef HARNESS_JUDGE_CLAIMS_H
#define HARNESS_JUDGE_CLAIMS_H

#include "base/status.h"
#include "harness/artefacts/artefact.h"
#include "harness/judge/claim_result.h"

#include <stdio.h>

/* Judges every claim of the artefact. `results` are those of the artefact's kind. NULL: only checks
 * that the claims can be judged. Errors name the artefact by `name`, the claim and the key. The
 * caller frees *result by free(). */
enum status claims_judge(const char *name, const struct artefact *artefact, const void *results,
                         struct claim_result **result, size_t *count, struct error *error);

/* --- the claims of a run ---------------------------------------------------------------------- */

/* The judged claims of all artefacts of a run, in the order in which reports list them. */
struct judged_artefact {
    char name[ROW_NAME_SIZE], title[sizeof((struct artefact *)0)->title];
    char source[sizeof((struct artefact *)0)->source], kind[ROW_NAME_SIZE]; /* kind of scale */
    struct claim_result *claims;                                            /* owned */
    size_t count;
};

struct run_claims { /* starts as zeros */
    struct judged_artefact *list;
    size_t count, capacity;
    size_t verdicts[VERDICTS]; /* how many claims have each verdict */
};

/* Adds an artefact. Takes ownership of `claims`, even if it fails. */
enum status run_claims_add(struct run_claims *run, const struct artefact *artefact,
                           struct claim_result *claims, size_t count, struct error *error);
void run_claims_free(struct run_claims *run);

/* Calls `tell` for each claim: by verdict, then in the order in which they were added. */
typedef void run_claims_function(void *context, const char *artefact,
                                 const struct claim_result *claim);
void run_claims_each(const struct run_claims *run, run_claims_function *tell, void *context);

/* Describes how many claims have each verdict, for example "2 not held, 0 unresolved, 1 held, 0 not
 * measured". */
enum { RUN_CLAIMS_TALLY_SIZE = 96 };
void run_claims_describe(const struct run_claims *run, char text[RUN_CLAIMS_TALLY_SIZE]);

/* Writes Markdown: a table of the artefacts and their verdicts, and a table of claims for each
 * verdict. Each claim has its source, its rule, and what it was judged on. */
void run_claims_write(FILE *stream, const struct run_claims *run);

#endif
