#include "base/cpu.h"

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned detect_features(void) {
    unsigned features = 0;
#if defined(__x86_64__) || defined(__i386__)
    /* __builtin_cpu_supports also checks what the operating system has enabled (XCR0). */
    if (__builtin_cpu_supports("sse4.2"))
        features |= CPU_SSE42;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2"))
        features |= CPU_AVX2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        features |= CPU_AVX512;
    if (__builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("gfni"))
        features |= CPU_AVX512_VBMI;
#elif defined(__aarch64__)
    features |= CPU_NEON; /* part of every AArch64 processor */
#endif
    return features;
}

/* Every feature requires all features before it, except NEON, which stands alone. */
static const struct {
    unsigned feature;
    const char *name;
} names[] = {{CPU_SSE42, "sse4.2"},
             {CPU_AVX2, "avx2"},
             {CPU_AVX512, "avx512"},
             {CPU_AVX512_VBMI, "avx512vbmi"},
             {CPU_NEON, "neon"}};
enum { N_NAMES = sizeof names / sizeof *names };

static unsigned hidden;

unsigned cpu_features(void) {
    return detect_features() & ~hidden;
}

unsigned cpu_hidden_features(void) {
    return detect_features() & hidden;
}

/* Returns the named feature and all features that require it; 0 if the name is unknown. */
static unsigned find_features(const char *name, size_t length) {
    unsigned found = 0;
    for (size_t i = 0; i < N_NAMES; i++)
        if ((found && names[i].feature != CPU_NEON) ||
            (strlen(names[i].name) == length && memcmp(names[i].name, name, length) == 0))
            found |= names[i].feature;
    return found;
}

enum status cpu_hide(const char *list, struct error *error) {
    unsigned hide = 0;
    for (const char *at = list; *at; at += *at == ',') {
        size_t length = strcspn(at, ",");
        unsigned found = *at == '-' ? find_features(at + 1, length - 1) : 0;
        if (!found)
            return error_set(error, STATUS_INPUT,
                             "'%.*s' is not one of -sse4.2, -avx2, -avx512, -avx512vbmi, -neon "
                             "(commas separate several)",
                             (int)length, at);
        hide |= found;
        at += length;
    }
    hidden = hide;
    return STATUS_OK;
}

void cpu_feature_names(unsigned features, char *text, size_t size) {
    size_t used = 0;
    if (size)
        text[0] = '\0';
    for (size_t i = 0; i < N_NAMES && used < size; i++)
        if (features & names[i].feature)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "", names[i].name);
}

static void copy_text(char *to, size_t size, const char *from) {
    from += strspn(from, " \t");
    snprintf(to, size, "%s", from);
    to[strcspn(to, "\n")] = '\0';
}

/* Reads the beginning of a file; "" if it cannot be read. Uses no stream, because a stream
 * allocates and memory may be short. */
static void read_beginning(const char *path, char *text, size_t size) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    ssize_t got = 0;
    while (file >= 0 && used < size - 1 && (got = read(file, text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    if (file >= 0)
        close(file);
    text[used] = '\0';
}

/* Reads the first line of a file; "" if it cannot be read. */
static void read_first_line(const char *path, char *text, size_t size) {
    read_beginning(path, text, size);
    text[strcspn(text, "\n")] = '\0';
}

void cpu_read_field(const char *name, char *text, size_t size) {
    enum { FIRST_PROCESSOR = 1 << 14 };
    char list[FIRST_PROCESSOR];
    read_beginning("/proc/cpuinfo", list, sizeof list);
    text[0] = '\0';
    for (char *line = list; *line && !text[0]; line += strcspn(line, "\n"), line += *line != '\0') {
        char *colon = line + strcspn(line, ":\n");
        if (*colon == ':' && strncmp(line, name, strlen(name)) == 0)
            copy_text(text, size, colon + 1);
    }
}

/* Parses a size as the kernel writes it, such as "48K" or "32M". */
static size_t parse_size(const char *text) {
    char *unit;
    size_t size = strtoul(text, &unit, 10);
    return *unit == 'K' ? size << 10 : *unit == 'M' ? size << 20 : *unit == 'G' ? size << 30 : size;
}

static void read_cache(unsigned index, struct cpu_info *info) {
    enum { LEVEL, TYPE, SIZE, N_FILES };
    static const char *const files[N_FILES] = {"level", "type", "size"};
    char content[N_FILES][32];
    for (int i = 0; i < N_FILES; i++) {
        char path[96];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s", index,
                 files[i]);
        read_first_line(path, content[i], sizeof content[i]);
    }
    if (strcmp(content[TYPE], "Instruction") == 0)
        return;
    size_t *const sizes[] = {&info->l1d_bytes, &info->l2_bytes, &info->l3_bytes};
    unsigned long level = strtoul(content[LEVEL], NULL, 10);
    if (level >= 1 && level <= 3)
        *sizes[level - 1] = parse_size(content[SIZE]);
}

static unsigned count_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (unsigned)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* more processors than a cpu_set_t holds */
    return online > 0 ? (unsigned)online : 0;
}

static unsigned count_numa_nodes(void) {
    char list[256];
    unsigned count = 0;
    read_first_line("/sys/devices/system/node/online", list, sizeof list);
    for (char *at = list; *at >= '0' && *at <= '9'; at += *at == ',') {
        long first = strtol(at, &at, 10), last = *at == '-' ? strtol(at + 1, &at, 10) : first;
        count += last >= first ? (unsigned)(last - first + 1) : 0;
    }
    return count;
}

void cpu_read_info(struct cpu_info *info) {
    *info = (struct cpu_info){0};
    cpu_read_field("model name", info->model, sizeof info->model);
    cpu_read_field("microcode", info->microcode, sizeof info->microcode);
    read_first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", info->governor,
                    sizeof info->governor);
    enum { MAX_CACHES = 8 };
    for (unsigned index = 0; index < MAX_CACHES; index++)
        read_cache(index, info);
    info->cores = count_cores();
    info->numa_nodes = count_numa_nodes();
}

void cpu_get_affinity(struct cpu_affinity *affinity) {
    affinity->known = sched_getaffinity(0, sizeof affinity->cores, &affinity->cores) == 0;
}

/* Counts the allowed logical processors that share a physical core with `core` and have a lower id.
 * Returns 0 if the system does not list them. The kernel's list reads "0-1,4". */
static unsigned siblings_before(const cpu_set_t *allowed, int core) {
    char path[96], list[256];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
             core);
    read_first_line(path, list, sizeof list);
    unsigned count = 0;
    for (char *at = list; *at >= '0' && *at <= '9'; at += *at == ',') {
        long first = strtol(at, &at, 10), last = *at == '-' ? strtol(at + 1, &at, 10) : first;
        for (long sibling = first; sibling <= last && sibling < core; sibling++)
            count += CPU_ISSET((size_t)sibling, allowed) != 0;
    }
    return count;
}

unsigned cpu_list_cores(const struct cpu_affinity *affinity, int *cores, unsigned limit) {
    unsigned total = affinity->known ? (unsigned)CPU_COUNT(&affinity->cores) : 0, count = 0;
    unsigned rank_of[CPU_SETSIZE] = {0};
    for (int core = 0; total > 0 && core < CPU_SETSIZE; core++)
        if (CPU_ISSET((size_t)core, &affinity->cores))
            rank_of[core] = siblings_before(&affinity->cores, core);
    for (unsigned rank = 0; rank < total; rank++)
        for (int core = 0; core < CPU_SETSIZE && count < limit; core++)
            if (CPU_ISSET((size_t)core, &affinity->cores) && rank_of[core] == rank)
                cores[count++] = core;
    return count;
}

bool cpu_pin(int core) {
    cpu_set_t set;
    if (core < 0 || core >= CPU_SETSIZE)
        return false;
    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

int cpu_pin_here(struct cpu_affinity *before) {
    cpu_get_affinity(before);
    int core = sched_getcpu();
    return cpu_pin(core) ? core : -1;
}

void cpu_unpin(const struct cpu_affinity *before) {
    if (before->known)
        sched_setaffinity(0, sizeof before->cores, &before->cores);
}
