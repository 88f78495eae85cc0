#include "export/kernel.h"

#include "export/text.h"

#include <assert.h>
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct kernel_writer {
    FILE *stream;
    const char *suffix;
    bool in_comment, after_blank;
};

static bool begins(const char *line, const char *with) {
    return strncmp(line, with, strlen(with)) == 0;
}

/* Does the word begin with a prefix of the names that every kind of kernel defines? */
static bool is_kernel_name(const char *word) {
    return begins(word, "kernel_") || begins(word, "KERNEL_");
}

static size_t word_size(const char *at) {
    size_t size = 0;
    while (isalnum((unsigned char)at[size]) || at[size] == '_')
        size++;
    return size;
}

/* Writes a line and appends the suffix to each kernel name that is not in a comment. Of several
 * blank lines, only the first is written. */
static void write_renamed(struct kernel_writer *writer, const char *line) {
    if (!*line && writer->after_blank)
        return;
    writer->after_blank = !*line;
    while (*line) {
        if (begins(line, writer->in_comment ? "*/" : "/*"))
            writer->in_comment = !writer->in_comment;
        size_t size = word_size(line), step = size ? size : 1;
        fwrite(line, 1, step, writer->stream);
        if (size && !writer->in_comment && is_kernel_name(line))
            fputs(writer->suffix, writer->stream);
        line += step;
    }
    fputc('\n', writer->stream);
}

static void write_file(struct kernel_writer *writer, const char *path, size_t size);

/* Writes an included template in place of its #include. Other #include lines are dropped, because
 * the program gets those headers elsewhere or does not need them. */
static void write_included(struct kernel_writer *writer, const char *line) {
    static const char template[] = "_tmpl.h";
    const char *path = strchr(line, '"');
    size_t size = path ? strcspn(path + 1, "\"") : 0, end = strlen(template);
    if (size > end && memcmp(path + 1 + size - end, template, end) == 0)
        write_file(writer, path + 1, size);
}

static void write_file(struct kernel_writer *writer, const char *path, size_t size) {
    const char *const *line = text_lines(path, size);
    bool guarded = false;
    assert(line);
    for (; *line; line++) {
        bool last = line[1] == NULL;
        if (begins(*line, "#include"))
            write_included(writer, *line);
        else if (begins(*line, "#ifndef IMPLS_") || begins(*line, "#define IMPLS_"))
            guarded = true;
        else if (!(guarded && last))
            write_renamed(writer, *line);
    }
}

static void write_path(struct kernel_writer *writer, const char *path) {
    write_file(writer, path, strlen(path));
}

void kernel_write_file(FILE *stream, const char *path) {
    struct kernel_writer writer = {.stream = stream, .suffix = ""};
    write_path(&writer, path);
}

void kernel_write(FILE *stream, const char *kind, const char *suffix, int parts) {
    struct kernel_writer writer = {.stream = stream, .suffix = suffix};
    char registers[64];
    snprintf(registers, sizeof registers, "impls/planes/kernel/planes_%s_tmpl.h", kind);
    fprintf(stream, "enum { KERNEL_PARTS%s = %d };\n\n", suffix, parts);
    write_path(&writer, registers);
    write_path(&writer, "impls/planes/kernel/planes_nodes_tmpl.h");
    write_path(&writer, "impls/planes/kernel/planes_doubles_tmpl.h");
    write_path(&writer, "impls/planes/kernel/planes_run_tmpl.h");
}
