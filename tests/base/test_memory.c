#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

static void memory_is_aligned_and_zero(void **state) {
    (void)state;
    for (size_t bytes = 0; bytes < 200; bytes += 33) {
        unsigned char *memory = memory_aligned_calloc(bytes, 1);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % MEMORY_ALIGNMENT, 0);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(memory[i], 0);
        free(memory);
    }
    assert_null(memory_aligned_alloc(SIZE_MAX));
    assert_null(memory_aligned_calloc(SIZE_MAX / 2, 3));
}

static void arrays_grow_and_keep_their_content(void **state) {
    (void)state;
    int *list = NULL;
    size_t capacity = 0;
    for (size_t count = 0; count < 1000; count++) {
        assert_true(memory_grow((void **)&list, &capacity, count, sizeof *list));
        list[count] = (int)count;
    }
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(list[i], (int)i);
    size_t huge = SIZE_MAX / 2; /* doubling overflows */
    assert_false(memory_grow((void **)&list, &huge, huge, sizeof *list));
    assert_true(huge == SIZE_MAX / 2);
    free(list);
}

static void a_pool_fails_once_and_frees_all(void **state) {
    (void)state;
    struct memory_pool pool = {0};
    for (size_t i = 0; i < 100; i++) {
        int *array = memory_pool_array(&pool, i, sizeof *array);
        assert_non_null(array);
        assert_int_equal((uintptr_t)array % MEMORY_ALIGNMENT, 0);
        for (size_t j = 0; j < i; j++)
            assert_int_equal(array[j]++, 0);
    }
    assert_int_equal(pool.bytes, 99 * 100 / 2 * sizeof(int));
    assert_false(pool.failed);
    assert_null(memory_pool_array(&pool, SIZE_MAX / 2, 8));
    assert_null(memory_pool_array(&pool, 1, 1)); /* callers check only once */
    assert_true(pool.failed);
    memory_pool_free(&pool);
    assert_int_equal(pool.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_aligned_and_zero),
        cmocka_unit_test(arrays_grow_and_keep_their_content),
        cmocka_unit_test(a_pool_fails_once_and_frees_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
