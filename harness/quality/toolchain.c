#include "harness/quality/toolchain.h"

#include "base/files/temporary.h"
#include "base/process.h"
#include "impls/codegen/codegen_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Debian's names of compilers for other machines. */
const char *const toolchain_names[] = {"gcc",
                                       "clang",
                                       "arm-linux-gnueabihf-gcc",
                                       "aarch64-linux-gnu-gcc",
                                       "powerpc-linux-gnu-gcc",
                                       "powerpc64le-linux-gnu-gcc"};
const size_t toolchain_count = sizeof toolchain_names / sizeof *toolchain_names;

/* Output of compilers and of nm. A forest has a few functions per tree. */
enum { OUTPUT_SIZE = 1 << 20, LINE_SIZE = 512 };

bool toolchain_is_gcc(const char *name) {
    size_t length = strlen(name);
    return length >= 3 && strcmp(name + length - 3, "gcc") == 0;
}

/* --- running programs ------------------------------------------------------------------------- */

/* Runs a program and collects the beginning of its output. */
static enum status run(const char *const *argv, const char *input, size_t input_size, char *text,
                       size_t size, int *exit_status, struct error *error) {
    struct process process;
    enum status status = process_start(argv, input, input_size, &process, error);
    if (!status)
        process_finish(&process, text, size, exit_status);
    return status;
}

/* Asks a compiler for one line. STATUS_MACHINE if it is not installed or does not work. */
static enum status ask(const char *name, const char *question, char *answer, size_t size,
                       struct error *error) {
    const char *const argv[] = {name, question, NULL};
    char line[PATH_MAX] = "";
    int exit_status = 0;
    enum status status = run(argv, NULL, 0, line, sizeof line, &exit_status, error);
    if (status)
        return status;
    if (exit_status != 0)
        return error_set(error, STATUS_MACHINE, "%s %s: exit status %d", name, question,
                         exit_status);
    line[strcspn(line, "\n")] = '\0';
    text_make_plain(line);
    snprintf(answer, size, "%.*s", (int)size - 1, line);
    return STATUS_OK;
}

enum status toolchain_find(const char *name, struct toolchain *toolchain, struct error *error) {
    *toolchain = (struct toolchain){.name = name};
    enum status status =
        ask(name, "--version", toolchain->version, sizeof toolchain->version, error);
    if (!status)
        status = ask(name, "-dumpmachine", toolchain->machine, sizeof toolchain->machine, error);
    if (!status)
        status = ask(name, "-print-prog-name=nm", toolchain->nm, sizeof toolchain->nm, error);
    if (!status)
        status = ask(name, "-print-prog-name=size", toolchain->size, sizeof toolchain->size, error);
    toolchain->machine[strcspn(toolchain->machine, "-")] = '\0';
    /* gcc for armhf writes Thumb code. The paper's sizes are multiples of four bytes: ARM code. */
    if (strcmp(toolchain->machine, "arm") == 0)
        toolchain->flag = "-marm";
    return status;
}

/* --- reading objects -------------------------------------------------------------------------- */

typedef bool take_line(const char *line, struct object_size *size);

static bool each_line(const char *text, take_line *take, struct object_size *size) {
    while (*text) {
        char line[LINE_SIZE];
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(length < LINE_SIZE ? length : LINE_SIZE - 1),
                 text);
        if (*line && !take(line, size))
            return false;
        text += length + (text[length] == '\n');
    }
    return true;
}

/* "NAME TYPE VALUE SIZE". Undefined symbols and labels have no size. */
static bool take_symbol(const char *line, struct object_size *size) {
    char name[LINE_SIZE], type;
    size_t value, bytes;
    int fields = sscanf(line, "%511s %c %zu %zu", name, &type, &value, &bytes);
    if (fields < 4)
        return fields >= 2;
    if (strchr("tTwWi", type))
        size->code += bytes;
    else if (strchr("rR", type) && strcmp(name, CODEGEN_TABLE) == 0)
        size->constants -= bytes;
    return true;
}

/* Sections of constants: .rodata.cst4 and so on. PowerPC has .sdata2 and .toc. */
static bool is_constant(const char *section) {
    static const char *const names[] = {".rodata", ".srodata", ".sdata2", ".toc"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(section, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* "SECTION SIZE ADDRESS". The other lines begin with the object's name, "section" or "Total". */
static bool take_section(const char *line, struct object_size *size) {
    char name[LINE_SIZE];
    size_t bytes;
    if (*line != '.')
        return true;
    if (sscanf(line, "%511s %zu", name, &bytes) != 2)
        return false;
    size->constants += is_constant(name) ? bytes : 0;
    return true;
}

bool object_add_symbols(const char *text, struct object_size *size) {
    return each_line(text, take_symbol, size);
}

bool object_add_sections(const char *text, struct object_size *size) {
    return each_line(text, take_section, size);
}

/* Runs a program that reads an object, and adds what it says. */
static enum status read_object(const char *const *argv,
                               bool (*add)(const char *, struct object_size *),
                               struct object_size *size, struct error *error) {
    char *text = malloc(OUTPUT_SIZE);
    int exit_status = 0;
    if (!text)
        return error_memory(error, argv[0]);
    enum status status = run(argv, NULL, 0, text, OUTPUT_SIZE, &exit_status, error);
    bool whole = !status && exit_status == 0 && strlen(text) < OUTPUT_SIZE - 1;
    if (!status && !(whole && add(text, size)))
        status = error_set(error, STATUS_MACHINE, "%s: cannot read an object: %.200s", argv[0],
                           exit_status ? text : "unexpected output");
    free(text);
    return status;
}

static enum status read_size(const struct toolchain *toolchain, const char *object,
                             struct object_size *size, struct error *error) {
    const char *const sections[] = {toolchain->size, "-A", "-d", object, NULL};
    const char *const symbols[] = {toolchain->nm, "-P", "-t", "d", object, NULL};
    *size = (struct object_size){0, 0};
    enum status status = read_object(sections, object_add_sections, size, error);
    return status ? status : read_object(symbols, object_add_symbols, size, error);
}

/* --- compiling -------------------------------------------------------------------------------- */

/* Without PIE, as compilers of the paper's time: position-independent code of some machines has
 * more instructions. The flag comes last because it may be NULL. */
static enum status compile(const struct toolchain *toolchain, const char *level, const char *source,
                           size_t source_size, const char *object, struct error *error) {
    const char *const argv[] = {
        toolchain->name, level, "-fno-pie",      "-w", "-ffp-contract=off", "-x", "c", "-c", "-o",
        object,          "-",   toolchain->flag, NULL};
    char message[LINE_SIZE] = "";
    int exit_status = 0;
    enum status status =
        run(argv, source, source_size, message, sizeof message, &exit_status, error);
    message[strcspn(message, "\n")] = '\0';
    if (!status && exit_status != 0)
        status = error_set(error, STATUS_MACHINE, "%s failed with exit status %d: %s",
                           toolchain->name, exit_status, message);
    return status;
}

enum status toolchain_measure(const struct toolchain *toolchain, const char *level,
                              const char *source, size_t source_size, const char *folder,
                              struct object_size *size, struct error *error) {
    char *target, *object;
    int file;
    if (asprintf(&target, "%s/object.o", folder) < 0)
        return error_memory(error, "an object");
    int reason = temporary_create(target, &object, &file);
    free(target);
    if (reason != 0)
        return error_set(error, STATUS_IO, "%s: cannot create a temporary file: %s", folder,
                         strerror(reason));
    close(file);
    enum status status = compile(toolchain, level, source, source_size, object, error);
    if (!status)
        status = read_size(toolchain, object, size, error);
    temporary_remove(object);
    return status;
}
