/* Names that an exported program must not have. */
#ifndef EXPORT_NAMES_H
#define EXPORT_NAMES_H

#include <stdbool.h>

/* Do C, C++, POSIX, Linux or compilers have a header NAME.h? An exported file of that name in an
 * include folder (-I) would be included instead. Case is ignored, because some file systems ignore
 * it. */
bool export_name_is_header(const char *name);

#endif
