/* Reports the machine code of trees: tables and claims of artefacts with "measure": "code-size". */
#ifndef HARNESS_PAPERS_SIZES_REPORT_H
#define HARNESS_PAPERS_SIZES_REPORT_H

#include "base/status.h"
#include "harness/artefacts/artefact.h"
#include "harness/judge/claim_result.h"
#include "harness/quality/code_size.h"

/* Fails if the table of the artefact cannot be made or if a claim cannot be judged. */
enum status sizes_check(const char *name, const struct artefact *artefact, struct error *error);

/* Judges all claims of the artefact. The caller frees *judged. */
enum status sizes_judge(const struct artefact *artefact, const struct code_sizes *sizes,
                        struct claim_result **judged, size_t *count, struct error *error);

/* Writes two files into the run's folder: NAME.csv with the sizes, and NAME.md with the sizes
 * beside the paper's, and with the claims. `reference` is the folder with the papers' numbers. */
enum status sizes_report(const char *directory, const struct artefact *artefact,
                         const struct code_sizes *sizes, const char *reference,
                         struct error *error);

#endif
