/* Parses the text of an option according to the option's type. Stores the value in the member of
 * the request that the option sets. Used by command.c. */
#ifndef HARNESS_CLI_SHARED_FLAGS_H
#define HARNESS_CLI_SHARED_FLAGS_H

#include "harness/cli/shared/command.h"

enum { FLAG_ARGUMENT_SIZE = 128 };

/* Returns the flag that `text` ("model" or "model=FILE") names, or NULL if there is none. */
const struct flag *flag_find(const struct flag *flags, const char *text);

/* The words of a choice, ended by NULL; NULL for other flags. */
const char *const *flag_choices(const struct flag *flag);

/* Writes what help shows after the option's name: "FILE", "documents|trees|both" or "". */
void flag_argument(const struct flag *flag, char text[static FLAG_ARGUMENT_SIZE]);

/* Parses the text into the request's member for this flag. Errors name the option. */
enum status flag_set(const struct flag *flag, const char *text, void *request, struct error *error);

#endif
