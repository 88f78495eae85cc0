/* What the processor is and can do. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stddef.h>

enum cpu_feature {
    CPU_SSE42 = 1u << 0,
    CPU_AVX2 = 1u << 1,
    CPU_AVX512 = 1u << 2, /* F, BW, DQ and VL */
    CPU_NEON = 1u << 3
};

/* The features of the processor this runs on (and that the operating system has enabled). */
unsigned cpu_features(void);

/* "avx2 avx512" for a set of features. */
void cpu_feature_names(unsigned features, char *text, size_t size);

struct cpu_info {
    char model[128]; /* "" where unknown, likewise below */
    char microcode[32];
    char governor[32];
    size_t l1d_bytes, l2_bytes, l3_bytes; /* of one core's view; 0 where unknown */
    unsigned cores;                       /* this process may use */
    unsigned numa_nodes;
};
void cpu_read_info(struct cpu_info *info);

/* Ties the calling thread to one core, the one it runs on now. Returns the core, or -1. */
int cpu_pin_here(void);

#endif
