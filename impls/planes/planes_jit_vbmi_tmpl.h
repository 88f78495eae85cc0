/* Bit planes compiled to machine code, with AVX-512, VBMI and GFNI (Intel's servers since Ice Lake,
 * AMD since Zen 4). The includer may define KERNEL_NARROW (planes_vbmi_tmpl.h). */
enum { KERNEL_PARTS = 1 };
#define KERNEL_BYTE_VALUES
#define PLANES_FIXED true
#define PLANES_COMPILER &planes_jit_evex

#include "impls/planes/kernel/planes_vbmi_tmpl.h"

#include "impls/planes/planes_jit_nodes_tmpl.h"

#include "impls/planes/kernel/planes_fixed_vbmi_tmpl.h"

#include "impls/planes/kernel/planes_floats_vbmi_tmpl.h"

#include "impls/planes/planes_impl_tmpl.h"
