/* What measures, tables and claims of artefacts with "measure": "code-size" share. */
#ifndef HARNESS_PAPERS_SIZES_PARTS_H
#define HARNESS_PAPERS_SIZES_PARTS_H

#include "harness/artefacts/artefact_run.h"
#include "harness/papers/report_parts.h"
#include "harness/quality/code_size.h"

/* Returns the subject at a point. A forest's has its feature and its level, but no numbers of
 * splits and leaves. The example's has only its workload. */
struct code_subject sizes_subject(const struct artefact *artefact, const struct panel *panel,
                                  const struct point *point);

/* Four forms of the isolated example. With 2^depth = k: */
enum sizes_example {
    SIZES_CHAIN,      /* k splits, 2 leaves */
    SIZES_LONG_CHAIN, /* 2k splits, 2 leaves */
    SIZES_TREE,       /* k splits, k + 1 leaves */
    SIZES_LARGE_TREE, /* 2k splits, 2k + 1 leaves */
    SIZES_EXAMPLES
};

/* Sets the subject's numbers of splits and leaves, its feature and its level. */
void sizes_choose_example(struct code_subject *subject, enum sizes_example example,
                          const char *feature, const char *level);

/* "int" and "float"; "-O0" and "-O3" */
extern const char *const sizes_features[2], *const sizes_levels[2];

/* --- sizes_run.c ------------------------------------------------------------------------------ */

/* Functions of the kind. Each known compiler compiles each form of the code. */
bool sizes_ask(const struct artefact *artefact, const struct panel *panel,
               const struct point *point, size_t k, void *item);
enum status sizes_measure(struct artefact_run *run, const struct artefact *artefact, void *item,
                          bool *is_missing, struct error *error);

#endif
