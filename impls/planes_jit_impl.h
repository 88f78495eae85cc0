/* What bit planes whose nodes are machine code, written when a model is built, are made of besides
 * their primitives, PLANES_IMPL and PLANES_NODES, which come before: as planes_impl.h. */
#include "impls/planes_jit_code.h"

#define PLANES_SPLIT

static inline void planes_split(const struct planes_bundle *bundle, const void *tests, void *planes,
                                int n_parts) {
    void (*code)(const void *, void *);
    memcpy(&code, &bundle->code, sizeof code); /* ISO C has no conversion from a pointer to data */
    for (int part = 0; part < n_parts; part++)
        code((const char *)tests + part * PLANES_REGISTER, (char *)planes + part * PLANES_REGISTER);
}

#include "impls/planes_impl.h"
