/* CODEGEN's compiled trees. Their source is generated, compiled in parallel by the system's
 * compiler, cached, and loaded. */
#ifndef IMPLS_CODEGEN_CODEGEN_LIBRARY_H
#define IMPLS_CODEGEN_CODEGEN_LIBRARY_H

#include "impls/codegen/codegen_source.h"

struct codegen_library;

/* Copies the functions of all trees to trees[0 .. n_trees-1]; they stay valid until close. *bytes
 * is the size of the loaded code. STATUS_MACHINE if there is no working compiler. */
enum status codegen_library_open(const struct ensemble *ensemble, codegen_tree **trees,
                                 struct codegen_library **library, size_t *bytes,
                                 struct error *error);
void codegen_library_close(struct codegen_library *library); /* NULL is fine */

#endif
