/* Keeping a branch a branch, where the papers' implementation means one. */
#ifndef IMPLS_BRANCH_H
#define IMPLS_BRANCH_H

/* In one arm of an if-else: the compiler may then not turn the two arms into a conditional move
 * (clang 14 does so with a choice of two child pointers, gcc 12 does not), which would make the
 * implementation another one. Costs no instruction. */
static inline void branch_keep(void) {
    __asm__ volatile("");
}

#endif
