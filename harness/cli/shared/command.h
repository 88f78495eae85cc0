/* A command of treebench: its options, its help and its messages. */
#ifndef HARNESS_CLI_SHARED_COMMAND_H
#define HARNESS_CLI_SHARED_COMMAND_H

#include "base/note.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum exit_status {
    EXIT_DONE = 0,
    EXIT_CHECK = 1, /* a check failed, a claim did not hold, or a regression was found */
    EXIT_USAGE = 2, /* unusable arguments or input */
    EXIT_INCONCLUSIVE = 3,
    EXIT_MACHINE = 4,      /* this machine cannot run what was requested */
    EXIT_INTERRUPTED = 130 /* Ctrl-C; results so far were printed */
};

/* --- options ---------------------------------------------------------------------------------- */

/* The type of an option. Each comment begins with the C type of the member that the option sets in
 * the command's request. */
enum flag_type {
    FLAG_TEXT,    /* const char *: the argument, as typed */
    FLAG_SWITCH,  /* bool: no argument */
    FLAG_INTEGER, /* int64_t, from low to high */
    FLAG_REAL,    /* double, from low to high */
    FLAG_TIME,    /* double, in ns, from low to high; typed with a unit, or as ns */
    FLAG_CHOICE,  /* int: 0 if not given, otherwise the index of the choice plus 1 */
    FLAG_TEXTS,   /* struct flag_texts: may be repeated */
    /* struct flag_integers, each from low to high: values are separated by commas, and the option
     * may be repeated */
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

/* What the path in an option names. No file that is written may be another one that an option
 * names, and folders cannot be standard output. */
enum flag_file { FLAG_NO_FILE, FLAG_READS, FLAG_WRITES, FLAG_WRITES_FOLDER };

/* An option of a command. A SETS_ macro (below) sets its type, its place in the request and its
 * limits. */
struct flag {
    const char *name; /* "model": typed --model FILE or --model=FILE */
    /* such as "FILE"; NULL for a switch, and for a choice (help lists the choices instead) */
    const char *argument;
    const char *help;
    enum flag_type type;
    size_t at; /* offset in the request of the member that the option sets */
    int64_t low, high;
    const char *const *choices;       /* the last entry is NULL */
    const char *const *(*list)(void); /* in place of choices, for those that a registry knows */
    bool required;
    enum flag_file file; /* of a text: what the path names */
    /* another option without which this one has no effect, or NULL */
    const char *needs;
    const char *excludes; /* another option that cannot be used together with this one, or NULL */
    /* options that only matter without this one, ended by NULL; NULL: none */
    const char *const *useless;
};

/* The offset of a member in a request. Compilation fails if the member has another type. */
#define FLAG_AT(request, member, member_type)                                                      \
    (offsetof(struct request, member) +                                                            \
     0 * sizeof(_Generic(((struct request *)0)->member, member_type : 0)))

#define SETS_TEXT(request, member) .type = FLAG_TEXT, .at = FLAG_AT(request, member, const char *)
#define SETS_SWITCH(request, member) .type = FLAG_SWITCH, .at = FLAG_AT(request, member, bool)
#define SETS_INTEGER(request, member, least, most)                                                 \
    .type = FLAG_INTEGER, .at = FLAG_AT(request, member, int64_t), .low = (least), .high = (most)
#define SETS_REAL(request, member, least, most)                                                    \
    .type = FLAG_REAL, .at = FLAG_AT(request, member, double), .low = (least), .high = (most)
#define SETS_TIME(request, member, least, most)                                                    \
    .type = FLAG_TIME, .at = FLAG_AT(request, member, double), .low = (least), .high = (most)
#define SETS_CHOICE(request, member, words)                                                        \
    .type = FLAG_CHOICE, .at = FLAG_AT(request, member, int), .choices = (words)
#define SETS_LISTED(request, member, function)                                                     \
    .type = FLAG_CHOICE, .at = FLAG_AT(request, member, int), .list = (function)
#define SETS_TEXTS(request, member)                                                                \
    .type = FLAG_TEXTS, .at = FLAG_AT(request, member, struct flag_texts)
#define SETS_INTEGERS(request, member, least, most)                                                \
    .type = FLAG_INTEGERS, .at = FLAG_AT(request, member, struct flag_integers), .low = (least),   \
    .high = (most)

/* Returns the flag that `text` ("model" or "model=FILE") names, or NULL if there is none. */
const struct flag *flag_find(const struct flag *flags, const char *text);

/* The words of a choice, ended by NULL; NULL for other flags. */
const char *const *flag_choices(const struct flag *flag);

/* Writes what help shows after the option's name: "FILE", "documents|trees|both" or "". */
enum { FLAG_ARGUMENT_SIZE = 128 };
void flag_argument(const struct flag *flag, char text[static FLAG_ARGUMENT_SIZE]);

/* --- commands --------------------------------------------------------------------------------- */

struct parsed;

struct command {
    const char *name, *summary; /* one line */
    /* text for --help, with an example; each paragraph is one line */
    const char *details;
    const struct flag *flags; /* the last entry has the name NULL */
    /* a struct with the options' defaults, in which the options are stored; NULL: no options */
    void *request;
    /* Does the work of a command line without mistakes. May set parsed->exit_status, which is
     * EXIT_DONE, and which counts unless an error is returned. */
    enum status (*run)(struct parsed *parsed, struct error *error);
};

/* A parsed command line. */
struct parsed {
    const struct command *command;
    void *request;
    uint64_t given;  /* one bit per option, set if the option was given */
    bool ends;       /* the command must return exit_status now */
    int exit_status; /* EXIT_DONE after --help, EXIT_USAGE after a mistake */
};

/* Parses --name VALUE and --name=VALUE into the request, which must hold the defaults. Prints the
 * help for --help and -h. Reports a mistake as one line on stderr. Mistakes are: an unknown option,
 * a value of the wrong type, an option given twice, and a missing required option. */
struct parsed command_parse(const struct command *command, int argc, char **argv, void *request);

/* Parses a command line, checks what its options declare, does the work and prints the error, if
 * any. Returns an exit_status. */
int command_perform(const struct command *command, int argc, char **argv);

/* Returns true if this option of the command was given. */
bool command_given(const struct parsed *parsed, const char *name);

/* Reports a mistake on the command line, such as an argument of the wrong form, as one line on
 * stderr. Sets parsed->ends and an exit status; the command then returns STATUS_OK. */
void command_refuse(struct parsed *parsed, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* If the option was not given, prints one line on stderr and sets parsed->ends. */
void command_require(struct parsed *parsed, const char *name);

/* Prints "treebench: LINE" on stderr. Commands pass this as the note_function. */
void command_show(const char *line);

/* Prints a note on stderr, as one line "treebench: TEXT". A note is not an error. */
void command_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* command_hold_notes holds notes back until command_release_notes prints them. If the
 * command fails first, they are dropped, so that the error is the only line printed. */
void command_hold_notes(void);
void command_release_notes(void);

#endif
