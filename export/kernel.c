#include "export/kernel.h"

#include "export/text.h"

#include <assert.h>
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* What every kind of the kernel defines anew. */
static const char kernel_names[] =
    " BLOCK DIGIT DIGITS DIGIT_VALUES FAN IN_ROWS LANES PART_DOCS PLANE_BYTES RANK_BYTES ROWS STRIP"
    " SUMS SUMS_MULTIPLE"
    " add_bundle add_firsts add_groups add_trees add_trees_of adding at begin_block broadcast"
    " compare_digit compare_digits count_parts fill_tests fill_tests_of find_bits find_codes"
    " find_ranks find_ranks_of load_four place_of plane planes_add_tree planes_child planes_keys"
    " planes_read planes_run planes_search prefetch prefetch_bundle prefetch_code prefetch_values"
    " reaches read_column read_strip round_up row_place row_size score_bundle score_bundles split"
    " split_leaves sums swap_bits test_documents transpose_bits turn_to_output vec work work_of"
    " write_column xor_tests ";
static const char *const kernel_macros[] = {"PLANES_REGISTER", "PLANES_PARTS", "PLANES_FAN_BITS",
                                            "PLANES_SEARCH",   "PLANES_ORDER", "PLANES_ADD_TREE"};
enum { KERNEL_MACROS = sizeof kernel_macros / sizeof *kernel_macros };

static bool begins(const char *line, const char *with) {
    return strncmp(line, with, strlen(with)) == 0;
}

struct kernel_writer {
    FILE *stream;
    const char *suffix;
    bool in_comment, after_blank;
};

static bool is_kernel_name(const char *name, size_t size) {
    for (const char *at = kernel_names; (at = strchr(at, ' ')) != NULL; at++)
        if (strncmp(at + 1, name, size) == 0 && at[1 + size] == ' ')
            return true;
    return false;
}

static size_t word_size(const char *at) {
    size_t size = 0;
    while (isalnum((unsigned char)at[size]) || at[size] == '_')
        size++;
    return size;
}

/* Names in comments stay as they are. */
static void write_renamed(struct kernel_writer *writer, const char *line) {
    if (!*line && writer->after_blank)
        return;
    writer->after_blank = !*line;
    while (*line) {
        if (begins(line, writer->in_comment ? "*/" : "/*"))
            writer->in_comment = !writer->in_comment;
        size_t size = word_size(line), step = size ? size : 1;
        fwrite(line, 1, step, writer->stream);
        if (size && !writer->in_comment && is_kernel_name(line, size))
            fputs(writer->suffix, writer->stream);
        line += step;
    }
    fputc('\n', writer->stream);
}

/* The line behind the #endif of the #ifndef or #ifdef at `line`, which has no #else. */
static const char *const *skip_conditional(const char *const *line) {
    for (; !begins(*line, "#endif"); line++)
        assert(!begins(*line, "#else"));
    return line + 1;
}

static const char types[] = "impls/planes_types.h";

static void write_header(struct kernel_writer *writer, const char *path, size_t size);

static void write_included(struct kernel_writer *writer, const char *line) {
    const char *path = strchr(line, '"');
    size_t size = path ? strcspn(path + 1, "\"") : 0;
    if (path && !(size == strlen(types) && memcmp(path + 1, types, size) == 0))
        write_header(writer, path + 1, size);
}

static void write_header(struct kernel_writer *writer, const char *path, size_t size) {
    const char *const *line = text_lines(path, size);
    bool guarded = false;
    assert(line);
    while (*line) {
        bool last = line[1] == NULL;
        if (begins(*line, "#ifndef SIMULATED_") || begins(*line, "#ifdef PLANES_FLOAT_CODES")) {
            line = skip_conditional(line);
            continue;
        }
        if (begins(*line, "#include"))
            write_included(writer, *line);
        else if (begins(*line, "#ifndef IMPLS_") || begins(*line, "#define IMPLS_"))
            guarded = true;
        else if (!(guarded && last))
            write_renamed(writer, *line);
        line++;
    }
}

void kernel_write_types(FILE *stream) {
    struct kernel_writer writer = {.stream = stream, .suffix = ""};
    write_header(&writer, types, strlen(types));
}

void kernel_write(FILE *stream, const char *header, const char *suffix) {
    struct kernel_writer writer = {.stream = stream, .suffix = suffix};
    write_header(&writer, header, strlen(header));
    write_header(&writer, "impls/planes_kernel.h", strlen("impls/planes_kernel.h"));
    for (size_t i = 0; i < KERNEL_MACROS; i++)
        fprintf(stream, "#undef %s\n", kernel_macros[i]);
}
