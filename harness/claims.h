/* Judging a paper's claims on the rows of a run. Reads rows and the artefact's JSON, nothing else.
 */
#ifndef HARNESS_CLAIMS_H
#define HARNESS_CLAIMS_H

#include "base/status.h"
#include "harness/artefact.h"
#include "harness/store.h"

enum verdict { VERDICT_HELD, VERDICT_NOT_HELD, VERDICT_UNRESOLVED };
extern const char *const verdict_names[3]; /* "held", "not held", "unresolved" */

struct judged {
    char id[ROW_NAME_SIZE];
    char words[256]; /* the paper's, in short */
    enum verdict verdict;
    char measured[512]; /* the figure here with its interval, and where it fails */
};

/* Refuses claims that could not be judged, with the artefact's file, the claim and the key. */
enum status claims_check(const char *name, const struct artefact *artefact, struct error *error);

/* Judges every claim of the artefact; *judged is malloc'd. */
enum status claims_judge(const struct artefact *artefact, const struct rows *rows,
                         struct judged **judged, size_t *count, struct error *error);

#endif
