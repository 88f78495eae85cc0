/* Names that an exported program must not have. */
#ifndef EXPORT_NAMES_H
#define EXPORT_NAMES_H

#include <stdbool.h>

/* Is there a header NAME.h of C, C++, POSIX, Linux or compilers? A file of that name in a folder of
 * headers (-I) would be included instead. In any case: some file systems know no other. */
bool export_name_is_header(const char *name);

#endif
