/* Bytes of machine code of if-else trees: one line of a run's sizes.jsonl. docs/rows.md documents
 * the schema. Change CODE_SIZE_SCHEMA whenever it changes. */
#ifndef HARNESS_QUALITY_CODE_SIZE_H
#define HARNESS_QUALITY_CODE_SIZE_H

#include "harness/quality/toolchain.h"
#include "harness/rows/lines.h"
#include "harness/rows/row.h"

#define CODE_SIZE_SCHEMA 2

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
    unsigned origin;          /* the model's: bits of base/origin.h */
    char compiler[TOOLCHAIN_NAME_SIZE], machine[TOOLCHAIN_MACHINE_SIZE],
        version[TOOLCHAIN_VERSION_SIZE];
    double code, constants; /* bytes */
};

extern const struct record code_size_record;
extern const struct json_lines code_size_lines; /* items are struct code_size */

/* Returns the size of a subject's code by a compiler, or NULL. A subject with 0 leaves matches any
 * numbers of splits and leaves, and NULL matches any subject. */
const struct code_size *code_sizes_find(const struct json_list *sizes,
                                        const struct code_subject *subject, const char *compiler);

#endif
