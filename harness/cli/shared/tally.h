/* Concludes a command that measured cells. */
#ifndef HARNESS_CLI_SHARED_TALLY_H
#define HARNESS_CLI_SHARED_TALLY_H

#include "harness/measure/cells.h"

/* Prints how many rows are not ok, if any, and returns the exit status. */
int tally_conclude(const struct cells_tally *tally);

#endif
