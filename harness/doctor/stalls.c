#include "harness/doctor/stalls.h"

/* Longer than a reading of any clock that serves to time calls. */
enum { GAP_NS = 1000 };

struct stalls stalls_measure(double seconds, uint64_t (*now)(void)) {
    const uint64_t begun = now(), end = begun + (uint64_t)(seconds * 1e9);
    uint64_t gaps = 0, in_gaps = 0, longest = 0, last = begun;
    while (last < end) {
        uint64_t time = now(), gap = time - last;
        last = time;
        longest = gap > longest ? gap : longest;
        gaps += gap >= GAP_NS;
        in_gaps += gap >= GAP_NS ? gap : 0;
    }
    double took = (double)(last - begun);
    return (struct stalls){.seconds = took * 1e-9,
                           .per_second = (double)gaps / took * 1e9,
                           .share = (double)in_gaps / took,
                           .longest_ns = (double)longest};
}

static const struct record_field fields[] = {
    PLAIN(struct stalls, NUMBER, "seconds", seconds),
    PLAIN(struct stalls, NUMBER, "per_second", per_second),
    PLAIN(struct stalls, NUMBER, "share", share),
    PLAIN(struct stalls, NUMBER, "longest_ns", longest_ns)};
const struct record stalls_record = RECORD_OF(fields);
