/* Variants: an implementation with its options and, if wanted, a loop order. "vpred,v=8" has no
 * order. "struct-plus,d=373,order=DSD" scores with struct-plus in the order DSD(373). The options
 * `order`, `d` and `s` belong to the order, and implementations have no options of these names. */
#ifndef IMPLS_VARIANT_H
#define IMPLS_VARIANT_H

#include "impls/order.h"

enum { VARIANT_SPEC_SIZE = 160 };

/* A loop order as a user asks for it. Sizes are documents (d) and units (s) per block. A range case
 * of jin2016 instead of an order has sizes that just fit caches: DSD2S1 is DSDS with documents that
 * fit L2 and units that fit L1. */
struct order_choice {
    bool is_given;
    enum order order;
    size_t d, s; /* 0: not given, so that they are chosen (harness/caches/predict.h) */
    /* the levels of a range case: 1 to 3, or 4 for memory; 0: not a range case, or no such block */
    unsigned doc_level, unit_level;
};

/* Reads the name of an order or of a range case. `option` is what the user writes before the name,
 * such as "order=". */
enum status order_choice_parse(const char *name, const char *option, struct order_choice *choice,
                               struct error *error);

/* Checks the sizes: STATUS_INPUT if the order has no use for a size that was given. `d` and `s` are
 * what the user writes, such as "--d N". */
enum status order_choice_check(const struct order_choice *choice, const char *d, const char *s,
                               struct error *error);

struct variant {
    char spec[VARIANT_SPEC_SIZE]; /* the implementation and its own options, for scorer_build */
    struct order_choice order;
};

/* Splits a variant into its implementation and its order. Checks the order and its sizes, but not
 * the implementation. */
enum status variant_parse(const char *text, struct variant *variant, struct error *error);

/* Writes `text` with the order added, and its options sorted by name. A text that has an order, and
 * a text that cannot be parsed, is copied as it is. */
void variant_add_order(const char *text, const struct order_choice *choice,
                       char to[static VARIANT_SPEC_SIZE]);

/* Sets the plan's order and blocks for a choice that is given and was checked, and whose sizes are
 * known. The plan's other members stay as they are. STATUS_UNSUPPORTED for libraries, unless the
 * order is SD or DSD: they have one unit, and score all documents of a call in their own way. */
enum status order_plan(const struct order_choice *choice, const struct scorer *scorer,
                       struct plan *plan, struct error *error);

#endif
