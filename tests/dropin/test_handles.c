/* The table from handles to entries, alone and with many threads. */
#include "dropin/handles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>

enum { HANDLES = 3000 }; /* many to a chain */

static struct handles handles = {.lock = PTHREAD_MUTEX_INITIALIZER};
static char objects[HANDLES * 16], entries[HANDLES], others[HANDLES];

static const void *handle_of(size_t i) {
    return objects + i * 16;
}

static void handles_have_their_entries(void **state) {
    (void)state;
    assert_null(handles_get(&handles, NULL));
    assert_null(handles_get(&handles, handle_of(0)));
    assert_null(handles_take(&handles, NULL));
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < HANDLES; i++)
            assert_true(handles_put(&handles, handle_of(i), &others[i]));
        for (size_t i = 0; i < HANDLES; i++)
            assert_true(handles_put(&handles, handle_of(i), &entries[i]));
        for (size_t i = 0; i < HANDLES; i += 2)
            assert_ptr_equal(handles_take(&handles, handle_of(i)), &entries[i]);
        for (size_t i = 0; i < HANDLES; i++)
            assert_ptr_equal(handles_get(&handles, handle_of(i)), i % 2 ? &entries[i] : NULL);
        for (size_t i = 0; i < HANDLES; i++)
            assert_ptr_equal(handles_take(&handles, handle_of(i)), i % 2 ? &entries[i] : NULL);
    }
}

/* Puts and takes handles of its own, while the other threads do the same. */
static void *come_and_go(void *argument) {
    size_t own = *(const size_t *)argument, wrong = 0;
    for (int round = 0; round < 2000; round++) {
        for (size_t i = own; i < own + 40; i++)
            wrong += !handles_put(&handles, handle_of(i), &entries[i]);
        for (size_t i = own; i < own + 40; i++)
            wrong += handles_get(&handles, handle_of(i)) != &entries[i];
        for (size_t i = own; i < own + 40; i++)
            wrong += handles_take(&handles, handle_of(i)) != &entries[i];
        for (size_t i = own; i < own + 40; i++)
            wrong += handles_get(&handles, handle_of(i)) != NULL;
    }
    return wrong ? argument : NULL;
}

static void threads_do_not_meet(void **state) {
    (void)state;
    enum { THREADS = 8 };
    static const size_t owns[THREADS] = {0, 40, 80, 120, 160, 200, 240, 280};
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, come_and_go, (void *)(uintptr_t)&owns[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_have_their_entries),
        cmocka_unit_test(threads_do_not_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
