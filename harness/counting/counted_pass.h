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

enum {
    COUNTED_PATH_SIZE = 320,
    COUNTED_TEXT_SIZE = 4096, /* as STEP_OUTPUT_SIZE */
    COUNTED_ARGUMENTS_MAX = 16,
    COUNTED_ENVIRONMENT_MAX = 8
};

enum counted_file { COUNTED_MODEL, COUNTED_DOCUMENTS, COUNTED_PROFILE, COUNTED_FILES };

struct counted_command;
struct pass_counter;

/* A model and some of its documents. All variants of a cell share them. */
struct counted_pass {
    struct temporary_folder folder; /* its files are those of enum counted_file */
    const struct pass_counter *counter;
    size_t documents; /* number of documents counted */
    char reason[256]; /* why nothing can be counted, or "" */
};

/* Returns how many documents to count, at most `most_pairs` documents times trees. The number is a
 * multiple of 64 unless there are fewer. A kernel that scores 64 documents per step, or a divisor
 * of 64, then has no remaining documents. */
size_t counted_pass_documents(size_t n_rows, size_t stride, size_t n_trees, size_t most_pairs);

/* What counts the pass. */
struct pass_counter {
    const char *source; /* "callgrind", "step" */
    /* Limit of documents times trees, so that most variants take only seconds. */
    size_t most_pairs;
    const char *option;    /* of `treebench pass`; NULL: none */
    bool may_be_team;      /* counts code for several threads, run by one thread, if plan->team */
    const char *lacks;     /* why some counters are missing */
    const char *otherwise; /* what it means if the program did not score as expected */
    enum status (*check)(struct error *error); /* fails if this machine lacks it; NULL: never */
    /* Runs the command. Sets the values that it counts, and what was simulated. */
    enum status (*count)(struct counted_command *command, const struct scorer *scorer,
                         const struct simulated_caches *caches, struct counts *counts,
                         struct error *error);
};

/* Counts events without hardware counters. valgrind's callgrind runs `treebench pass` and simulates
 * the processor. The same program gives the same counts in every run, on any machine.
 * docs/measuring.md explains the counts. */
extern const struct pass_counter count_by_callgrind;

/* Counts the instructions of a pass exactly, with every instruction set and without hardware
 * counters: `treebench pass` runs one instruction at a time (step.h). */
extern const struct pass_counter count_by_step;

/* Neither function fails. If something goes wrong, `reason` explains it and nothing is counted. The
 * caller must call counted_pass_end in any case. */
void counted_pass_begin(struct counted_pass *pass, const struct pass_counter *counter,
                        const struct ensemble *ensemble, const struct matrix *documents);
void counted_pass_end(struct counted_pass *pass);

/* Counts the events of one pass of a variant ("vpred,v=8") over the documents, with one thread.
 * Calls are those of counted_command_make. `scorer` must have been built from this variant. Does
 * not fail either: the reason is that of the counts. */
void counted_pass_count(const struct counted_pass *pass, const char *variant,
                        const struct scorer *scorer, const struct plan *plan,
                        const struct simulated_caches *caches, struct counts *counts);

/* The command that scores the counted documents, and its environment. Do not copy it: the lists
 * point into it. */
struct counted_command {
    const char *arguments[COUNTED_ARGUMENTS_MAX]; /* ends with NULL */
    char *environment[COUNTED_ENVIRONMENT_MAX];   /* "NAME=value", ends with NULL */
    char program[COUNTED_PATH_SIZE];
    char counted[32], block[32];
    const char *profile;            /* the file for callgrind's */
    char output[COUNTED_TEXT_SIZE]; /* what it printed, once it has run */
};

/* For a variant ("vpred,v=8"), scored by one thread, also if plan->team. A variant with an order of
 * its own scores plan->call documents per call, and others plan->doc_block (0: all). Call
 * counted_command_free in any case. */
enum status counted_command_make(const struct counted_pass *pass, const char *variant,
                                 const struct plan *plan, struct counted_command *command,
                                 struct error *error);
void counted_command_free(struct counted_command *command);

/* Reads the totals of all events from a profile of callgrind (its lines "events:" and "totals:")
 * into values[COUNTER_COUNT]. Every counter except cycles becomes valid. On failure, the values do
 * not change. `name` stands for the profile in errors. */
enum status callgrind_read_totals(const char *name, const char *text, struct counter_value *values,
                                  struct error *error);

#endif
