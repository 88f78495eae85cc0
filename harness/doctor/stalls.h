/* Measures how often something takes the processor away from a thread: gaps between two readings of
 * the clock in a loop that does nothing else. They are the tails that no code can avoid here. */
#ifndef HARNESS_DOCTOR_STALLS_H
#define HARNESS_DOCTOR_STALLS_H

#include "base/files/record.h"

#include <stdint.h>

struct stalls {
    double seconds;    /* how long the loop ran; 0: it was not measured */
    double per_second; /* number of gaps of at least 1 us */
    double share;      /* of the time that lies in them */
    double longest_ns;
};

/* Reads the clock, in ns, for about `seconds`. Tests pass a clock of their own. */
struct stalls stalls_measure(double seconds, uint64_t (*now)(void));

/* The object "stalls" of docs/doctor.md. */
extern const struct record stalls_record;

#endif
