/* IFELSE: nested if-else blocks with constants, one function per tree, compiled with -O3
 * (buschjaeger2018's StandardIfTree, Listing 2). CODEGEN has the same blocks, but its functions
 * loop over the documents of a call. */
#include "impls/codegen/codegen_scorer.h"
#include "impls/framing/framing_scorer.h"
#include "impls/framing/ifelse_scorer.h"

extern const struct impl impl_ifelse;

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    struct ifelse_form form = {.swap = false};
    enum status status = ifelse_read_values(&impl_ifelse, options, &form.values, error);
    return status ? status : ifelse_build(&impl_ifelse, ensemble, &form, NULL, scorer, error);
}

static const struct impl_param params[] = {FRAMING_VALUES_PARAMS, {0}};

const struct impl impl_ifelse = {.name = "ifelse",
                                 .title = "StandardIfTree",
                                 .roles = IMPL_SURPASSED,
                                 .source = "buschjaeger2018 Listing 2",
                                 .kind = IMPL_TRAVERSAL,
                                 .votes = true,
                                 .sets = true,
                                 .compiles = true,
                                 .params = params,
                                 .build = build,
                                 .score = ifelse_score,
                                 .destroy = codegen_scorer_destroy};
