#include "impls/auto/auto_cost.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

double auto_cost_of(const struct auto_cost *cost, size_t n_docs) {
    size_t steps = (n_docs + cost->lanes - 1) / cost->lanes;
    return (double)steps * cost->step + (double)n_docs * cost->document;
}

/* --- choosing --------------------------------------------------------------------------------- */

double auto_cost_of_split(const struct auto_cost *costs, const struct auto_split *split,
                          size_t n_docs) {
    double ns = auto_cost_of(&costs[split->head], split->head_docs);
    if (split->head_docs < n_docs)
        ns += auto_cost_of(&costs[split->tail], n_docs - split->head_docs);
    return ns;
}

static unsigned char cheapest(const struct auto_cost *costs, size_t count, size_t n_docs) {
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (auto_cost_of(&costs[i], n_docs) < auto_cost_of(&costs[best], n_docs))
            best = i;
    return (unsigned char)best;
}

struct auto_split auto_cost_split(const struct auto_cost *costs, size_t count, size_t n_docs) {
    unsigned char whole = cheapest(costs, count, n_docs);
    struct auto_split best = {n_docs, whole, whole};
    double least = auto_cost_of(&costs[whole], n_docs);
    for (size_t i = 0; i < count; i++) {
        size_t head_docs = n_docs / costs[i].lanes * costs[i].lanes;
        if (head_docs == 0 || head_docs == n_docs)
            continue;
        const struct auto_split split = {head_docs, (unsigned char)i,
                                         cheapest(costs, count, n_docs - head_docs)};
        double ns = auto_cost_of_split(costs, &split, n_docs);
        if (ns < least) {
            least = ns;
            best = split;
        }
    }
    return best;
}

/* --- reducing --------------------------------------------------------------------------------- */

/* auto_cost_reduce compares the costs of calls of these judged sizes: all sizes up to SINGLE_DOCS
 * documents, and then every JUDGED_STEP-th size up to AUTO_TABLE_DOCS. */
enum { SINGLE_DOCS = 64, JUDGED_STEP = 16 };
enum { JUDGED = SINGLE_DOCS + (AUTO_TABLE_DOCS - SINGLE_DOCS) / JUDGED_STEP };

static size_t judged_docs(size_t i) {
    return i < SINGLE_DOCS ? i + 1 : SINGLE_DOCS + (i + 1 - SINGLE_DOCS) * JUDGED_STEP;
}

static double least_cost(const struct auto_cost *costs, size_t count, size_t n_docs) {
    struct auto_split split = auto_cost_split(costs, count, n_docs);
    return auto_cost_of_split(costs, &split, n_docs);
}

/* Divides the least cost of a call of each judged size by before[i], its least cost before any cost
 * was removed. Returns the largest of these ratios. */
static double worst_ratio(const struct auto_cost *costs, size_t count,
                          const double before[static JUDGED]) {
    double worst = 1;
    for (size_t i = 0; i < JUDGED; i++)
        worst = fmax(worst, least_cost(costs, count, judged_docs(i)) / before[i]);
    return worst;
}

static void remove_cost(struct auto_cost *costs, size_t *kept, size_t *count, size_t at) {
    *count -= 1;
    memmove(costs + at, costs + at + 1, (*count - at) * sizeof *costs);
    memmove(kept + at, kept + at + 1, (*count - at) * sizeof *kept);
}

/* Removes each cost that the best choice uses at no judged size. This removes most costs and takes
 * much less time than worst_ratio. */
static void remove_unused(struct auto_cost *costs, size_t *kept, size_t *count) {
    bool used[AUTO_COSTS_MAX] = {false};
    for (size_t i = 0; i < JUDGED; i++) {
        struct auto_split split = auto_cost_split(costs, *count, judged_docs(i));
        used[split.head] = used[split.tail] = true;
    }
    for (size_t i = *count; i-- > 0;)
        if (!used[i])
            remove_cost(costs, kept, count, i);
}

size_t auto_cost_reduce(struct auto_cost *costs, size_t count, double tolerance, size_t *kept) {
    double before[JUDGED];
    for (size_t i = 0; i < JUDGED; i++)
        before[i] = least_cost(costs, count, judged_docs(i));
    for (size_t i = 0; i < count; i++)
        kept[i] = i;
    remove_unused(costs, kept, &count);
    while (count > 1) {
        size_t least_missed = 0;
        double least = INFINITY;
        for (size_t i = 0; i < count; i++) {
            struct auto_cost rest[AUTO_COSTS_MAX];
            memcpy(rest, costs, i * sizeof *rest);
            memcpy(rest + i, costs + i + 1, (count - i - 1) * sizeof *rest);
            double ratio = worst_ratio(rest, count - 1, before);
            if (ratio < least) {
                least = ratio;
                least_missed = i;
            }
        }
        if (least > 1 + tolerance)
            break;
        remove_cost(costs, kept, &count, least_missed);
    }
    return count;
}
