/* Parses the text of an option, by the option's type, into a member of a command's request. Used by
 * command.c. */
#ifndef HARNESS_CLI_SHARED_FLAGS_H
#define HARNESS_CLI_SHARED_FLAGS_H

#include "harness/cli/shared/command.h"

enum { FLAG_ARGUMENT_SIZE = 128 };

/* Returns the flag that `text` ("model" or "model=FILE") names, or NULL. */
const struct flag *flag_find(const struct flag *flags, const char *text);

/* Writes the argument that help shows after the name: "FILE", "documents|trees|both", or "". */
void flag_argument(const struct flag *flag, char text[static FLAG_ARGUMENT_SIZE]);

/* Sets the flag's member of the request. Errors name the option. */
enum status flag_set(const struct flag *flag, const char *text, void *request, struct error *error);

#endif
