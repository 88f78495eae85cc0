#include "impls/framing/ifelse_bytes.h"

#include <unistd.h>

struct frame_bytes ifelse_node_bytes(bool as_int, bool votes) {
#if defined(__aarch64__)
    return (struct frame_bytes){as_int ? 20 : 18, votes ? 8 : 12};
#else
    return (struct frame_bytes){as_int ? 21 : 17, votes ? 6 : 13};
#endif
}

size_t ifelse_cache_bytes(void) {
    enum { USUAL = 32 * 1024 };
    long bytes = -1;
#ifdef _SC_LEVEL1_ICACHE_SIZE
    bytes = sysconf(_SC_LEVEL1_ICACHE_SIZE);
#endif
    return bytes > 0 ? (size_t)bytes : USUAL;
}
