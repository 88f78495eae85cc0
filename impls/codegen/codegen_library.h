/* CODEGEN's compiled trees. Generates their source, compiles it in parallel with the system's
 * compiler, caches the objects, and loads them. */
#ifndef IMPLS_CODEGEN_CODEGEN_LIBRARY_H
#define IMPLS_CODEGEN_CODEGEN_LIBRARY_H

#include "impls/codegen/codegen_source.h"

struct codegen_library {
    size_t n_groups, n_chunks;
    struct span *trees;     /* [n_groups] the trees of each group */
    codegen_group **groups; /* [n_groups] */
    struct span *chunks;    /* [n_chunks] the groups that are compiled together */
    void **handles;         /* [n_chunks] from dlopen; NULL until the chunk is loaded */
    size_t bytes;           /* size of the loaded code and its constants */
};

/* Divides the ensemble into groups of trees and compiles them. STATUS_MACHINE if there is no
 * working compiler. */
enum status codegen_library_open(const struct ensemble *ensemble, struct codegen_library **library,
                                 struct error *error);

void codegen_library_close(struct codegen_library *library); /* NULL is fine */

#endif
