/* The kernel of bit planes as text: the very sources that this program was built from. */
#ifndef EXPORT_KERNEL_H
#define EXPORT_KERNEL_H

#include <stdio.h>

/* impls/planes_types.h, without guards and includes. */
void kernel_write_types(FILE *stream);

/* impls/planes_kernel.h for the primitives in `header`, likewise. With a suffix (not ""), the names
 * of what it defines end with it, so that several kinds of it can stand in one file. */
void kernel_write(FILE *stream, const char *header, const char *suffix);

#endif
