/* Bytes of machine code of if-else trees: one line of a run's sizes.jsonl. docs/rows.md documents
 * the schema. Change CODE_SIZE_SCHEMA whenever it changes. */
#ifndef HARNESS_QUALITY_CODE_SIZE_H
#define HARNESS_QUALITY_CODE_SIZE_H

#include "harness/quality/toolchain.h"
#include "harness/rows/row.h"

#define CODE_SIZE_SCHEMA 1

enum { CODE_LEVEL_SIZE = 4, CODE_FEATURE_SIZE = 8 };

/* What is compiled. */
struct code_subject {
    /* a forest; or kind "synthetic": the isolated example (example_source.h) */
    struct workload workload;
    uint32_t splits, leaves;         /* of all trees */
    char feature[CODE_FEATURE_SIZE]; /* "int" or "float" */
    char level[CODE_LEVEL_SIZE];     /* "-O0" or "-O3" */
};

struct code_size {
    struct code_subject subject;
    char note[ROW_NOTE_SIZE]; /* describes a model of partial data, or "" */
    char compiler[TOOLCHAIN_NAME_SIZE], machine[TOOLCHAIN_MACHINE_SIZE],
        version[TOOLCHAIN_VERSION_SIZE];
    double code, constants; /* bytes */
};

struct code_sizes {
    struct code_size *list;
    size_t count;
};

/* Loads DIRECTORY/sizes.jsonl. If the file does not exist, the list is empty. */
enum status code_sizes_load(const char *directory, struct code_sizes *sizes, struct error *error);
void code_sizes_free(struct code_sizes *sizes);

/* Returns the size of a subject's code by a compiler, or NULL. A subject with 0 leaves matches any
 * numbers of splits and leaves. */
const struct code_size *code_sizes_find(const struct code_sizes *sizes,
                                        const struct code_subject *subject, const char *compiler);

/* Returns any line of this compiler, or NULL. */
const struct code_size *code_sizes_of(const struct code_sizes *sizes, const char *compiler);

/* Fails if the folder holds sizes of an older run. */
enum status code_sizes_vacant(const char *directory, struct error *error);

/* Opens DIRECTORY/sizes.jsonl for appending. Without `resume`, it is an error if the file has
 * lines. Close it with code_store_close. */
struct code_store;
enum status code_store_open(const char *directory, bool resume, struct code_store **store,
                            struct error *error);
const struct code_sizes *code_store_found(const struct code_store *store);
enum status code_store_append(struct code_store *store, const struct code_size *size,
                              struct error *error);
void code_store_close(struct code_store *store); /* NULL is fine */

#endif
