/* Writes the kernels of bit planes as text, from the same sources that treebench is built from. */
#ifndef EXPORT_KERNEL_H
#define EXPORT_KERNEL_H

#include <stdio.h>

/* Writes the types that all kinds of kernels share: float_key.h and planes_types.h, without guards
 * and includes. */
void kernel_write_types(FILE *stream);

/* Writes one kind of kernel: the templates that planes_block_tmpl.h lists. The registers are those
 * of impls/planes/kernel/planes_KIND_tmpl.h, and a plane has `parts` registers. The suffix is
 * appended to all names that begin with kernel_ or KERNEL_, so that one file can have several
 * kinds. */
void kernel_write(FILE *stream, const char *kind, const char *suffix, int parts);

#endif
