/* Memory-mapped files. If a mapped file is truncated, the program ends with a message, because
 * there is nothing to continue with. */
#ifndef BASE_FILES_MAPPING_H
#define BASE_FILES_MAPPING_H

#include <stddef.h>

/* Maps the first `size` bytes of an open file. Writing to the memory does not change the file.
 * `name` is used in the message. Returns NULL and sets errno on failure. */
void *mapping_open(int file, size_t size, const char *name);
void mapping_close(void *bytes, size_t size);

/* After this call, access to a truncated part of a mapping prints one line on stderr, cleans up
 * (cleanup.h) and exits with status 2. For programs only: the library never installs signal
 * handlers. */
void mapping_on_signals(void);

#endif
