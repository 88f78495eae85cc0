/* Writes kernels as text, from the same sources that treebench is built from. */
#ifndef EXPORT_KERNEL_H
#define EXPORT_KERNEL_H

#include <stdio.h>

/* Writes a source without its guard and its #include lines. Included templates are written in place
 * of their #include. */
void kernel_write_file(FILE *stream, const char *path);

/* Writes one kind of kernel of bit planes: the templates that planes_block_tmpl.h lists. The
 * registers are those of impls/planes/kernel/planes_KIND_tmpl.h, and a plane has `parts` registers.
 * The suffix is appended to all names that begin with kernel_ or KERNEL_, so that one file can have
 * several kinds. */
void kernel_write(FILE *stream, const char *kind, const char *suffix, int parts);

#endif
