/* Finds the data files that come with this program, in its source tree or where it is installed. */
#ifndef HARNESS_PAPERS_PATHS_H
#define HARNESS_PAPERS_PATHS_H

#include "base/status.h"

enum { PATHS_SIZE = 4096 };

/* Finds a folder or file: "configs", "plots", "results/reference" or "results/not-reproduced.json".
 * Looks in the source tree from which the program was built, then in PREFIX/share/treebench. */
enum status paths_find(const char *name, char path[static PATHS_SIZE], struct error *error);

#endif
