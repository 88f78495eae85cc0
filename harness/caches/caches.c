#include "harness/caches/caches.h"

#include "base/files/kernel_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { INDICES_MOST = 8, TEXT_SIZE = 256 };

static void read_cache_file(const char *root, unsigned index, const char *file, char *text,
                            size_t size) {
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s", index, file);
    kernel_file_line(root, path, text, size);
}

/* The list of sharing processors counts the hyper-threads of a core one by one. */
static unsigned count_cores(const char *root, const char *shared_cpu_list) {
    char siblings[TEXT_SIZE];
    kernel_file_line(root, "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", siblings,
                     sizeof siblings);
    unsigned processors = kernel_list_count(shared_cpu_list), threads = kernel_list_count(siblings);
    return threads ? (processors + threads - 1) / threads : processors;
}

static void read_index(const char *root, unsigned index, struct caches *caches) {
    char level[16], type[16], size[16], list[TEXT_SIZE];
    read_cache_file(root, index, "level", level, sizeof level);
    read_cache_file(root, index, "type", type, sizeof type);
    read_cache_file(root, index, "size", size, sizeof size);
    read_cache_file(root, index, "shared_cpu_list", list, sizeof list);
    int i = level[0] - '1';
    if (strcmp(type, "Instruction") != 0 && i >= 0 && i < CACHE_LEVELS && level[1] == '\0')
        caches->levels[i] = (struct cache){kernel_size_parse(size), count_cores(root, list)};
}

/* On x86, glibc asks the processor, so that the sizes are known without /sys too. */
static void ask_library(struct caches *caches) {
    static const int names[CACHE_LEVELS] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
                                            _SC_LEVEL3_CACHE_SIZE};
    for (int i = 0; i < CACHE_LEVELS; i++) {
        long bytes = sysconf(names[i]);
        caches->levels[i].bytes = bytes > 0 ? (size_t)bytes : 0;
    }
}

void caches_read(const char *root, struct caches *caches) {
    *caches = (struct caches){0};
    for (unsigned index = 0; index < INDICES_MOST; index++)
        read_index(root, index, caches);
    if (caches_last(caches) < 0 && root[0] == '\0')
        ask_library(caches);
}

size_t caches_effective(const struct cache *cache, unsigned busy_cores) {
    unsigned sharing = busy_cores < cache->cores ? busy_cores : cache->cores;
    return sharing > 1 ? cache->bytes / sharing : cache->bytes;
}

int caches_last(const struct caches *caches) {
    int last = CACHE_LEVELS - 1;
    while (last >= 0 && caches->levels[last].bytes == 0)
        last--;
    return last;
}
