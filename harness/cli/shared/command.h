/* A command of the command line: its options, its help and its messages. */
#ifndef HARNESS_CLI_SHARED_COMMAND_H
#define HARNESS_CLI_SHARED_COMMAND_H

#include "base/note.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum exit_status {
    EXIT_DONE = 0,
    EXIT_CHECK = 1, /* a check or claim did not hold, or a regression was found */
    EXIT_USAGE = 2, /* unusable arguments or input */
    EXIT_INCONCLUSIVE = 3,
    EXIT_MACHINE = 4 /* the machine cannot do it */
};

/* --- options ---------------------------------------------------------------------------------- */

/* The type of an option, and of the member of the command's request that it sets. */
enum flag_type {
    FLAG_TEXT,    /* const char *: the argument, as typed */
    FLAG_SWITCH,  /* bool: no argument */
    FLAG_INTEGER, /* int64_t, from low to high */
    FLAG_REAL,    /* double, from low to high */
    FLAG_CHOICE,  /* int: 0 if not given, otherwise the index of the choice plus 1 */
    FLAG_TEXTS,   /* struct flag_texts: may be repeated */
    /* struct flag_integers, from low to high: may be repeated or have several values, separated by
     * commas */
    FLAG_INTEGERS,
};

enum { FLAG_LIST_MAX = 64, FLAG_INTEGERS_MAX = 16 };

struct flag_texts {
    const char *items[FLAG_LIST_MAX];
    size_t count;
};

struct flag_integers {
    int64_t items[FLAG_INTEGERS_MAX];
    size_t count;
};

/* An option of a command. One of the SETS_ macros below sets the type, the place in the request and
 * the limits. */
struct flag {
    const char *name; /* "model": typed --model FILE or --model=FILE */
    /* "FILE"; NULL for a switch, and for a choice whose words are listed instead */
    const char *argument;
    const char *help;
    enum flag_type type;
    size_t at; /* offset of the member in the request */
    int64_t low, high;
    const char *const *choices; /* the last entry is NULL */
    bool required;
};

/* The offset of a member of this type, checked by the compiler. */
#define FLAG_AT(request, member, member_type)                                                      \
    (offsetof(struct request, member) +                                                            \
     0 * sizeof(_Generic(((struct request *)0)->member, member_type : 0)))

#define SETS_TEXT(request, member) .type = FLAG_TEXT, .at = FLAG_AT(request, member, const char *)
#define SETS_SWITCH(request, member) .type = FLAG_SWITCH, .at = FLAG_AT(request, member, bool)
#define SETS_INTEGER(request, member, least, most)                                                 \
    .type = FLAG_INTEGER, .at = FLAG_AT(request, member, int64_t), .low = (least), .high = (most)
#define SETS_REAL(request, member, least, most)                                                    \
    .type = FLAG_REAL, .at = FLAG_AT(request, member, double), .low = (least), .high = (most)
#define SETS_CHOICE(request, member, words)                                                        \
    .type = FLAG_CHOICE, .at = FLAG_AT(request, member, int), .choices = (words)
#define SETS_TEXTS(request, member)                                                                \
    .type = FLAG_TEXTS, .at = FLAG_AT(request, member, struct flag_texts)
#define SETS_INTEGERS(request, member, least, most)                                                \
    .type = FLAG_INTEGERS, .at = FLAG_AT(request, member, struct flag_integers), .low = (least),   \
    .high = (most)

/* --- commands --------------------------------------------------------------------------------- */

struct command {
    const char *name, *summary; /* one line */
    /* text for --help, with an example; each paragraph is one line */
    const char *details;
    const struct flag *flags;          /* the last entry has the name NULL */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns an exit_status */
};

/* A parsed command line. */
struct parsed {
    const struct command *command;
    const void *request;
    uint64_t given;  /* one bit per option, set if the option was given */
    bool ends;       /* the command ends here, with exit_status */
    int exit_status; /* EXIT_DONE after --help, EXIT_USAGE after a mistake */
};

/* Parses --name VALUE and --name=VALUE into the request, which holds the defaults. Prints the help
 * for --help and -h. A mistake is reported as one line on stderr. Unknown options and values that
 * do not have the option's type are mistakes. So are options given twice and missing required
 * options. */
struct parsed command_parse(const struct command *command, int argc, char **argv, void *request);

/* Returns true if this option of the command was given. */
bool command_given(const struct parsed *parsed, const char *name);

/* If the option was not given, prints one line on stderr and sets parsed->ends. */
void command_require(struct parsed *parsed, const char *name);

/* Prints "treebench: TEXT" and returns the exit status that belongs to the status. */
int command_fail(enum status status, const struct error *error);

/* The note_function of all commands: prints "treebench: LINE" on stderr. */
void command_show(const char *line);

/* Prints one line "treebench: TEXT" on stderr: a note about something that is not a failure. */
void command_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Holds notes back until command_release_notes, so that an error is the only line that is printed.
 * command_fail drops the notes that are held back. */
void command_hold_notes(void);
void command_release_notes(void);

/* Fails if two files are the same, because one would overwrite the other. Either path may be NULL.
 * "-" never matches a file, because it is standard output. */
enum status command_keep_apart(const char *flag, const char *path, const char *other_flag,
                               const char *other, struct error *error);

/* Fails for "-", because a folder cannot be standard output. */
enum status command_check_folder(const char *flag, const char *path, struct error *error);

#endif
