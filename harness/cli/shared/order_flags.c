#include "harness/cli/shared/order_flags.h"

enum status order_choose(const struct order_options *options, struct order_choice *choice,
                         struct error *error) {
    *choice = (struct order_choice){
        .is_given = options->order > 0, .d = (size_t)options->d, .s = (size_t)options->s};
    if (choice->is_given)
        choice->order = (enum order)(options->order - 1);
    return order_choice_check(choice, "--d N", "--s N", error);
}
