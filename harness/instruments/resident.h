/* Resident memory: what a piece of work adds to the memory that this process occupies. */
#ifndef HARNESS_INSTRUMENTS_RESIDENT_H
#define HARNESS_INSTRUMENTS_RESIDENT_H

/* NaN: the system does not tell. */
struct resident {
    double held_bytes; /* what remains after the work, without memory that it has freed */
    double most_bytes; /* the most during the work; the kernel counts it to some 100 KB */
};
extern const struct resident resident_unknown;

struct resident_reading {
    double now_bytes, most_bytes;
};

/* Begins and ends the work. Pages of files count too, once they are touched: code, for example. No
 * other work may begin in between. */
struct resident_reading resident_begin(void);
struct resident resident_end(const struct resident_reading *begin);

/* Gives freed memory back to the system, so that new memory has fresh pages. Does nothing if the C
 * library cannot do it. */
void resident_trim(void);

#endif
