#include "harness/command.h"

#include "base/file.h"
#include "base/nearest.h"
#include "base/number.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { FLAGS_MAX = 64 };

static int refuse(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int refuse(const struct command *command, const char *format, ...) {
    char text[ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "treebench: %s: %s; see treebench %s --help\n", command->name, text,
            command->name);
    return EXIT_USAGE;
}

/* --- help ------------------------------------------------------------------------------------- */

static int flag_width(const struct flag *flag) {
    return (int)(strlen(flag->name) + (flag->argument ? strlen(flag->argument) + 1 : 0));
}

static void print_flag(const struct flag *flag, int width) {
    const char *argument = flag->argument ? flag->argument : "";
    printf("  --%s%s%s%*s  %s\n", flag->name, *argument ? " " : "", argument,
           width - flag_width(flag), "", flag->help);
}

static void print_help(const struct command *command, const struct flag *flags, bool operands) {
    const struct flag help = {.name = "help", .help = "print this"};
    int width = flag_width(&help);
    for (const struct flag *flag = flags; flag->name; flag++)
        width = flag_width(flag) > width ? flag_width(flag) : width;

    printf("usage: treebench %s [OPTION]...%s\n\n%s\n\nOptions:\n", command->name,
           operands ? " [FILE]..." : "", command->summary);
    for (const struct flag *flag = flags; flag->name; flag++)
        print_flag(flag, width);
    print_flag(&help, width);
    if (command->details)
        printf("\n%s\n", command->details);
}

/* --- parsing ---------------------------------------------------------------------------------- */

/* The flag that `text` ("model" or "model=FILE") names, or NULL. */
static const struct flag *find_flag(const struct flag *flags, const char *text) {
    size_t size = strcspn(text, "=");
    for (const struct flag *flag = flags; flag->name; flag++)
        if (strlen(flag->name) == size && strncmp(flag->name, text, size) == 0)
            return flag;
    return NULL;
}

static int refuse_unknown(const struct command *command, const struct flag *flags,
                          const char *typed) {
    const char *names[FLAGS_MAX];
    size_t count = 0;
    for (; count < FLAGS_MAX && flags[count].name; count++)
        names[count] = flags[count].name;
    const char *nearest = nearest_name(typed + strspn(typed, "-"), names, count);
    if (nearest)
        return refuse(command, "unknown option '%s': did you mean '--%s'?", typed, nearest);
    return refuse(command, "unknown option '%s'", typed);
}

static int list_add(const struct command *command, struct flag_list *list, const char *item,
                    const char *what) {
    if (list->count == FLAG_LIST_MAX)
        return refuse(command, "more than %d %s", FLAG_LIST_MAX, what);
    list->items[list->count++] = item;
    return EXIT_DONE;
}

/* Parses the option at argv[*at] and leaves *at at the last argument it used. */
static int parse_flag(const struct command *command, const struct flag *flags, uint64_t *seen,
                      int argc, char **argv, int *at) {
    const char *typed = argv[*at];
    const struct flag *flag = strncmp(typed, "--", 2) == 0 ? find_flag(flags, typed + 2) : NULL;
    if (!flag)
        return refuse_unknown(command, flags, typed);

    const char *equals = strchr(typed, '=');
    const char *value = equals ? equals + 1 : "";
    if (!flag->argument && equals)
        return refuse(command, "--%s takes no argument", flag->name);
    if (flag->argument && !equals) {
        if (*at + 1 >= argc || strncmp(argv[*at + 1], "--", 2) == 0)
            return refuse(command, "--%s needs an argument: --%s %s", flag->name, flag->name,
                          flag->argument);
        value = argv[++*at];
    }
    if (flag->list)
        return list_add(command, flag->list, value, flag->name);
    uint64_t bit = UINT64_C(1) << ((flag - flags) % FLAGS_MAX);
    if (*seen & bit)
        return refuse(command, "--%s is given twice", flag->name);
    *seen |= bit;
    *flag->value = value;
    return EXIT_DONE;
}

int command_parse(const struct command *command, struct flag *flags, int argc, char **argv,
                  struct flag_list *operands, bool *done) {
    uint64_t seen = 0;
    bool options_end = false;
    *done = false;
    for (int i = 1; i < argc; i++) {
        int status = EXIT_DONE;
        if (!options_end && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
            print_help(command, flags, operands != NULL);
            *done = true;
            return EXIT_DONE;
        }
        if (!options_end && strcmp(argv[i], "--") == 0)
            options_end = true;
        else if (!options_end && argv[i][0] == '-' && argv[i][1])
            status = parse_flag(command, flags, &seen, argc, argv, &i);
        else if (operands)
            status = list_add(command, operands, argv[i], "operands");
        else
            status = refuse(command, "'%s' is neither an option nor an option's argument", argv[i]);
        if (status != EXIT_DONE)
            return status;
    }
    return EXIT_DONE;
}

int command_require(const struct command *command, const struct flag *flags, const char *name) {
    const struct flag *flag = find_flag(flags, name);
    if (*flag->value && **flag->value)
        return EXIT_DONE;
    return refuse(command, "--%s %s is missing: %s", flag->name, flag->argument, flag->help);
}

enum status command_integer(const char *flag, const char *text, long long low, long long high,
                            long long *value, struct error *error) {
    const char *end = text + strlen(text);
    int64_t parsed;
    if (number_parse_i64(text, end, &parsed) != end || parsed < low || parsed > high)
        return error_set(error, STATUS_INPUT, "--%s: '%s' is not an integer from %lld to %lld",
                         flag, text, low, high);
    *value = parsed;
    return STATUS_OK;
}

enum status command_keep_apart(const char *flag, const char *path, const char *other_flag,
                               const char *other, struct error *error) {
    if (path && strcmp(path, "-") == 0)
        return STATUS_OK; /* read here, written there */
    if (!path || !other || !file_same(path, other))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "--%s %s: is the same file as --%s %s, should be another",
                     flag, path, other_flag, other);
}

enum status command_check_folder(const char *flag, const char *path, struct error *error) {
    if (strcmp(path, "-") != 0)
        return STATUS_OK;
    return error_set(
        error, STATUS_INPUT,
        "--%s -: a folder is written, not standard output; ./- is a folder of that name", flag);
}

void command_note(const char *format, ...) {
    char text[ERROR_TEXT_SIZE];
    struct error line;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    error_set(&line, STATUS_OK, "%s", text);
    fprintf(stderr, "treebench: %s\n", line.text);
}

int command_fail(enum status status, const struct error *error) {
    fprintf(stderr, "treebench: %s\n", error->text);
    return status == STATUS_MACHINE ? EXIT_MACHINE : EXIT_USAGE;
}
