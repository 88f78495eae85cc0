/* How large the machine code of if-else trees is, and how much of it fits the cache. */
#ifndef IMPLS_FRAMING_IFELSE_BYTES_H
#define IMPLS_FRAMING_IFELSE_BYTES_H

#include "impls/framing/frame_kernel.h"

/* The expected bytes of code of a split and of a leaf on this architecture, without constants: s(i)
 * of buschjaeger2018. The functions of real trees have more or fewer, because jumps are short or
 * long and leaves may share code. */
struct frame_bytes ifelse_node_bytes(bool as_int, bool votes);

/* The size of this machine's L1 instruction cache; 32 KiB if it is unknown. */
size_t ifelse_cache_bytes(void);

#endif
