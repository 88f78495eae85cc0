/* For readers that open a file: a folder of the fuzzer's own, and its bytes in a file there. */
#ifndef TESTS_FUZZ_OWN_FOLDER_H
#define TESTS_FUZZ_OWN_FOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_expect(bool holds) {
    if (!holds)
        abort();
}

/* One line that begins with the file's name. */
static inline void fuzz_expect_line(const char *text, const char *path) {
    fuzz_expect(strncmp(text, path, strlen(path)) == 0 && text[strlen(path)] == ':');
    fuzz_expect(!strchr(text, '\n'));
}

/* Made by the first call, in TMPDIR; scripts/fuzz.sh removes it. */
static inline const char *fuzz_folder(void) {
    static char folder[256];
    if (!folder[0]) {
        const char *parent = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%s/treebench-fuzz-XXXXXX", parent ? parent : "/tmp");
        fuzz_expect(mkdtemp(folder) != NULL);
    }
    return folder;
}

/* Replaces the file. */
static inline void fuzz_write(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "w");
    fuzz_expect(file != NULL);
    fuzz_expect(fwrite(data, 1, size, file) == size);
    fuzz_expect(fclose(file) == 0);
}

#endif
