/* Counts events without hardware counters. valgrind's callgrind runs `treebench pass` and simulates
 * the processor. The same program gives the same counts in every run, on any machine.
 * docs/measuring.md explains the counts. */
#ifndef HARNESS_INSTRUMENTS_COUNTERS_CALLGRIND_H
#define HARNESS_INSTRUMENTS_COUNTERS_CALLGRIND_H

#include "datasets/matrix.h"
#include "harness/instruments/counters.h"
#include "impls/scorer.h"
#include "models/ensemble.h"

/* A model and some of its documents in a temporary folder, for all variants of a cell. */
struct callgrind {
    char folder[256];    /* "" if it could not be made */
    size_t documents;    /* number of documents counted */
    char reason[256];    /* why nothing can be counted; "" if counting is possible */
    char *unfinished[4]; /* the folder and its files, for base/cleanup.h */
};

/* Returns the number of documents for a counted pass, which is small enough that the pass takes
 * only seconds. */
size_t callgrind_documents(size_t n_rows, size_t stride, size_t n_trees);

/* callgrind_begin and callgrind_end never fail. If something goes wrong, `reason` and all later
 * counts give the reason. The caller must call callgrind_end in any case. */
void callgrind_begin(struct callgrind *callgrind, const struct ensemble *ensemble,
                     const struct matrix *documents);
void callgrind_end(struct callgrind *callgrind);

/* Counts one single-threaded pass of a variant ("vpred,v=8") over the documents in blocks of
 * doc_block (0: one block). `scorer` was built from the same variant. */
void callgrind_count(const struct callgrind *callgrind, const char *variant,
                     const struct scorer *scorer, size_t doc_block, struct counts *counts);

#endif
