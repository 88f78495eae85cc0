#include "impls/gpu/gpu_source.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    const char *path;
    const char *const *lines; /* ended by NULL */
};

#include "gpu_texts.h" /* made by scripts/embed.sh: static const struct text texts[] */

#ifdef WITH_CUDA
#include "gpu_binaries.h" /* made by scripts/cuda.sh: static const struct binary binaries[] */
#endif

enum { PATH_SIZE = 64 };

static void write_text(FILE *stream, const char *name) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "impls/gpu/%s.cl", name);
    const struct text *text = texts;
    while (text->path && strcmp(text->path, path) != 0)
        text++;
    for (const char *const *line = text->path ? text->lines : NULL; line && *line; line++)
        fprintf(stream, "%s\n", *line);
}

static const unsigned char *find_binary(const char *name) {
#ifdef WITH_CUDA
    for (const struct binary *binary = binaries; binary->name; binary++)
        if (strcmp(binary->name, name) == 0)
            return binary->bytes;
#endif
    (void)name;
    return NULL;
}

enum status gpu_source_make(const char *name, struct device_source *source, char **text,
                            struct error *error) {
    size_t size;
    *text = NULL;
    FILE *stream = memory_open_stream(text, &size);
    if (stream) {
        write_text(stream, "dialect");
        write_text(stream, "documents");
        write_text(stream, name);
    }
    if (!stream || !memory_close_stream(stream)) {
        free(*text);
        *text = NULL;
        return error_memory(error, "the text of a kernel");
    }
    *source = (struct device_source){.name = name, .text = *text, .binary = find_binary(name)};
    return STATUS_OK;
}
