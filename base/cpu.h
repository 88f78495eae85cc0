/* The processor: its features, its caches and the logical processors that threads may run on. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include "base/status.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

enum cpu_feature {
    CPU_SSE42 = 1u << 0,
    CPU_AVX2 = 1u << 1,   /* AVX2, BMI and BMI2: since Haswell and Zen */
    CPU_AVX512 = 1u << 2, /* F, BW, DQ and VL */
    CPU_NEON = 1u << 3,
    CPU_AVX512_VBMI = 1u << 4 /* CPU_AVX512 plus VBMI and GFNI: since Ice Lake and Zen 4 */
};

/* The features of this processor that the operating system has enabled, except hidden ones. */
unsigned cpu_features(void);

/* Hides features from cpu_features, so that one program can test the code for every processor.
 * "-avx2,-neon" hides AVX2, every feature that requires AVX2 (AVX-512), and NEON. "" hides nothing.
 * Call cpu_hide before other threads start. An unknown name is an error and leaves the hidden
 * features as they were. */
enum status cpu_hide(const char *list, struct error *error);

/* The features of this processor that cpu_hide has hidden. */
unsigned cpu_hidden_features(void);

/* Writes the names of the features in a set, such as "avx2 avx512". */
void cpu_feature_names(unsigned features, char *text, size_t size);

struct cpu_info {
    char model[128]; /* "" if unknown, as are the other texts */
    char microcode[32];
    char governor[32];
    size_t l1d_bytes, l2_bytes, l3_bytes; /* cache sizes that one core sees; 0 if unknown */
    unsigned cores;                       /* logical processors that this process may use */
    unsigned numa_nodes;
};
void cpu_read_info(struct cpu_info *info);

/* Writes the text after "NAME :" in the entry of the first processor in /proc/cpuinfo, or "" if
 * there is none. */
void cpu_read_field(const char *name, char *text, size_t size);

/* The logical processors that a thread may run on. */
struct cpu_affinity {
    cpu_set_t cores;
    bool known;
};

void cpu_get_affinity(struct cpu_affinity *affinity); /* for the calling thread */

/* Writes the ids of at most `limit` logical processors. The first hyper-thread of every core comes
 * before the second hyper-thread of any core. Returns the number of ids written; 0 if the affinity
 * is not known. */
unsigned cpu_list_cores(const struct cpu_affinity *affinity, int *cores, unsigned limit);

/* Pins the calling thread, and all threads and processes that it starts later, to one logical
 * processor. */
bool cpu_pin(int core);

/* Pins the calling thread to the logical processor that it runs on. Stores the previous affinity in
 * `before`, for cpu_unpin. Returns the id of the processor, or -1 if the system does not allow
 * pinning. */
int cpu_pin_here(struct cpu_affinity *before);
void cpu_unpin(const struct cpu_affinity *before);

#endif
