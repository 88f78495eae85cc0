/* Names that an export must not have. */
#ifndef EXPORT_NAMES_H
#define EXPORT_NAMES_H

#include <stdbool.h>

/* Returns true if NAME.h is a header of C, C++, POSIX, Linux or a compiler. An exported NAME.h in
 * an include folder (-I) would hide that header. Case is ignored, because some file systems ignore
 * case. */
bool export_name_is_header(const char *name);

#endif
