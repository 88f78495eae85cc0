/* The commands. Each command has a file cmd_NAME.c, which defines `const struct command
 * command_NAME`, and a line in commands.def. */
#ifndef HARNESS_CLI_SHARED_COMMANDS_H
#define HARNESS_CLI_SHARED_COMMANDS_H

#include "harness/cli/shared/command.h"

#define GROUP(title)
#define COMMAND(x) extern const struct command command_##x;
#include "harness/cli/shared/commands.def"
#undef GROUP
#undef COMMAND

#endif
