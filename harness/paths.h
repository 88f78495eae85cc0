/* Where the program's own data files are: beside the program in its source tree, or installed. */
#ifndef HARNESS_PATHS_H
#define HARNESS_PATHS_H

#include "base/status.h"

enum { PATHS_SIZE = 4096 };

/* The folder `name` ("configs", "plots", "results/reference") below the source tree the program
 * was built in, else below PREFIX/share/treebench. */
enum status paths_find(const char *name, char path[static PATHS_SIZE], struct error *error);

#endif
