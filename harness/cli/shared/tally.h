/* The conclusion of a command that measured cells. */
#ifndef HARNESS_CLI_SHARED_TALLY_H
#define HARNESS_CLI_SHARED_TALLY_H

#include "harness/measure/cells.h"

/* Prints the number of rows that are not ok, if there are any. Returns the exit status. */
int tally_conclude(const struct cells_tally *tally);

#endif
