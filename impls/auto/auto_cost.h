/* Computes what a call costs by `auto`'s default costs, and divides calls between two
 * implementations.
 *
 *     cost(n documents) = ceil(n / lanes) * step + n * document        in ns
 *
 * `lanes` is the number of documents per step. `step` and `document` are the costs of a step and of
 * a document. For example, a step of `planes` scores up to 256 documents. Its cost is the same for
 * 1 document as for 256; only the second term differs. Implementations that score one document at a
 * time have a step cost of 0. The functions are pure. */
#ifndef IMPLS_AUTO_AUTO_COST_H
#define IMPLS_AUTO_AUTO_COST_H

#include <stddef.h>

/* `auto` does without an implementation if calls then become slower by at most this fraction. */
#define AUTO_TOLERANCE 0.03

/* What it costs to share a call out over threads (library), in ns: to hand a job to a
 * spinning thread, and again to hand its values back; and to add one of its values to a sum, which
 * is the latency of an addition. */
#define AUTO_HAND_OVER_NS 100.0
#define AUTO_ADD_NS 1.1

enum {
    AUTO_COSTS_MAX = 64,
    AUTO_TABLE_DOCS = 1024 /* choices for calls of up to this many documents are made in advance */
};

struct auto_cost {
    double step, document; /* ns per step and ns per document, not negative */
    unsigned lanes;        /* documents per step */
    double fixed;          /* ns of `document` that do not depend on the trees */
};

double auto_cost_of(const struct auto_cost *cost, size_t n_docs);

/* The implementation `head` scores the first head_docs documents, and `tail` scores the rest. */
struct auto_split {
    size_t head_docs;
    unsigned char head, tail; /* indices in the array of costs; equal if there is no tail */
};

/* The cheapest way to score n_docs (> 0) documents. Either one implementation scores all of them,
 * or one scores as many whole steps as fit and another scores the remaining documents. */
struct auto_split auto_cost_split(const struct auto_cost *costs, size_t count, size_t n_docs);
double auto_cost_of_split(const struct auto_cost *costs, const struct auto_split *split,
                          size_t n_docs);

/* Removes costs one by one, because each implementation takes memory and cache. Looks at calls of
 * the judged sizes (auto_cost.c): none may become more expensive than (1 + tolerance) times its
 * price with all `count` costs. Returns the number n of costs that remain. They are costs[0 .. n -
 * 1], in the same order as before; kept[i] is the previous index of costs[i]. */
size_t auto_cost_reduce(struct auto_cost *costs, size_t count, double tolerance, size_t *kept);

#endif
