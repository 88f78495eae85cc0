/* NATIVE with predictions in their parents: breadth first over inner nodes (buschjaeger2018's
 * StandardNativeTree). The nodes and their walk are in folded_nodes.c. */
#include "impls/framing/folded_nodes.h"

extern const struct impl impl_native_folded;

static enum status native_folded_build(const struct ensemble *ensemble,
                                       const struct options *options, struct scorer **scorer,
                                       struct error *error) {
    struct framing_plan plan = {.impl = &impl_native_folded, .form = &framing_folded};
    enum status status = framing_read_values(plan.impl, options, &plan.values, error);
    return status ? status : framing_build(ensemble, &plan, scorer, error);
}

static const struct impl_param params[] = {FRAMING_VALUES_PARAMS, {0}};

const struct impl impl_native_folded = {.name = "native-folded",
                                        .title = "StandardNativeTree",
                                        .roles = IMPL_SURPASSED,
                                        .source = "buschjaeger2018 section V-B",
                                        .kind = IMPL_TRAVERSAL,
                                        .votes = true,
                                        .params = params,
                                        .build = native_folded_build,
                                        .score = framing_score,
                                        .destroy = framing_destroy};
