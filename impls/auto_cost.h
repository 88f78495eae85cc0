/* What a call of an implementation costs, and how `auto` shares a call out between two of them.
 *
 *     cost(n documents) = (call + ceil(n / lanes) * step + n * document) * factor(n)      in ns
 *
 * A block of bit planes costs the same for 1 document as for 256, but for the reading of each; a
 * document at a time has no steps of its own. The factor is what the times of measured calls are to
 * the rest of the formula, between them in proportion: 1 where nothing was measured. Pure
 * functions: docs/tuning.md has the figures. */
#ifndef IMPLS_AUTO_COST_H
#define IMPLS_AUTO_COST_H

#include <stdbool.h>
#include <stddef.h>

/* Implementations may be left out where no call gets dearer by more than this. */
#define AUTO_TOLERANCE 0.03

enum {
    AUTO_COSTS_MAX = 64,
    AUTO_TABLE_DOCS = 1024 /* calls of so many documents are judged when implementations are chosen,
                              and are looked up when they are scored */
};

enum { AUTO_POINTS_MAX = 16 };

struct auto_cost {
    double call, step, document; /* ns, none negative */
    unsigned lanes;              /* documents of a step */
    unsigned n_points;
    struct auto_point {
        size_t docs;
        double factor;
        double seconds;        /* that its measuring was given, with others */
    } points[AUTO_POINTS_MAX]; /* by their documents, ascending */
};

/* A measured call. */
struct auto_sample {
    size_t docs;
    double ns;      /* > 0 */
    double seconds; /* see auto_cost.points */
};

double auto_cost_of(const struct auto_cost *cost, size_t n_docs);

/* Makes the cost that of the sample, where it was measured: the samples of a cost in ascending
 * order of their documents. False where there are too many, or out of order. */
bool auto_cost_add_point(struct auto_cost *cost, const struct auto_sample *sample);

/* The three figures, none negative, with the least sum of squared relative errors; where several
 * fit as well, as with one sample only, the one with the fewest that are not 0. Without points. */
struct auto_cost auto_cost_fit(unsigned lanes, const struct auto_sample *samples, size_t count);

/* The first head_docs documents are for one implementation, those that are left for another. */
struct auto_split {
    size_t head_docs;
    unsigned char head, tail; /* which of the costs; the same where there is no tail */
};

/* The cheapest way to score so many documents (> 0): by one of `costs`, or by whole steps of one
 * and a tail of another. */
struct auto_split auto_cost_split(const struct auto_cost *costs, size_t count, size_t n_docs);
double auto_cost_of_split(const struct auto_cost *costs, const struct auto_split *split,
                          size_t n_docs);

/* Leaves as few as can be in costs[0 .. the result - 1], in their order, with kept[i] the former
 * number of each, so that no call costs more than (1 + tolerance) times what it did: each that is
 * left takes memory, and cache from the others. */
size_t auto_cost_reduce(struct auto_cost *costs, size_t count, double tolerance, size_t *kept);

#endif
