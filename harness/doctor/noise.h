/* Measures how much two equal variants seem to differ, which is the noise that a comparison must
 * exceed, and how often something takes the processor away from a thread. */
#ifndef HARNESS_DOCTOR_NOISE_H
#define HARNESS_DOCTOR_NOISE_H

#include "base/files/record.h"
#include "base/note.h"
#include "base/status.h"
#include "harness/instruments/stats.h"

#include <stdint.h>

struct noise {
    char impl[64]; /* compared with itself; "" if nothing was measured */
    uint32_t trees, leaves;
    uint64_t documents;
    double seconds; /* how long samples were taken, about */
    uint32_t placements, rounds;
    struct ratio ratio; /* of the two, with its 95 % interval */
    /* The largest difference from 1 inside the interval: 0.01 is 1 %. Smaller differences cannot be
     * told from noise in this time */
    double floor;
    /* The same for as many rounds and placements as `compare` takes by default: the median over the
     * comparisons that the samples contain */
    double compare_floor;
    /* standard deviation of the placements' ratios: 0.01 is 1 %; NaN with fewer than 2 placements
     */
    double placement_deviation;
};

/* Grows a small ensemble and compares an implementation with itself for about `seconds`, with
 * placements as `treebench compare` has. `note` receives notes for the user; may be NULL. */
enum status noise_measure(double seconds, note_function *note, struct noise *noise,
                          struct error *error);

/* The object "noise" of docs/doctor.md. */
extern const struct record noise_record;

/* Gaps between two readings of the clock in a loop that does nothing else. They are the tails that
 * no code can avoid here. */
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
