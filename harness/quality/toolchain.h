/* The compilers whose machine code is measured: of this machine, and for others. */
#ifndef HARNESS_QUALITY_TOOLCHAIN_H
#define HARNESS_QUALITY_TOOLCHAIN_H

#include "base/status.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { TOOLCHAIN_NAME_SIZE = 32, TOOLCHAIN_MACHINE_SIZE = 24, TOOLCHAIN_VERSION_SIZE = 96 };

/* All compilers that are known, whether they are installed or not: "gcc", "clang",
 * "arm-linux-gnueabihf-gcc" and others. */
extern const char *const toolchain_names[];
extern const size_t toolchain_count;

struct toolchain {
    const char *name;                     /* the command */
    const char *flag;                     /* which it needs for all sources; NULL: none */
    char machine[TOOLCHAIN_MACHINE_SIZE]; /* that it compiles for: "x86_64", "arm", "powerpc" */
    char version[TOOLCHAIN_VERSION_SIZE]; /* the first line of --version */
    char nm[PATH_MAX], size[PATH_MAX];    /* programs that read its objects */
};

/* Finds an installed compiler by its name. STATUS_MACHINE if it is not installed. */
enum status toolchain_find(const char *name, struct toolchain *toolchain, struct error *error);

bool toolchain_is_gcc(const char *name);

struct object_size {
    size_t code;      /* bytes of all functions, without padding between them */
    size_t constants; /* bytes of data that the code reads, without the table CODEGEN_TABLE */
};

/* Compiles C source, at a level such as "-O3", and measures the object. Writes a temporary file
 * into the folder. */
enum status toolchain_measure(const struct toolchain *toolchain, const char *level,
                              const char *source, size_t source_size, const char *folder,
                              struct object_size *size, struct error *error);

/* For tests: add what the output of `nm -P -t d` and of `size -A -d` says. False if a line cannot
 * be read. */
bool object_add_symbols(const char *text, struct object_size *size);
bool object_add_sections(const char *text, struct object_size *size);

#endif
