/* The generator of the if-else trees of buschjaeger2018: writes trees as C. */
#ifndef IMPLS_FRAMING_IFELSE_SOURCE_H
#define IMPLS_FRAMING_IFELSE_SOURCE_H

#include "impls/codegen/codegen_library.h"
#include "impls/framing/frame_kernel.h"
#include "impls/framing/framing_node.h"

/* The generated function of a group of trees. Calls each tree directly and adds its vote or the
 * value of its exit leaf to the scores of one document. */
typedef void ifelse_function(const float *document, double *score);

/* How trees are written. */
struct ifelse_form {
    enum framing_values values; /* integers: the function takes short * or int * */
    bool swap;                  /* the likelier child of each node comes first */
    bool hint;                  /* tell the compiler that the first child is the likelier one */
    /* Likely nodes come first, the others behind labels at the end of the function. Without
     * by_kernel, the members below are not used. */
    bool by_kernel;
    bool strict;
    bool apart; /* the others are functions of their own instead, which compilers keep apart */
    struct frame_bytes bytes;
    size_t budget; /* of each tree, in bytes */
};

/* Writes groups of trees as codegen_writer asks for; context is a struct ifelse_form. */
enum status ifelse_write_source(const void *context, const struct ensemble *ensemble,
                                const struct span *groups, size_t n_groups, FILE *stream,
                                struct error *error);

/* Writes only the functions of trees: `static unsigned tree_T(const float *x)` returns the class
 * that tree T votes for, or `static double` the value of its exit leaf. */
enum status ifelse_write_trees(const struct ifelse_form *form, const struct ensemble *ensemble,
                               struct span trees, FILE *stream, struct error *error);

/* Writes the comparison at a node: an expression that is nonzero exactly if the document x goes
 * left (or right, if !left). Integers have no NaN, and no sets: a node with a set is not written
 * for them. */
void ifelse_write_test(FILE *stream, const struct ensemble *ensemble, size_t node, bool left,
                       enum framing_values values);

#endif
