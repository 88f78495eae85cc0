/* The regression gate: takes pairs of measurements of each cell until its verdict is clear, then
 * checks alarms with other layouts of the code. docs/regression-checks.md explains the method. */
#ifndef HARNESS_REGRESS_GATE_H
#define HARNESS_REGRESS_GATE_H

#include "base/status.h"
#include "harness/instruments/progress.h"
#include "harness/regress/pairs.h"
#include "harness/regress/sequential.h"
#include "harness/regress/workloads.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gate_verdict {
    GATE_SAME_CODE,  /* the machine code is equal, so nothing was timed */
    GATE_NONE,       /* not slower by more than the tolerance */
    GATE_FASTER,     /* faster by more than the margin */
    GATE_REGRESSION, /* slower by more than the margin */
    GATE_LAYOUT,     /* slower in the layout that was built, but not in others */
    GATE_UNCLEAR,    /* more evidence is needed than the gate took */
    GATE_REFUSED,    /* the implementation does not support the workload or the machine */
    GATE_ONE_SIDED,  /* only one of the builds has the implementation */
    GATE_FAILED      /* see the reason */
};
extern const char *const gate_verdict_names[]; /* "same code", "none", ... */

/* An implementation on a workload, or a pair of commands. */
struct gate_cell {
    char impl[96];                           /* "" for commands */
    const struct regress_workload *workload; /* NULL for commands */
    enum gate_verdict verdict;
    bool is_open; /* more evidence is being taken */
    double logs[SEQUENTIAL_MOST];
    double values[PAIR_SIDES][SEQUENTIAL_MOST]; /* as in struct pair */
    size_t pairs;
    struct ratio ratio; /* head / base, with a 95 % interval */
    /* with other layouts: how many were tried, and the ratio over them */
    size_t layouts;
    struct ratio layout_ratio;
    double seconds; /* time that was spent on pairs of the cell */
    /* of a call of at most 16 documents (duet.h); 0: not counted */
    uint64_t instructions[PAIR_SIDES];
    char reason[256]; /* of GATE_REFUSED, GATE_ONE_SIDED, GATE_FAILED and GATE_UNCLEAR */
};

struct gate_request {
    /* Libraries of base and head; NULL if commands are compared. */
    const char *libraries[PAIR_SIDES];
    const char *commands[PAIR_SIDES];
    enum pair_metric metric;
    /* Folders of the builds and a command that links their library again, called with the folder, a
     * number and the file to write. NULL: alarms are not checked with other layouts. */
    const char *folders[PAIR_SIDES];
    const char *relink;
    double margin, tolerance, alarms; /* see struct sequential_rule; `alarms` is for all cells */
    double seconds;                   /* no pair begins after this time */
    uint64_t seed;
    struct progress *progress;
};

/* Measures the cells that are open, and sets their verdicts. Fails only if nothing can be measured,
 * for example if memory runs out. */
enum status gate_run(const struct gate_request *request, struct gate_cell *cells, size_t n_cells,
                     struct error *error);

/* Checks alarms with other layouts of the code, as gate_run does in the end. Linking in another
 * order moves functions to other addresses, which alone can change times by a few per cent
 * (Curtsinger and Berger, "Stabilizer", 2013). A slowdown of the source remains whatever the
 * layout.
 *
 * Links both libraries again in up to 24 ways, and measures cells with the verdict GATE_REGRESSION
 * in each. Sets their verdict to GATE_REGRESSION, GATE_LAYOUT or GATE_UNCLEAR. n_timed is the
 * number of cells over which the rate of false alarms is divided. */
enum status layouts_check(const struct gate_request *request, struct gate_cell *cells,
                          size_t n_cells, size_t n_timed, struct error *error);

/* The verdict over all cells: GATE_FAILED, GATE_REGRESSION, GATE_UNCLEAR or GATE_NONE, in this
 * order. */
enum gate_verdict gate_overall(const struct gate_cell *cells, size_t n_cells);

#endif
