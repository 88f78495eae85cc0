#include "harness/cli/shared/order_flags.h"

enum status order_choose(const struct order_options *options, struct order_choice *choice,
                         struct error *error) {
    enum status status = STATUS_OK;
    *choice = (struct order_choice){.is_given = false};
    if (options->order)
        status = order_choice_parse(options->order, "--order ", choice, error);
    choice->d = (size_t)options->d;
    choice->s = (size_t)options->s;
    return status ? status : order_choice_check(choice, "--d N", "--s N", error);
}
