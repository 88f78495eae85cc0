/* Files in memory, read when they are touched. A file that is cut short meanwhile is the end of the
 * program: there is nothing to go on with. */
#ifndef BASE_MAPPING_H
#define BASE_MAPPING_H

#include <stddef.h>

/* Maps the first `size` bytes of an open file: writing to them changes no file. `name` is for the
 * message. NULL with errno on failure. */
void *mapping_open(int file, size_t size, const char *name);
void mapping_close(void *bytes, size_t size);

/* From now on, touching what was cut off is one line on stderr and exit status 2, after a cleanup
 * (cleanup.h). For programs: the library leaves signals alone. */
void mapping_on_signals(void);

#endif
