#include "base/cleanup.h"
#include "base/cpu.h"
#include "base/files/mapping.h"
#include "base/float_mode.h"
#include "base/nearest.h"
#include "build_info.h"
#include "harness/cli/shared/commands.h"
#include "harness/instruments/stats.h"
#include "library/treebench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An entry is either a heading or a command. A command belongs to the last heading before it. */
static const struct entry {
    const char *heading;
    const struct command *command;
} entries[] = {
#define GROUP(title) {title, NULL},
#define COMMAND(x) {NULL, &command_##x},
#include "harness/cli/shared/commands.def"
#undef GROUP
#undef COMMAND
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static void print_usage(FILE *stream) {
    fprintf(stream, "usage: treebench COMMAND [OPTION]...\n"
                    "\n"
                    "Scores documents with ensembles of decision trees, in every way that the\n"
                    "literature describes, and measures each.\n");
    for (size_t i = 0; i < ENTRIES; i++) {
        if (entries[i].heading)
            fprintf(stream, "\n%s:\n", entries[i].heading);
        else
            fprintf(stream, "  %-10s %s\n", entries[i].command->name, entries[i].command->summary);
    }
    fprintf(stream, "\n'treebench COMMAND --help' prints the options of a command, and\n"
                    "'treebench --version' the version.\n");
}

static int print_version(void) {
    printf("treebench " TB_VERSION " (%.12s%s)\n", BUILD_COMMIT,
           BUILD_DIRTY ? ", with local changes" : "");
    return EXIT_DONE;
}

static const struct command *find_command(const char *name) {
    const char *names[ENTRIES];
    size_t count = 0;
    for (size_t i = 0; i < ENTRIES; i++) {
        if (!entries[i].command)
            continue;
        if (strcmp(entries[i].command->name, name) == 0)
            return entries[i].command;
        names[count++] = entries[i].command->name;
    }
    const char *nearest = nearest_name(name, names, count);
    if (*name == '-')
        command_note("the first argument must be a command, not '%s'; see treebench --help", name);
    else
        command_note("unknown command '%s'%s%s%s treebench --help", name,
                     nearest ? ": did you mean '" : "", nearest ? nearest : "",
                     nearest ? "'? See" : "; see");
    return NULL;
}

static int run_command(int argc, char **argv) {
    const struct command *command = find_command(argv[0]);
    return command ? command_perform(command, argc, argv) : EXIT_USAGE;
}

/* "help" prints the list of commands. "help NAME" prints the help of that command. */
static int run_help(int argc, char **argv) {
    char *help_of_command[] = {argv[1], (char[]){"--help"}, NULL};
    if (argc > 1)
        return run_command(2, help_of_command);
    print_usage(stdout);
    return EXIT_DONE;
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0)
        return print_version();
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return run_help(argc - 1, argv + 1);
    return run_command(argc - 1, argv + 1);
}

/* Closes stdout. Fails if some output could not be written. A full disk may be noticed only here,
 * when the last buffer is written. */
static int close_output(int status) {
    const char *trouble = ferror(stdout) ? "not everything could be written" : NULL;
    if (fclose(stdout) != 0)
        trouble = strerror(errno);
    if (!trouble)
        return status;
    fprintf(stderr, "treebench: standard output: %s\n", trouble);
    return EXIT_USAGE;
}

/* Opens a replacement for each standard stream that the caller closed. Otherwise the first file
 * that is opened would get the stream's number. Reading or writing a replacement fails, so lost
 * output is an error. */
static bool secure_streams(void) {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) != -1 || errno != EBADF)
            continue;
        if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream)
            return false;
    }
    return true;
}

/* Fails if statistics ran out of memory, because rows, tables and verdicts then lack intervals and
 * ratios. */
static int check_statistics(int status) {
    if (!stats_lacked_memory() || status == EXIT_USAGE)
        return status;
    fprintf(stderr, "treebench: out of memory for statistics: results are not complete\n");
    return EXIT_USAGE;
}

int main(int argc, char **argv) {
    if (!secure_streams())
        return EXIT_MACHINE;
    cleanup_on_signals();
    float_mode_begin(); /* libraries may have changed the float mode while they were loaded */
    mapping_on_signals();
    struct error error;
    const char *hidden = getenv("TREEBENCH_CPU");
    if (hidden && cpu_hide(hidden, &error)) {
        fprintf(stderr, "treebench: TREEBENCH_CPU: %s\n", error.text);
        return EXIT_USAGE;
    }
    return close_output(check_statistics(dispatch(argc, argv)));
}
