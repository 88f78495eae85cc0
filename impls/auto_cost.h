/* The default costs of a call, and how `auto` shares a call out between two implementations.
 *
 *     cost(n documents) = ceil(n / lanes) * step + n * document        in ns
 *
 * A block of bit planes costs the same for 1 document as for 256, except for reading each document;
 * an implementation that takes one document at a time has no steps. Pure functions. */
#ifndef IMPLS_AUTO_COST_H
#define IMPLS_AUTO_COST_H

#include <stddef.h>

/* Implementations may be left out if no call gets dearer by more than this. */
#define AUTO_TOLERANCE 0.03

enum {
    AUTO_COSTS_MAX = 64,
    AUTO_TABLE_DOCS = 1024 /* calls of so many documents are judged when implementations are chosen,
                              and are looked up when they are scored */
};

struct auto_cost {
    double step, document; /* ns, none negative */
    unsigned lanes;        /* documents of a step */
};

double auto_cost_of(const struct auto_cost *cost, size_t n_docs);

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
