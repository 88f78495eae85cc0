#include "export/text.h"

#include <assert.h>
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* The lines around text that depends on a value. */
static const char IF[] = "@@if ", ELSE[] = "@@else", END[] = "@@end", INCLUDE[] = "@@include ";

struct text {
    const char *path;
    const char *const *lines; /* ended by NULL */
};

#include "export_texts.h" /* made by scripts/embed.sh: static const struct text texts[] */

const char *const *text_lines(const char *path, size_t path_size) {
    for (const struct text *text = texts; text->path; text++)
        if (strlen(text->path) == path_size && memcmp(text->path, path, path_size) == 0)
            return text->lines;
    return NULL;
}

static bool begins(const char *line, const char *with) {
    return strncmp(line, with, strlen(with)) == 0;
}

static const char *find_value(const char *key, size_t size, const struct text_value *values) {
    while (values->key && !(strlen(values->key) == size && memcmp(values->key, key, size) == 0))
        values++;
    assert(values->key);
    return values->value;
}

/* Returns the length of the key that begins at `at`, or 0 if there is no key. Keys have lower-case
 * letters, except the key NAME. */
static size_t key_size(const char *at) {
    size_t size = strspn(at, "abcdefghijklmnopqrstuvwxyz_NAME");
    return at[size] == '@' ? size : 0;
}

static void write_line(FILE *stream, const char *line, const struct text_value *values) {
    while (*line) {
        size_t plain = strcspn(line, "@"), size = line[plain] ? key_size(line + plain + 1) : 0;
        fwrite(line, 1, plain, stream);
        line += plain;
        if (size) {
            fputs(find_value(line + 1, size, values), stream);
            line += size + 2;
        } else if (*line) {
            fputc(*line++, stream);
        }
    }
    fputc('\n', stream);
}

static void write_part(FILE *stream, const char *key, const struct text_part *const *lists,
                       const void *context) {
    const struct text_part *part = *lists;
    while (!part->key || strcmp(part->key, key) != 0)
        if (part->key)
            part++;
        else
            part = *++lists;
    part->write(&(const struct text_place){stream, context, part->argument});
}

static bool is_set(const char *key, const struct text_value *values) {
    return strcmp(find_value(key, strlen(key), values), "0") != 0;
}

void text_write(FILE *stream, const char *template_path, const struct text_value *values,
                const struct text_part *const *lists, const void *context) {
    const char *const *line = text_lines(template_path, strlen(template_path));
    bool written = true;
    assert(line);
    for (; *line; line++) {
        if (begins(*line, IF))
            written = is_set(*line + strlen(IF), values);
        else if (strcmp(*line, ELSE) == 0)
            written = !written;
        else if (strcmp(*line, END) == 0)
            written = true;
        else if (written && begins(*line, INCLUDE))
            text_write(stream, *line + strlen(INCLUDE), values, lists, context);
        else if (written && begins(*line, "@@"))
            write_part(stream, *line + 2, lists, context);
        else if (written)
            write_line(stream, *line, values);
    }
}

/* --- sources of kernels ---------------------------------------------------------------------- */

struct kernel_writer {
    FILE *stream;
    const char *suffix;
    bool in_comment, after_blank;
};

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

void text_write_source(FILE *stream, const char *path) {
    struct kernel_writer writer = {.stream = stream, .suffix = ""};
    write_path(&writer, path);
}

void text_write_kernel(FILE *stream, const char *kind, const char *suffix, int parts) {
    struct kernel_writer writer = {.stream = stream, .suffix = suffix};
    char registers[64];
    snprintf(registers, sizeof registers, "impls/planes/kernel/planes_%s_tmpl.h", kind);
    fprintf(stream, "enum { KERNEL_PARTS%s = %d };\n\n", suffix, parts);
    write_path(&writer, registers);
    write_path(&writer, "impls/planes/kernel/planes_nodes_tmpl.h");
    write_path(&writer, "impls/planes/kernel/planes_doubles_tmpl.h");
    write_path(&writer, "impls/planes/kernel/planes_run_tmpl.h");
}
