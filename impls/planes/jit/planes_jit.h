/* The compilers of bit planes: inner nodes become machine code (planes_jit_code.h), in memory that
 * a model owns.
 *
 * STATUS_MACHINE if the system does not execute code generated at run time; STATUS_UNSUPPORTED if a
 * model has too many tests. */
#ifndef IMPLS_PLANES_JIT_PLANES_JIT_H
#define IMPLS_PLANES_JIT_PLANES_JIT_H

#include "impls/planes/planes_model.h"

extern const struct planes_compiler planes_jit_vex;  /* for AVX2 */
extern const struct planes_compiler planes_jit_evex; /* for AVX-512 */

#endif
