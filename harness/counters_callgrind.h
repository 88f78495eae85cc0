/* Counters without counters: valgrind's callgrind runs `treebench pass` and simulates the
 * processor. Equal numbers in every run, on any machine that runs the same program;
 * docs/measuring.md says what they mean. */
#ifndef HARNESS_COUNTERS_CALLGRIND_H
#define HARNESS_COUNTERS_CALLGRIND_H

#include "datasets/matrix.h"
#include "harness/counters.h"
#include "impls/impl.h"
#include "models/ensemble.h"

/* A model and some of its documents in a temporary folder, for all variants of a cell. */
struct callgrind {
    char folder[256];    /* "" when there is none */
    size_t documents;    /* counted */
    char reason[256];    /* why nothing can be counted; "" when it can */
    char *unfinished[4]; /* the folder and its files, for cleanup.h */
};

/* How many documents a pass is sized down to, so that it takes seconds. */
size_t callgrind_documents(size_t n_rows, size_t stride, size_t n_trees);

/* Neither fails: what goes wrong is the reason in the counts. callgrind_end must follow. */
void callgrind_begin(struct callgrind *callgrind, const struct ensemble *ensemble,
                     const struct matrix *documents);
void callgrind_end(struct callgrind *callgrind);

/* Counts one pass of a variant ("vpred,v=8", of which `scorer` was built) by one thread over the
 * documents, in blocks of doc_block (0: all in one). */
void callgrind_count(const struct callgrind *callgrind, const char *variant,
                     const struct scorer *scorer, size_t doc_block, struct counts *counts);

#endif
