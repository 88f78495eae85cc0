/* IFELSE with the likelier child of each node first (buschjaeger2018, section V-A a). The text of
 * the paper says the opposite in one place. Its Listing 3 and its program put the likelier child
 * first. */
#include "impls/codegen/codegen_scorer.h"
#include "impls/framing/framing_scorer.h"
#include "impls/framing/ifelse_scorer.h"

extern const struct impl impl_ifelse_swap;

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    static const char note[] = "ifelse-swap: " IFELSE_NO_COUNTS;
    struct ifelse_form form = {.swap = true};
    long hint = 0;
    enum status status = ifelse_read_values(&impl_ifelse_swap, options, &form.values, error);
    if (!status)
        status = options_integer(options, "hint", 0, 1, 0, &hint, error);
    form.hint = hint != 0;
    return status ? status : ifelse_build(&impl_ifelse_swap, ensemble, &form, note, scorer, error);
}

static const struct impl_param params[] = {
    {"hint", "1: tell the compiler which child is likelier", "0 1", "0"},
    FRAMING_VALUES_PARAMS,
    {0},
};

const struct impl impl_ifelse_swap = {.name = "ifelse-swap",
                                      .title = "StandardIfTree, swapped",
                                      .roles = IMPL_SURPASSED,
                                      .source = "buschjaeger2018 V-A",
                                      .kind = IMPL_TRAVERSAL,
                                      .votes = true,
                                      .sets = true,
                                      .compiles = true,
                                      .params = params,
                                      .build = build,
                                      .score = ifelse_score,
                                      .destroy = codegen_scorer_destroy};
