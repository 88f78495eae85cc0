/* What the processor is and can do. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

enum cpu_feature {
    CPU_SSE42 = 1u << 0,
    CPU_AVX2 = 1u << 1,
    CPU_AVX512 = 1u << 2, /* F, BW, DQ and VL */
    CPU_NEON = 1u << 3,
    CPU_AVX512_VBMI = 1u << 4 /* VBMI and GFNI, besides: since Ice Lake and Zen 4 */
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

/* What /proc/cpuinfo says of the first processor behind "NAME :"; "" where unknown. */
void cpu_read_field(const char *name, char *text, size_t size);

/* Tasks that ran or wanted to, on average over the last minute; NaN where unknown. */
double cpu_load(void);

/* The cores a thread may run on. */
struct cpu_affinity {
    cpu_set_t cores;
    bool known;
};

void cpu_get_affinity(struct cpu_affinity *affinity); /* of the calling thread */

/* Numbers of the cores, at most `limit`, the first hyper-thread of each core before any second one;
 * returns how many. Where they are not known, none. */
unsigned cpu_list_cores(const struct cpu_affinity *affinity, int *cores, unsigned limit);

/* Ties the calling thread, and what it starts from now on, to a core. */
bool cpu_pin(int core);

/* Ties the calling thread, and what it starts from now on, to the core it runs on. `before` is for
 * cpu_unpin. Returns the core, or -1 where the system refuses. */
int cpu_pin_here(struct cpu_affinity *before);
void cpu_unpin(const struct cpu_affinity *before);

#endif
