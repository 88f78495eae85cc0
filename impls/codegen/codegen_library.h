/* Trees that are compiled to C: generates their source, compiles it in parallel with the system's
 * compiler, caches the objects, and loads them. */
#ifndef IMPLS_CODEGEN_CODEGEN_LIBRARY_H
#define IMPLS_CODEGEN_CODEGEN_LIBRARY_H

#include "impls/impl.h"

#include <stdio.h>

/* The generated function of a group of consecutive trees. Callers cast it to the type that the
 * writer gave it. */
typedef void codegen_function(void);

/* The symbol that a generated source exports: an array of pointers to functions, one per group. */
#define CODEGEN_TABLE "codegen_groups"

/* How an implementation writes trees as C. */
struct codegen_writer {
    const char *impl;       /* its name, in error messages */
    size_t trees_per_group; /* at most; SIZE_MAX: all trees that are compiled together */

    /* Writes the source of n_groups groups of trees. It does not depend on anything except the
     * ensemble, the groups and the context. The caller checks the stream for write errors. */
    enum status (*write)(const void *context, const struct ensemble *ensemble,
                         const struct span *groups, size_t n_groups, FILE *stream,
                         struct error *error);
    const void *context;
};

struct codegen_library {
    size_t n_groups, n_chunks;
    struct span *trees;        /* [n_groups] the trees of each group */
    codegen_function **groups; /* [n_groups] */
    struct span *chunks;       /* [n_chunks] the groups that are compiled together */
    void **handles;            /* [n_chunks] from dlopen; NULL until the chunk is loaded */
};

/* The scorer of implementations that are compiled to C: everything except their `score`. A unit is
 * a group of trees. */
struct codegen_scorer {
    struct scorer scorer;
    codegen_function *const *groups; /* [scorer.n_units] those of the library */
    struct codegen_library library;  /* in the scorer's pool */
};

/* Divides the ensemble into groups of trees and compiles them. STATUS_MACHINE if there is no
 * working compiler, STATUS_UNSUPPORTED if a tree is too large to be compiled. */
enum status codegen_scorer_build(const struct impl *impl, const struct ensemble *ensemble,
                                 const struct codegen_writer *writer, struct scorer **scorer,
                                 struct error *error);
void codegen_scorer_destroy(struct scorer *scorer);

#endif
