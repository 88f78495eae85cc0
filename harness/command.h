/* The command line: one file cmd_NAME.c per command, which defines `const struct command
 * command_NAME`, and one line in commands.def. */
#ifndef HARNESS_COMMAND_H
#define HARNESS_COMMAND_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum exit_status {
    EXIT_DONE = 0,
    EXIT_CHECK = 1, /* a check or claim did not hold, or a regression was found */
    EXIT_USAGE = 2, /* unusable arguments or input */
    EXIT_INCONCLUSIVE = 3,
    EXIT_MACHINE = 4 /* the machine cannot do it */
};

/* One option. A flag has no argument name; a repeatable one collects. */
struct flag {
    const char *name;     /* "model": typed --model FILE or --model=FILE */
    const char *argument; /* "FILE"; NULL for a flag */
    const char *help;
    const char **value;     /* set to the argument, or to "" for a flag */
    struct flag_list *list; /* instead of value: every occurrence, and commas are not split */
};
enum { FLAG_LIST_MAX = 64 };
struct flag_list {
    const char *items[FLAG_LIST_MAX];
    size_t count;
};

struct command {
    const char *name, *summary;        /* one line */
    const char *details;               /* paragraphs for --help, with an example */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns an exit_status */
};

/* Every command of commands.def is declared here. */
#define GROUP(title)
#define COMMAND(x) extern const struct command command_##x;
#include "harness/commands.def"
#undef GROUP
#undef COMMAND

/* Parses --name VALUE and --name=VALUE; flags end with an entry whose name is NULL. Prints the help
 * and sets *done on --help or -h. Anything unknown, without its argument or given twice is one line
 * on stderr, and the exit status EXIT_USAGE. Operands are refused unless `operands` is given. */
int command_parse(const struct command *command, struct flag *flags, int argc, char **argv,
                  struct flag_list *operands, bool *done);

/* Prints "treebench: TEXT" and returns the exit status that belongs to the status. */
int command_fail(enum status status, const struct error *error);

/* Prints "treebench: TEXT" on stderr, one line whatever is in it: something that is no failure and
 * should be known. */
void command_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Parses an option's text as an integer in a range, with an error that names the option. */
enum status command_integer(const char *flag, const char *text, long long low, long long high,
                            long long *value, struct error *error);

/* For an option that a command cannot do without: the exit status EXIT_USAGE and one line on
 * stderr, with the option's own help, when it was not given or is empty. */
int command_require(const struct command *command, const struct flag *flags, const char *name);

/* Refuses two files that are the same: one would be written over the other. Either may be NULL. "-"
 * is standard output, which is no input. */
enum status command_keep_apart(const char *flag, const char *path, const char *other_flag,
                               const char *other, struct error *error);

/* Refuses "-", which is standard output, where a folder is written. */
enum status command_check_folder(const char *flag, const char *path, struct error *error);

#endif
