/* Finds the program's own data files, in its source tree or installed. */
#ifndef HARNESS_PAPERS_PATHS_H
#define HARNESS_PAPERS_PATHS_H

#include "base/status.h"

enum { PATHS_SIZE = 4096 };

/* Finds the folder `name` ("configs", "plots", "results/reference"): first in the program's source
 * tree, then in PREFIX/share/treebench. */
enum status paths_find(const char *name, char path[static PATHS_SIZE], struct error *error);

#endif
