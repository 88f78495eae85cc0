/* The output of `treebench list --json`. docs/output.md describes it for readers of the JSON. */
#ifndef HARNESS_CLI_SHARED_LIST_JSON_H
#define HARNESS_CLI_SHARED_LIST_JSON_H

#include "base/status.h"

/* Prints one JSON object on stdout, with each element of its arrays on a line of its own. Fails
 * only if memory runs out. */
enum status list_json_print(struct error *error);

#endif
