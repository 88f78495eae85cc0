/* NATIVE-FOLDED in another order: probable paths are contiguous (buschjaeger2018's
 * OptimizedNativeTree, Algorithm 2). The order is made in frame_sets.c, by the model's counts of
 * training documents. The nodes and their walk are in folded_nodes.c. */
#include "impls/framing/folded_nodes.h"
#include "impls/shared/tau.h"

extern const struct impl impl_native_opt;

static enum status read_options(const struct options *options, struct framing_plan *plan,
                                struct error *error) {
    uint32_t tau = TAU_AUTO;
    long fill = 1;
    enum status status = framing_read_values(plan->impl, options, &plan->values, error);
    if (!status)
        status = tau_read(plan->impl, options, TAU_AUTO, &tau, error);
    if (!status)
        status = options_integer(options, "fill", 0, 1, 1, &fill, error);
    plan->tau_is_set = tau != TAU_AUTO;
    plan->tau = tau == TAU_ALL ? SIZE_MAX : tau;
    plan->fill = fill != 0;
    return status;
}

static enum status native_opt_build(const struct ensemble *ensemble, const struct options *options,
                                    struct scorer **scorer, struct error *error) {
    struct framing_plan plan = {.impl = &impl_native_opt, .form = &framing_folded, .by_sets = true};
    enum status status = read_options(options, &plan, error);
    return status ? status : framing_build(ensemble, &plan, scorer, error);
}

static const struct impl_param params[] = {
    {"tau", "nodes per set; auto: as many as fit the ways of L1d", "1 25 auto all", "auto"},
    {"fill", "1: fill a set with further paths; 0: a set is one path", "1 0", "1"},
    FRAMING_VALUES_PARAMS,
    {0},
};

const struct impl impl_native_opt = {.name = "native-opt",
                                     .title = "OptimizedNativeTree",
                                     .source = "buschjaeger2018 Algorithm 2",
                                     .kind = IMPL_TRAVERSAL,
                                     .votes = true,
                                     .params = params,
                                     .form = IMPL_FRAMES,
                                     .build = native_opt_build,
                                     .score = framing_score,
                                     .destroy = framing_destroy};
