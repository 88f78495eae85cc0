#include "harness/memory/clock_rate.h"

#include "harness/instruments/timer.h"

#include <stddef.h>
#include <stdint.h>

enum {
    /* the fastest batch counts, because it was not interrupted; the first ones also give the clock
     * time to rise */
    BATCHES = 40,
    ROUNDS = 1 << 15
};

/* Makes the value of a register unknown to the compiler, so that it cannot combine additions. */
#define HIDE(x) __asm__ volatile("" : "+r"(x))

static uint64_t add_chain(uint64_t step) {
    uint64_t sum = 0;
    HIDE(step); /* some processors need no time to add a constant */
    for (size_t i = 0; i < ROUNDS; i++) {
        sum += step;
        HIDE(sum);
        sum += step;
        HIDE(sum);
        sum += step;
        HIDE(sum);
        sum += step;
        HIDE(sum);
    }
    return sum;
}

double clock_rate_measure(void) {
    enum { ADDITIONS = 4 * ROUNDS };
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < BATCHES; i++) {
        uint64_t begin = timer_wall_ns();
        uint64_t sum = add_chain(3);
        HIDE(sum);
        uint64_t took = timer_wall_ns() - begin;
        least = took < least ? took : least;
    }
    return (double)ADDITIONS / (double)(least > 0 ? least : 1);
}
