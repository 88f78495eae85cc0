#include "harness/memory/speeds.h"

#include "harness/instruments/timer.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PASSES = 5 /* odd */, LANES = 8 };

/* Several sums, because one would wait for the addition before it. */
static uint64_t read_all(const char *bytes, size_t size) {
    uint64_t sums[LANES] = {0}, words[LANES], total = 0;
    for (size_t at = 0; at + sizeof words <= size; at += sizeof words) {
        memcpy(words, bytes + at, sizeof words);
        for (size_t i = 0; i < LANES; i++)
            sums[i] += words[i];
    }
    for (size_t i = 0; i < LANES; i++)
        total += sums[i];
    return total;
}

double bandwidth_measure(const struct memory_buffer *buffer) {
    double rates[PASSES];
    for (int pass = 0; pass < PASSES; pass++) {
        uint64_t begin = timer_wall_ns();
        uint64_t total = read_all(buffer->bytes, buffer->size);
        /* the compiler must not drop the loads */
        __asm__ volatile("" : : "r"(total));
        uint64_t took = timer_wall_ns() - begin;
        double rate = (double)buffer->size / (double)(took > 0 ? took : 1);
        int at = pass; /* keeps the rates sorted */
        for (; at > 0 && rates[at - 1] > rate; at--)
            rates[at] = rates[at - 1];
        rates[at] = rate;
    }
    return rates[PASSES / 2];
}

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
