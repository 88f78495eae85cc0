/* Keeps compilers from removing a branch that the papers' implementation has. */
#ifndef IMPLS_SHARED_BRANCH_H
#define IMPLS_SHARED_BRANCH_H

/* Call branch_keep in one arm of an if-else. It costs no instruction. Without it, compilers may
 * replace the branch by a conditional move, which would be a different implementation. clang 14
 * does so for a choice between two child pointers; gcc 12 does not. */
static inline void branch_keep(void) {
    __asm__ volatile("");
}

#endif
