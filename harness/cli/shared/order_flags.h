/* The options --order, --d and --s of commands that score. */
#ifndef HARNESS_CLI_SHARED_ORDER_FLAGS_H
#define HARNESS_CLI_SHARED_ORDER_FLAGS_H

#include "harness/cli/shared/command.h"
#include "impls/variant.h"

struct order_options {
    const char *order; /* NULL: not given */
    int64_t d, s;      /* 0: not given */
};

#define ORDER_FLAG(request, member)                                                                \
    {                                                                                              \
        "order", "NAME", "loop order: DS, SD, DSD, SDS, DSDS, SDSD, or a case: DSD2",              \
            SETS_TEXT(request, member.order)                                                       \
    }
#define ORDER_D_FLAG(request, member)                                                              \
    {                                                                                              \
        "d", "N", "documents per block (default: chosen)",                                         \
            SETS_INTEGER(request, member.d, 1, 1LL << 40)                                          \
    }
#define ORDER_S_FLAG(request, member)                                                              \
    {                                                                                              \
        "s", "N", "units (trees) per block (default: chosen)",                                     \
            SETS_INTEGER(request, member.s, 1, 1LL << 40)                                          \
    }

/* A paragraph for --help. */
#define ORDER_HELP                                                                                 \
    "--order nests the loops over documents and trees as jin2016 does, within each call. --d and " \
    "--s are the sizes of its blocks; by default, they are chosen by the sizes of the caches. A "  \
    "variant may have an order of its own, such as "                                               \
    "struct-plus,order=DSD,d=373. See docs/blocking.md."

/* Reads the options. STATUS_INPUT if the order has no use for a size that was given. */
enum status order_choose(const struct order_options *options, struct order_choice *choice,
                         struct error *error);

#endif
