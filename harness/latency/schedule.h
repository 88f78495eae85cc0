/* What calls score and when they arrive. All of it is drawn from seeds before anything is timed, so
 * that all implementations get the same calls. */
#ifndef HARNESS_LATENCY_SCHEDULE_H
#define HARNESS_LATENCY_SCHEDULE_H

#include "base/status.h"
#include "datasets/matrix.h"

#include <stddef.h>
#include <stdint.h>

/* The number of documents of a call: fixed if both are equal, otherwise drawn, each number as often
 * as any other. */
struct call_size {
    uint32_t least, most;
};

/* Which documents the calls of a stream score: each call others, or each call the same. The
 * difference is what caches and branch predictors learn. */
enum call_documents { CALL_DIFFERENT, CALL_SAME };
extern const char *const call_documents_words[3]; /* "different", "same", NULL */

/* What precedes each call of a stream: nothing, 1 ms of sleep, emptied caches (so that the model is
 * in L2, L3 or memory), or building the scorer. */
enum call_state { CALL_WARM, CALL_IDLE, CALL_L2, CALL_L3, CALL_COLD, CALL_FIRST, CALL_STATES };
extern const char *const call_state_words[CALL_STATES + 1]; /* "warm", ..., NULL */

struct call_state_facts {
    uint64_t usual_calls; /* proves p99.99, p99.9 or p99, by the time that the state takes */
    uint32_t warm_calls;  /* calls of a round before those that are timed */
};
extern const struct call_state_facts call_state_facts[CALL_STATES];

/* The rows of the shuffled documents that a call scores. */
struct call {
    size_t row, n_rows;
};

/* Returns the call of this number. There are at least size.most rows. */
struct call schedule_call(struct call_size size, enum call_documents documents, size_t n_rows,
                          uint64_t seed, uint64_t number);

/* Copies the documents in an order drawn from the seed. A call of several documents then gets
 * random ones, although they are consecutive. */
enum status schedule_shuffle(const struct matrix *documents, uint64_t seed,
                             struct matrix **shuffled, struct error *error);

/* Draws the arrivals of a Poisson process in ns: gaps have an exponential distribution with a mean
 * of 1 / rate seconds. */
void schedule_arrivals(double rate, uint64_t seed, size_t n, uint64_t *arrivals);

#endif
