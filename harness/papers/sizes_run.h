/* Measures the machine code of artefacts with "measure": "code-size". */
#ifndef HARNESS_PAPERS_SIZES_RUN_H
#define HARNESS_PAPERS_SIZES_RUN_H

#include "harness/artefacts/artefact.h"
#include "harness/quality/code_size.h"

#include <stdbool.h>
#include <stddef.h>

struct sizes_tally {
    /* objects that this run compiled; objects that were in sizes.jsonl already */
    size_t measured, found;
    char missing[256]; /* compilers that are not installed, separated by commas */
};

/* Compiles the code of all artefacts with "measure": "code-size" with each installed compiler.
 * Skips what is in the folder's sizes.jsonl already, and appends a line for each other object. Does
 * nothing if there are no such artefacts. */
enum status sizes_run(const char *directory, bool resume, const struct artefact *artefacts,
                      size_t n_artefacts, struct sizes_tally *tally, struct error *error);

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

#endif
