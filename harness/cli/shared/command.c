#include "harness/cli/shared/command.h"

#include "base/files/file.h"
#include "base/nearest.h"
#include "base/number.h"
#include "harness/cli/shared/terminal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FLAGS_MAX = 64, PARAGRAPH_SIZE = 1024, FLAG_COLUMN_MAX = 24 };

static void print_error(const char *text) {
    fprintf(stderr, "%streebench:%s %s\n", paint(stderr, PAINT_BAD), paint(stderr, PAINT_OFF),
            text);
}

void command_refuse(struct parsed *parsed, const char *format, ...) {
    char text[ERROR_TEXT_SIZE];
    struct error line;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *name = parsed->command->name;
    size_t length = strlen(text);
    const char *see = length && text[length - 1] == '?' ? " See" : "; see";
    error_set(&line, STATUS_INPUT, "%s: %.900s%s treebench %s --help", name, text, see, name);
    print_error(line.text);
    parsed->ends = true;
    parsed->exit_status = EXIT_USAGE;
}

/* --- options --------------------------------------------------------------------------------- */

const struct flag *flag_find(const struct flag *flags, const char *text) {
    size_t size = strcspn(text, "=");
    for (const struct flag *flag = flags; flag->name; flag++)
        if (strlen(flag->name) == size && strncmp(flag->name, text, size) == 0)
            return flag;
    return NULL;
}

const char *const *flag_choices(const struct flag *flag) {
    return flag->list ? flag->list() : flag->choices;
}

void flag_argument(const struct flag *flag, char text[static FLAG_ARGUMENT_SIZE]) {
    const char *const *choices = flag_choices(flag);
    text[0] = '\0';
    if (flag->argument)
        snprintf(text, FLAG_ARGUMENT_SIZE, "%s", flag->argument);
    for (size_t i = 0; !flag->argument && choices && choices[i]; i++) {
        size_t used = strlen(text);
        snprintf(text + used, FLAG_ARGUMENT_SIZE - used, "%s%s", i ? "|" : "", choices[i]);
    }
}

/* --- values ----------------------------------------------------------------------------------- */

static enum status parse_integer(const struct flag *flag, const char *text, const char *end,
                                 int64_t *value, struct error *error) {
    int64_t parsed;
    if (number_parse_i64(text, end, &parsed) != end || parsed < flag->low || parsed > flag->high)
        return error_set(error, STATUS_INPUT,
                         "--%s: '%.*s' is not an integer from %" PRId64 " to %" PRId64, flag->name,
                         (int)(end - text), text, flag->low, flag->high);
    *value = parsed;
    return STATUS_OK;
}

static enum status parse_real(const struct flag *flag, const char *text, double *value,
                              struct error *error) {
    const char *end = text + strlen(text);
    double parsed;
    if (number_parse_double(text, end, &parsed) != end || !(parsed >= (double)flag->low) ||
        !(parsed <= (double)flag->high))
        return error_set(error, STATUS_INPUT,
                         "--%s: '%s' is not a number from %" PRId64 " to %" PRId64, flag->name,
                         text, flag->low, flag->high);
    *value = parsed;
    return STATUS_OK;
}

/* Reads "100us". Without a unit, the number is in ns. */
static enum status parse_time(const struct flag *flag, const char *text, double *value,
                              struct error *error) {
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"", 1}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    double number;
    const char *unit = number_parse_double(text, text + strlen(text), &number);
    for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++) {
        double ns = number * units[i].ns;
        if (strcmp(unit, units[i].name) != 0 || !(ns >= (double)flag->low) ||
            !(ns <= (double)flag->high))
            continue;
        *value = ns;
        return STATUS_OK;
    }
    return error_set(error, STATUS_INPUT,
                     "--%s: '%s' is not a time from %" PRId64 " to %" PRId64
                     " ns, such as 2000, 100us or 1ms",
                     flag->name, text, flag->low, flag->high);
}

static enum status parse_choice(const struct flag *flag, const char *text, int *value,
                                struct error *error) {
    const char *const *choices = flag_choices(flag);
    char words[FLAG_ARGUMENT_SIZE] = "";
    size_t count = 0;
    for (; choices[count]; count++) {
        size_t used = strlen(words);
        if (strcmp(choices[count], text) == 0) {
            *value = (int)count + 1;
            return STATUS_OK;
        }
        snprintf(words + used, sizeof words - used, "%s%s", count ? ", " : "", choices[count]);
    }
    if (count == 1)
        return error_set(error, STATUS_INPUT, "--%s: '%s' is not supported. The only value is %s",
                         flag->name, text, words);
    const char *nearest = strlen(text) > 1 ? nearest_name(text, choices, count) : NULL;
    return error_set(error, STATUS_INPUT, "--%s: '%s' is not one of %s%s%s%s", flag->name, text,
                     words, nearest ? ": did you mean '" : "", nearest ? nearest : "",
                     nearest ? "'?" : "");
}

static enum status add_text(const struct flag *flag, const char *text, struct flag_texts *list,
                            struct error *error) {
    if (list->count == FLAG_LIST_MAX)
        return error_set(error, STATUS_INPUT, "--%s is given more than %d times", flag->name,
                         FLAG_LIST_MAX);
    list->items[list->count++] = text;
    return STATUS_OK;
}

static enum status add_integers(const struct flag *flag, const char *text,
                                struct flag_integers *list, struct error *error) {
    for (const char *end;; text = end + 1) {
        end = text + strcspn(text, ",");
        if (list->count == FLAG_INTEGERS_MAX)
            return error_set(error, STATUS_INPUT, "--%s: more than %d numbers", flag->name,
                             FLAG_INTEGERS_MAX);
        enum status status = parse_integer(flag, text, end, &list->items[list->count], error);
        list->count += !status;
        if (status || !*end)
            return status;
    }
}

static enum status flag_set(const struct flag *flag, const char *text, void *request,
                            struct error *error) {
    void *member = (char *)request + flag->at;
    switch (flag->type) {
    case FLAG_TEXT:
        *(const char **)member = text;
        return STATUS_OK;
    case FLAG_SWITCH:
        *(bool *)member = true;
        return STATUS_OK;
    case FLAG_INTEGER:
        return parse_integer(flag, text, text + strlen(text), member, error);
    case FLAG_REAL:
        return parse_real(flag, text, member, error);
    case FLAG_TIME:
        return parse_time(flag, text, member, error);
    case FLAG_CHOICE:
        return parse_choice(flag, text, member, error);
    case FLAG_TEXTS:
        return add_text(flag, text, member, error);
    case FLAG_INTEGERS:
        return add_integers(flag, text, member, error);
    }
    return STATUS_INPUT;
}

/* --- help ------------------------------------------------------------------------------------- */

static size_t flag_width(const struct flag *flag) {
    char argument[FLAG_ARGUMENT_SIZE];
    flag_argument(flag, argument);
    return strlen("  --") + strlen(flag->name) + (argument[0] ? 1 : 0) + strlen(argument);
}

static void print_flag(const struct flag *flag, size_t column) {
    char argument[FLAG_ARGUMENT_SIZE];
    flag_argument(flag, argument);
    size_t used = (size_t)printf("  --%s%s%s", flag->name, argument[0] ? " " : "", argument);
    if (used + 2 > column)
        used = (size_t)printf("\n") - 1;
    printf("%*s", (int)(column - used), "");
    wrap_print(stdout, flag->help, column, WRAP_HELP);
}

/* Prints each line of the details as a wrapped paragraph. Lines that begin with a space are not
 * wrapped. */
static void print_details(const char *details) {
    for (const char *line = details; *line; line += *line == '\n') {
        int length = (int)strcspn(line, "\n");
        char paragraph[PARAGRAPH_SIZE];
        snprintf(paragraph, sizeof paragraph, "%.*s", length, line);
        if (*line == ' ')
            printf("%s\n", paragraph);
        else
            wrap_print(stdout, paragraph, 0, WRAP_HELP);
        line += length;
    }
}

static void print_help(const struct command *command) {
    const struct flag help = {.name = "help", .help = "print this help", .type = FLAG_SWITCH};
    size_t column = flag_width(&help) + 2;
    for (const struct flag *flag = command->flags; flag->name; flag++)
        if (flag_width(flag) + 2 > column && flag_width(flag) + 2 <= FLAG_COLUMN_MAX)
            column = flag_width(flag) + 2;

    printf("usage: treebench %s [OPTION]...\n\n", command->name);
    wrap_print(stdout, command->summary, 0, WRAP_HELP);
    printf("\nOptions:\n");
    for (const struct flag *flag = command->flags; flag->name; flag++)
        print_flag(flag, column);
    print_flag(&help, column);
    printf("\n");
    print_details(command->details);
}

/* --- parsing ---------------------------------------------------------------------------------- */

static void refuse_unknown(struct parsed *parsed, const char *typed) {
    const char *names[FLAGS_MAX];
    size_t count = 0;
    for (; count < FLAGS_MAX && parsed->command->flags[count].name; count++)
        names[count] = parsed->command->flags[count].name;
    const char *nearest = nearest_name(typed + strspn(typed, "-"), names, count);
    if (nearest)
        command_refuse(parsed, "unknown option '%s': did you mean '--%s'?", typed, nearest);
    else
        command_refuse(parsed, "unknown option '%s'", typed);
}

static uint64_t bit_of(const struct command *command, const struct flag *flag) {
    return UINT64_C(1) << ((flag - command->flags) % FLAGS_MAX);
}

static void set(struct parsed *parsed, const struct flag *flag, const char *value, void *request) {
    struct error error;
    bool repeats = flag->type == FLAG_TEXTS || flag->type == FLAG_INTEGERS;
    uint64_t bit = bit_of(parsed->command, flag);
    if (parsed->given & bit && !repeats) {
        command_refuse(parsed, "--%s is given twice", flag->name);
        return;
    }
    parsed->given |= bit;
    if (flag_set(flag, value, request, &error))
        command_refuse(parsed, "%s", error.text);
}

/* Parses the option at argv[at]. Returns the index of the last argument of this option. */
static int parse_flag(struct parsed *parsed, int argc, char **argv, int at, void *request) {
    const char *typed = argv[at], *equals = strchr(typed, '=');
    const struct flag *flag =
        strncmp(typed, "--", 2) == 0 ? flag_find(parsed->command->flags, typed + 2) : NULL;
    bool takes_argument = flag && flag->type != FLAG_SWITCH;
    if (!flag) {
        refuse_unknown(parsed, typed);
    } else if (!takes_argument && equals) {
        command_refuse(parsed, "--%s takes no argument", flag->name);
    } else if (takes_argument && !equals) {
        char argument[FLAG_ARGUMENT_SIZE];
        flag_argument(flag, argument);
        if (++at >= argc || strncmp(argv[at], "--", 2) == 0)
            command_refuse(parsed, "--%s needs an argument: --%s %s", flag->name, flag->name,
                           argument);
        else
            set(parsed, flag, argv[at], request);
    } else {
        set(parsed, flag, equals ? equals + 1 : "", request);
    }
    return at;
}

static bool is_help(const char *text) {
    return strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0;
}

struct parsed command_parse(const struct command *command, int argc, char **argv, void *request) {
    struct parsed parsed = {.command = command, .request = request};
    for (int i = 1; i < argc && !parsed.ends; i++) {
        if (is_help(argv[i])) {
            print_help(command);
            parsed.ends = true;
        } else if (argv[i][0] == '-' && argv[i][1]) {
            i = parse_flag(&parsed, argc, argv, i, request);
        } else {
            command_refuse(&parsed, "unexpected argument '%s'; options begin with --", argv[i]);
        }
    }
    for (const struct flag *flag = command->flags; flag->name && !parsed.ends; flag++)
        if (flag->required)
            command_require(&parsed, flag->name);
    return parsed;
}

bool command_given(const struct parsed *parsed, const char *name) {
    const struct flag *flag = flag_find(parsed->command->flags, name);
    return flag && parsed->given & bit_of(parsed->command, flag);
}

/* Returns true if the option was given and its value is not an empty text. */
static bool has_value(const struct parsed *parsed, const struct flag *flag) {
    const void *member = (const char *)parsed->request + flag->at;
    const char *text = flag->type == FLAG_TEXT ? *(const char *const *)member : "given";
    return parsed->given & bit_of(parsed->command, flag) && *text;
}

void command_require(struct parsed *parsed, const char *name) {
    const struct flag *flag = flag_find(parsed->command->flags, name);
    char argument[FLAG_ARGUMENT_SIZE];
    if (parsed->ends || has_value(parsed, flag))
        return;
    flag_argument(flag, argument);
    command_refuse(parsed, "--%s %s is required", flag->name, argument);
}

/* --- messages --------------------------------------------------------------------------------- */

static struct {
    bool holds;
    size_t used;
    char text[16 * ERROR_TEXT_SIZE]; /* lines */
} held;

void command_hold_notes(void) {
    held.holds = true;
}

void command_release_notes(void) {
    fwrite(held.text, 1, held.used, stderr);
    held.used = 0;
    held.holds = false;
}

void command_show(const char *line) {
    size_t room = sizeof held.text - held.used;
    int length = held.holds ? snprintf(held.text + held.used, room, "treebench: %s\n", line) : 0;
    if (held.holds && length > 0 && (size_t)length < room)
        held.used += (size_t)length;
    else
        fprintf(stderr, "treebench: %s\n", line);
}

void command_note(const char *format, ...) {
    char text[ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    note_tell(command_show, "%s", text);
}

/* --- what options declare --------------------------------------------------------------------- */

/* Returns the path in an option that names a file or a folder; NULL: none. */
static const char *path_of(const struct parsed *parsed, const struct flag *flag) {
    return flag->file ? *(const char *const *)((const char *)parsed->request + flag->at) : NULL;
}

/* Fails if a file that is written is also another option's, because one would overwrite the other.
 * "-" is standard output and not a file. */
static enum status check_written(const struct parsed *parsed, const struct flag *written,
                                 struct error *error) {
    const char *path = path_of(parsed, written);
    for (const struct flag *flag = parsed->command->flags; flag->name; flag++) {
        const char *other = path_of(parsed, flag);
        bool is_checked = flag != written && (flag->file == FLAG_READS || flag < written);
        if (is_checked && other && strcmp(path, "-") != 0 && file_same(path, other))
            return error_set(error, STATUS_INPUT, "--%s and --%s are the same file (%s)",
                             written->name, flag->name, path);
    }
    return STATUS_OK;
}

static enum status check_flag(const struct parsed *parsed, const struct flag *flag,
                              struct error *error) {
    const char *path = path_of(parsed, flag);
    if (path && flag->file == FLAG_WRITES)
        return check_written(parsed, flag, error);
    if (path && flag->file == FLAG_WRITES_FOLDER && strcmp(path, "-") == 0)
        return error_set(error, STATUS_INPUT,
                         "--%s -: a folder cannot be standard output; write ./- for a folder named "
                         "'-'",
                         flag->name);
    return STATUS_OK;
}

static enum status check_others(const struct parsed *parsed, const struct flag *flag,
                                struct error *error) {
    if (flag->excludes && command_given(parsed, flag->excludes))
        return error_set(error, STATUS_INPUT, "--%s and --%s cannot be used together", flag->name,
                         flag->excludes);
    if (!flag->needs || command_given(parsed, flag->needs))
        return STATUS_OK;
    const struct flag *needed = flag_find(parsed->command->flags, flag->needs);
    return error_set(error, STATUS_INPUT, "--%s has no effect without --%s %s", flag->name,
                     needed->name, needed->argument);
}

/* Fails if an option was given that has no effect with this one. */
static enum status check_useless(const struct parsed *parsed, const struct flag *flag,
                                 struct error *error) {
    for (const char *const *other = flag->useless; other && *other; other++)
        if (command_given(parsed, *other))
            return error_set(error, STATUS_INPUT, "--%s has no effect with --%s %s", *other,
                             flag->name, flag->argument);
    return STATUS_OK;
}

static enum status check_declared(const struct parsed *parsed, struct error *error) {
    enum status status = STATUS_OK;
    const struct flag *flags = parsed->command->flags;
    size_t count = 0;
    while (flags[count].name)
        count++;
    /* the last first: a way that an option chooses is the default of those before it */
    for (size_t i = count; i-- > 0 && !status;)
        if (parsed->given & bit_of(parsed->command, &flags[i]))
            status = check_useless(parsed, &flags[i], error);
    for (size_t i = 0; i < count && !status; i++)
        if (parsed->given & bit_of(parsed->command, &flags[i]))
            status = check_others(parsed, &flags[i], error);
    for (size_t i = 0; i < count && !status; i++)
        status = check_flag(parsed, &flags[i], error);
    return status;
}

int command_perform(const struct command *command, int argc, char **argv) {
    struct error error;
    struct parsed parsed = command_parse(command, argc, argv, command->request);
    if (parsed.ends)
        return parsed.exit_status;
    enum status status = check_declared(&parsed, &error);
    if (!status)
        status = command->run(&parsed, &error);
    if (!status)
        return parsed.exit_status;
    print_error(error.text);
    return status == STATUS_MACHINE ? EXIT_MACHINE : EXIT_USAGE;
}
