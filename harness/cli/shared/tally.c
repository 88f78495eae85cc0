#include "harness/cli/shared/tally.h"

#include "harness/cli/shared/command.h"

int tally_conclude(const struct cells_tally *tally) {
    if (tally->wrong + tally->unsupported > 0)
        command_note("of %zu rows, %zu are wrong or failed and %zu are unsupported; see rows.csv "
                     "for the reasons",
                     tally->rows, tally->wrong, tally->unsupported);
    return tally->wrong ? EXIT_CHECK : tally->unsupported ? EXIT_MACHINE : EXIT_DONE;
}
