/* Checks alarms with other layouts of the code. Linking in another order moves functions to other
 * addresses, which alone can change times by a few per cent (Curtsinger and Berger, "Stabilizer",
 * 2013). A slowdown of the source remains whatever the layout. */
#ifndef HARNESS_REGRESS_LAYOUTS_H
#define HARNESS_REGRESS_LAYOUTS_H

#include "harness/regress/gate.h"

/* Links both libraries again in up to 9 ways, and measures cells with the verdict GATE_REGRESSION
 * in each. Sets their verdict to GATE_REGRESSION, GATE_LAYOUT or GATE_UNCLEAR. n_timed is the
 * number of cells over which the rate of false alarms is divided. */
enum status layouts_check(const struct gate_request *request, struct gate_cell *cells,
                          size_t n_cells, size_t n_timed, struct error *error);

#endif
