/* Resident memory of a piece of work, on a system that tells; on others it is unknown. */
#include "harness/instruments/resident.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MB = 1 << 20, HELD = 24 * MB, FREED = 16 * MB };

static char *map(size_t size) {
    char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(bytes != MAP_FAILED);
    memset(bytes, 1, size);
    return bytes;
}

/* The sizes are far above what the kernel's counts and the test itself are off by. */
static void test_what_is_held_and_what_was_freed(void **state) {
    (void)state;
    munmap(map(4 * HELD), 4 * HELD); /* an earlier peak does not count */
    struct resident_reading before = resident_begin();
    char *held = map(HELD);
    munmap(map(FREED), FREED);
    struct resident resident = resident_end(&before);
    if (isnan(resident.held_bytes))
        skip();
    assert_in_range((uint64_t)resident.held_bytes, HELD - 4 * MB, HELD + 4 * MB);
    if (!isnan(resident.most_bytes))
        assert_in_range((uint64_t)resident.most_bytes, HELD + FREED - 4 * MB,
                        HELD + FREED + 4 * MB);
    munmap(held, HELD);
}

static void test_memory_that_is_gone_counts_as_none(void **state) {
    (void)state;
    char *gone = map(HELD);
    struct resident_reading before = resident_begin();
    munmap(gone, HELD);
    struct resident resident = resident_end(&before);
    assert_true(isnan(resident.held_bytes) || resident.held_bytes == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_held_and_what_was_freed),
        cmocka_unit_test(test_memory_that_is_gone_counts_as_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
