/* The default costs of a call, and how `auto` divides a call between two implementations.
 *
 *     cost(n documents) = ceil(n / lanes) * step + n * document        in ns
 *
 * For example, bit planes cost the same for 1 document as for a step of 256 documents, except for
 * the time to read each document. An implementation that handles one document at a time has a step
 * cost of 0. The functions are pure. */
#ifndef IMPLS_AUTO_AUTO_COST_H
#define IMPLS_AUTO_AUTO_COST_H

#include <stddef.h>

/* Implementations may be left out if no call becomes slower by more than this fraction. */
#define AUTO_TOLERANCE 0.03

enum {
    AUTO_COSTS_MAX = 64,
    AUTO_TABLE_DOCS = 1024 /* choices for calls of up to this many documents are made in advance */
};

struct auto_cost {
    double step, document; /* ns, not negative */
    unsigned lanes;        /* documents per step */
};

double auto_cost_of(const struct auto_cost *cost, size_t n_docs);

/* The implementation `head` scores the first head_docs documents, and `tail` scores the rest. */
struct auto_split {
    size_t head_docs;
    unsigned char head, tail; /* indices of costs; equal if there is no tail */
};

/* The cheapest way to score n_docs (> 0) documents: by one implementation alone, or by whole steps
 * of one implementation and another implementation for the remaining documents. */
struct auto_split auto_cost_split(const struct auto_cost *costs, size_t count, size_t n_docs);
double auto_cost_of_split(const struct auto_cost *costs, const struct auto_split *split,
                          size_t n_docs);

/* Drops costs one by one, because each implementation takes memory and cache. Stops before a call
 * of up to AUTO_TABLE_DOCS documents would cost more than (1 + tolerance) times its first cost.
 * Returns the number n of costs that remain. They are costs[0 .. n - 1], in the same order as
 * before; kept[i] is the previous index of costs[i]. */
size_t auto_cost_reduce(struct auto_cost *costs, size_t count, double tolerance, size_t *kept);

#endif
