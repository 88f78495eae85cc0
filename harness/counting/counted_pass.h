/* A pass over documents that is counted in a process of its own, `treebench pass`. */
#ifndef HARNESS_COUNTING_COUNTED_PASS_H
#define HARNESS_COUNTING_COUNTED_PASS_H

#include "base/files/temporary.h"
#include "base/status.h"
#include "datasets/matrix.h"
#include "harness/instruments/counters.h"
#include "impls/scorer.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    COUNTED_PATH_SIZE = 320,
    COUNTED_TEXT_SIZE = 4096,
    COUNTED_ARGUMENTS_MAX = 16,
    COUNTED_ENVIRONMENT_MAX = 8
};

enum counted_file { COUNTED_MODEL, COUNTED_DOCUMENTS, COUNTED_PROFILE, COUNTED_FILES };

/* A model and some of its documents. All variants of a cell share them. */
struct counted_pass {
    struct temporary_folder folder; /* its files are those of enum counted_file */
    size_t documents;               /* number of documents counted */
    char reason[256];               /* why nothing can be counted, or "" */
};

/* Returns how many documents to count, at most `most_pairs` documents times trees. The number is a
 * multiple of 64 unless there are fewer. A kernel that scores 64 documents per step, or a divisor
 * of 64, then has no remaining documents. */
size_t counted_pass_documents(size_t n_rows, size_t stride, size_t n_trees, size_t most_pairs);

/* Neither function fails. If something goes wrong, `reason` explains it and nothing is counted. The
 * caller must call counted_pass_end in any case. */
void counted_pass_begin(struct counted_pass *pass, const struct ensemble *ensemble,
                        const struct matrix *documents, size_t most_pairs);
void counted_pass_end(struct counted_pass *pass);

/* Sets `reason`, and the reason of counts. */
void counted_pass_refuse(struct counted_pass *pass, const struct error *error);
void counts_refuse(struct counts *counts, const char *reason);

/* The command that scores the counted documents, and its environment. Do not copy it: the lists
 * point into it. */
struct counted_command {
    const char *arguments[COUNTED_ARGUMENTS_MAX]; /* ends with NULL */
    char *environment[COUNTED_ENVIRONMENT_MAX];   /* "NAME=value", ends with NULL */
    char program[COUNTED_PATH_SIZE];
    char counted[32], block[32];
};

/* For a variant ("vpred,v=8"), scored by one thread, also if plan->team. A variant with an order of
 * its own scores plan->call documents per call, and others plan->doc_block (0: all). Call
 * counted_command_free in any case. */
enum status counted_command_make(const struct counted_pass *pass, const char *variant,
                                 const struct plan *plan, struct counted_command *command,
                                 struct error *error);
void counted_command_free(struct counted_command *command);

/* Returns true if `text`, the output of the command, describes `scorer`. Otherwise *expected is
 * what it should be. Only the last line of `text` counts, and it is all that is kept. */
bool counted_pass_is_of(const struct counted_pass *pass, const struct scorer *scorer, char *text,
                        char expected[static COUNTED_TEXT_SIZE]);

/* --- callgrind -------------------------------------------------------------------------------- */

/* Counts events without hardware counters. valgrind's callgrind runs `treebench pass` and simulates
 * the processor. The same program gives the same counts in every run, on any machine.
 * docs/measuring.md explains the counts. */

/* Limit of documents times trees, so that the simulated pass takes only seconds. Each variant needs
 * two passes, and callgrind runs only 20 to 60 million instructions per second. */
#define CALLGRIND_PAIRS ((size_t)1 << 19)

/* Prepares a pass for callgrind_count. Never fails (counted_pass.h). */
void callgrind_begin(struct counted_pass *pass, const struct ensemble *ensemble,
                     const struct matrix *documents);

/* Counts the events of one pass of a variant ("vpred,v=8") over the documents, with one thread. If
 * plan->team, this thread runs the code of several threads. Calls are those of
 * counted_command_make. `scorer` must have been built from this variant. */
void callgrind_count(const struct counted_pass *pass, const char *variant,
                     const struct scorer *scorer, const struct plan *plan,
                     const struct simulated_caches *caches, struct counts *counts);

/* --- single steps ----------------------------------------------------------------------------- */

/* Counts the instructions of a pass exactly, with every instruction set and without hardware
 * counters: `treebench pass` runs one instruction at a time (step.h). */

/* Limit of documents times trees, so that most variants take only seconds. */
#define COUNT_STEP_PAIRS ((size_t)1 << 13)

/* Prepares a pass for count_step. Never fails (counted_pass.h). */
void count_step_begin(struct counted_pass *pass, const struct ensemble *ensemble,
                      const struct matrix *documents);

/* Counts the instructions of one pass of a variant ("vpred,v=8") over the documents, with one
 * thread. Calls are those of counted_command_make. `scorer` must have been built from
 * this variant. */
void count_step(const struct counted_pass *pass, const char *variant, const struct scorer *scorer,
                const struct plan *plan, struct counts *counts);

/* Reads the totals of all events from a profile of callgrind (its lines "events:" and "totals:")
 * into values[COUNTER_COUNT]. Every counter except cycles becomes valid. On failure, the values do
 * not change. `name` stands for the profile in errors. */
enum status callgrind_read_totals(const char *name, const char *text, struct counter_value *values,
                                  struct error *error);

#endif
