/* Counts events without hardware counters. valgrind's callgrind runs `treebench pass` and simulates
 * the processor. The same program gives the same counts in every run, on any machine.
 * docs/measuring.md explains the counts. */
#ifndef HARNESS_INSTRUMENTS_COUNTERS_CALLGRIND_H
#define HARNESS_INSTRUMENTS_COUNTERS_CALLGRIND_H

#include "datasets/matrix.h"
#include "harness/instruments/counters.h"
#include "impls/scorer.h"
#include "models/ensemble.h"

/* A temporary folder with a model and some of its documents. All variants of a cell share it. */
struct callgrind {
    char folder[256];    /* "" if it could not be made */
    size_t documents;    /* number of documents counted */
    char reason[256];    /* why nothing can be counted, or "" */
    char *unfinished[4]; /* paths of the files and of the folder, for base/cleanup.h */
};

/* Returns how many documents to count, so that the simulated pass takes only seconds. */
size_t callgrind_documents(size_t n_rows, size_t stride, size_t n_trees);

/* Neither function fails. If something goes wrong, `reason` explains it and nothing is counted. The
 * caller must call callgrind_end in any case. */
void callgrind_begin(struct callgrind *callgrind, const struct ensemble *ensemble,
                     const struct matrix *documents);
void callgrind_end(struct callgrind *callgrind);

/* Counts the events of one pass of a variant ("vpred,v=8") over the documents, with one thread. If
 * plan->team, this thread runs the code of several threads. Each call scores plan->doc_block
 * documents (0: all). `scorer` must have been built from this variant. */
void callgrind_count(const struct callgrind *callgrind, const char *variant,
                     const struct scorer *scorer, const struct plan *plan, struct counts *counts);

#endif
