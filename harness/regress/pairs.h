/* A pair of measurements or counts, of base and head, in fresh processes. */
#ifndef HARNESS_REGRESS_PAIRS_H
#define HARNESS_REGRESS_PAIRS_H

#include "base/status.h"
#include "harness/regress/workloads.h"

#include <stdint.h>

enum pair_side { PAIR_BASE, PAIR_HEAD, PAIR_SIDES };
extern const char *const pair_side_names[PAIR_SIDES]; /* "base", "head" */

struct pair {
    double log_ratio;         /* log(head / base) */
    double value[PAIR_SIDES]; /* ns per document; or what the commands print */
};

/* Runs `treebench duet` on two libraries. STATUS_UNSUPPORTED if the implementation refuses the
 * workload or the machine in either library. */
enum status pair_of_libraries(const char *const libraries[PAIR_SIDES],
                              const struct regress_workload *workload, const char *impl,
                              uint64_t seed, struct pair *pair, struct error *error);

/* Counts the instructions of a call of at most DUET_COUNTED_MOST documents (duet.h) in each
 * library, exactly, by single steps. Errors as of step_count (counting/step.h). */
enum status pair_count_libraries(const char *const libraries[PAIR_SIDES],
                                 const struct regress_workload *workload, const char *impl,
                                 uint64_t instructions[PAIR_SIDES], struct error *error);

/* What a program tells about its speed. */
enum pair_metric {
    PAIR_PRINTED, /* numbers on lines of their own: the median counts, and less is better */
    PAIR_WALL     /* nothing: the whole program is timed */
};

/* Runs two commands with `sh -c`, on one core, one after the other; the seed decides which one is
 * first. Each {} in a command becomes the seed. A command that fails, or prints no positive number
 * with PAIR_PRINTED, is STATUS_INPUT. */
enum status pair_of_commands(const char *const commands[PAIR_SIDES], enum pair_metric metric,
                             uint64_t seed, struct pair *pair, struct error *error);

#endif
