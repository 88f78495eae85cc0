#include "harness/regress/instructions.h"

#include "harness/counting/step.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum status count_libraries(const char *const libraries[PAIR_SIDES],
                            const struct regress_workload *workload, const char *impl,
                            uint64_t instructions[PAIR_SIDES], struct error *error) {
    char block[24];
    snprintf(block, sizeof block, "%zu", workload->block);
    const char *const argv[] = {"/proc/self/exe",
                                "duet",
                                "--step",
                                "--base",
                                libraries[PAIR_BASE],
                                "--head",
                                libraries[PAIR_HEAD],
                                "--model",
                                workload->model,
                                "--data",
                                workload->data,
                                "--impl",
                                impl,
                                workload->block ? "--block" : NULL,
                                block,
                                NULL};
    const struct step_request request = {argv, (const char *const *)environ, STEP_LIMIT};
    struct step_counts counts;
    enum status status = step_count(&request, &counts, error);
    if (status)
        return status;
    if (counts.n_regions != PAIR_SIDES)
        return error_set(error, STATUS_MACHINE, "treebench duet marked %zu regions",
                         counts.n_regions);
    memcpy(instructions, counts.instructions, PAIR_SIDES * sizeof *instructions);
    return STATUS_OK;
}
