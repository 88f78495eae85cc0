#include "dropin/symbols.h"

#include "base/memory.h"
#include "base/process.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 512, OUTPUT_MAX = 64 << 20 };

/* Runs a program. The caller frees *text, what it printed, even after a failure. */
static enum status print_of(const char *const *argv, size_t limit, char **text, int *exit_status,
                            struct error *error) {
    struct process process;
    *text = malloc(limit);
    if (!*text)
        return error_memory(error, argv[0]);
    enum status status = process_start(argv, NULL, 0, &process, error);
    if (!status)
        process_finish(&process, *text, limit, exit_status);
    return status;
}

/* Adds the paths that ldd printed, as "NAME => PATH (ADDRESS)". They point into the text. */
static void add_libraries(char *text, const char **files, size_t *n_files) {
    static const char arrow[] = " => /";
    for (char *at = text; (at = strstr(at, arrow)) && *n_files < FILES_MAX;) {
        char *path = at + sizeof arrow - 2, *end = path + strcspn(path, "\n");
        char *address = strstr(path, " (0x");
        at = end;
        if (address && address < end)
            *address = '\0';
        files[(*n_files)++] = path;
    }
}

/* --- names ------------------------------------------------------------------------------------ */

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool begins(const char *name, const char *const *prefixes) {
    for (; *prefixes; prefixes++)
        if (strncmp(name, *prefixes, strlen(*prefixes)) == 0)
            return true;
    return false;
}

/* Cuts the lines "U NAME" of the text, and keeps the names that begin with a prefix. */
static bool keep_names(struct symbols *symbols, const char *const *prefixes) {
    size_t capacity = 0;
    for (char *line = strtok(symbols->text, "\n"); line; line = strtok(NULL, "\n")) {
        char *name = strrchr(line, ' ');
        if (!name || !begins(++name, prefixes))
            continue;
        name[strcspn(name, "@")] = '\0'; /* the version */
        if (!memory_grow((void **)&symbols->name, &capacity, symbols->count, sizeof name))
            return false;
        symbols->name[symbols->count++] = name;
    }
    if (symbols->count)
        qsort(symbols->name, symbols->count, sizeof *symbols->name, compare_names);
    size_t kept = 0;
    for (size_t i = 0; i < symbols->count; i++)
        if (kept == 0 || strcmp(symbols->name[kept - 1], symbols->name[i]) != 0)
            symbols->name[kept++] = symbols->name[i];
    symbols->count = kept;
    return true;
}

/* Lists what the files take from libraries. Their first is the program. */
static enum status list_names(const char *const *files, size_t n_files, const char *const *prefixes,
                              struct symbols *symbols, struct error *error) {
    const char *argv[FILES_MAX + 4] = {"nm", "-D", "-u"};
    int exit_status = 0;
    memcpy(argv + 3, files, n_files * sizeof *files);
    enum status status = print_of(argv, OUTPUT_MAX, &symbols->text, &exit_status, error);
    if (!status && exit_status)
        status = error_set(error, STATUS_INPUT, "%s: not a program or a library (%.*s)", files[0],
                           (int)strcspn(symbols->text, "\n"), symbols->text);
    if (!status && !keep_names(symbols, prefixes))
        status = error_memory(error, "the symbols of a program");
    return status;
}

enum status symbols_read(const char *program, const char *const *prefixes, struct symbols *symbols,
                         struct error *error) {
    enum { LIBRARIES_TEXT = 1 << 20 };
    const char *files[FILES_MAX] = {program};
    const char *const ldd[] = {"ldd", program, NULL};
    size_t n_files = 1;
    int exit_status = 0;
    char *libraries = NULL;
    *symbols = (struct symbols){.text = NULL};
    if (access(program, R_OK))
        return error_set(error, STATUS_IO, "%s: cannot be read", program);
    enum status status = print_of(ldd, LIBRARIES_TEXT, &libraries, &exit_status, error);
    if (!status && exit_status == 0)
        add_libraries(libraries, files, &n_files);
    if (!status)
        status = list_names(files, n_files, prefixes, symbols, error);
    free(libraries);
    if (status)
        symbols_free(symbols);
    return status;
}

void symbols_free(struct symbols *symbols) {
    free(symbols->text);
    free(symbols->name);
    *symbols = (struct symbols){.text = NULL};
}
