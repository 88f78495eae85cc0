/* Memory of the calling thread. */
#ifndef DROPIN_SCRATCH_H
#define DROPIN_SCRATCH_H

#include <stddef.h>

/* Returns at least `bytes` bytes, aligned to 64, uninitialised. They are the thread's until its
 * next call of this function, and freed when it ends. NULL if out of memory. */
void *scratch(size_t bytes);

#endif
