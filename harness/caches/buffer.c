#include "harness/caches/buffer.h"

#include "base/files/kernel_file.h"

#include <math.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 2 << 20 };

/* How many bytes of this process are in transparent huge pages. NaN if unknown. */
static double read_huge_bytes(void) {
    return kernel_file_bytes("/proc/self/smaps_rollup", "AnonHugePages:");
}

/* A difference that other memory of the process disturbed may lie outside of 0 .. 1. */
static double share_of(double huge_bytes, size_t size) {
    double share = huge_bytes / (double)size;
    return share < 0 ? 0 : share > 1 ? 1 : share; /* NaN stays NaN */
}

/* Writes each page, so that the kernel provides it now and not while something is timed. */
static void touch(char *bytes, size_t size) {
    long page = sysconf(_SC_PAGESIZE);
    for (size_t at = 0; at<size; at += page> 0 ? (size_t)page : 4096)
        ((volatile char *)bytes)[at] = 1;
}

enum status memory_buffer_create(size_t size, bool huge, struct memory_buffer *buffer,
                                 struct error *error) {
    *buffer = (struct memory_buffer){0};
    if (size == 0 || size > SIZE_MAX - ALIGNMENT)
        return error_memory(error, "a buffer to measure memory");
    size_t mapped = size + ALIGNMENT;
    void *mapping = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED)
        return error_memory(error, "a buffer to measure memory");
    size_t skip = (ALIGNMENT - (uintptr_t)mapping % ALIGNMENT) % ALIGNMENT;
    *buffer = (struct memory_buffer){
        .bytes = (char *)mapping + skip, .size = size, .mapping = mapping, .mapped = mapped};
    /* a kernel without huge pages refuses the advice; huge_share then tells */
    madvise(mapping, mapped, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    double before = read_huge_bytes();
    touch(buffer->bytes, size);
    buffer->huge_share = share_of(read_huge_bytes() - before, size);
    return STATUS_OK;
}

void memory_buffer_free(struct memory_buffer *buffer) {
    if (buffer->mapping)
        munmap(buffer->mapping, buffer->mapped);
    *buffer = (struct memory_buffer){0};
}
