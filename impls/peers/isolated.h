/* Runs a function in a process of its own, so that a crash or a hang there is only an error here.
 */
#ifndef IMPLS_PEERS_ISOLATED_H
#define IMPLS_PEERS_ISOLATED_H

#include "base/status.h"

#include <stddef.h>

/* Forks, and calls function(context, result) in the child, on a copy of the `size` bytes of *result
 * that is shared with this process. The child inherits all memory, but only the calling thread.
 * Afterwards, *result is what the child had written to it. Nothing else that it changes is seen
 * here.
 *
 * STATUS_INPUT if the child did not return from the function: "crashed by signal 11 (Segmentation
 * fault)", "ended its process with exit status 3" or "did not answer within 10 s". In
 * any case, the child and all processes that it started have ended then, unless they left its
 * process group. They also end if this process ends. STATUS_MEMORY or STATUS_MACHINE if there can
 * be no child. */
enum status isolated_run(void (*function)(void *context, void *result), void *context, void *result,
                         size_t size, unsigned seconds, struct error *error);

#endif
