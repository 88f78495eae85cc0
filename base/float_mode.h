/* The floating-point mode of the calling thread. Programs linked with -ffast-math flush subnormal
 * numbers to zero, and other programs change the rounding or enable traps. Exact scores need the
 * default mode of IEEE 754. Scoring code therefore sets this mode and restores the caller's mode
 * afterwards, which takes a few cycles if the mode is already the default. */
#ifndef BASE_FLOAT_MODE_H
#define BASE_FLOAT_MODE_H

#include <stdint.h>

#if defined __x86_64__

#include <xmmintrin.h>

/* The bits of MXCSR that are not status flags. The exact mode masks all exceptions and rounds to
 * nearest. */
enum { FLOAT_MODE_BITS = 0xffc0, FLOAT_MODE_EXACT = 0x1f80 };

static inline uint64_t float_mode_read(void) {
    return _mm_getcsr();
}

static inline void float_mode_write(uint64_t mode) {
    _mm_setcsr((unsigned)mode);
}

#elif defined __aarch64__

/* The bits FIZ, AH, traps, FZ16, rounding mode and FZ of FPCR. */
enum { FLOAT_MODE_BITS = 0x01c89f03, FLOAT_MODE_EXACT = 0 };

static inline uint64_t float_mode_read(void) {
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
}

static inline void float_mode_write(uint64_t mode) {
    __asm__ volatile("msr fpcr, %0" : : "r"(mode));
}

#else

enum { FLOAT_MODE_BITS = 0, FLOAT_MODE_EXACT = 0 };

static inline uint64_t float_mode_read(void) {
    return 0;
}

static inline void float_mode_write(uint64_t mode) {
    (void)mode;
}

#endif

/* Keeps the compiler from moving computations across this point. */
static inline void float_mode_fence(void) {
#ifdef __GNUC__
    __asm__ volatile("" : : : "memory");
#endif
}

/* Returns the previous mode, for float_mode_end. */
static inline uint64_t float_mode_begin(void) {
    uint64_t before = float_mode_read();
    if ((before & FLOAT_MODE_BITS) != FLOAT_MODE_EXACT)
        float_mode_write((before & ~(uint64_t)FLOAT_MODE_BITS) | FLOAT_MODE_EXACT);
    float_mode_fence();
    return before;
}

static inline void float_mode_end(uint64_t before) {
    float_mode_fence();
    if ((before & FLOAT_MODE_BITS) != FLOAT_MODE_EXACT)
        float_mode_write(before);
}

#endif
