/* IFELSE-SWAP with the likely nodes of each tree, as many as a budget of bytes allows, in front
 * (buschjaeger2018's OptimizedIfTree, Algorithm 1, Listing 3). The other nodes are behind labels at
 * the end of the tree's function. The choice is made in frame_kernel.c.
 *
 * gcc 12 and clang 14 ignore where labels are: they mix the code of likely and unlikely nodes
 * again. With apart=1, unlikely blocks become functions, and the likely code is contiguous. */
#include "impls/codegen/codegen_scorer.h"
#include "impls/framing/framing_scorer.h"
#include "impls/framing/ifelse_bytes.h"
#include "impls/framing/ifelse_scorer.h"

#include <string.h>

extern const struct impl impl_ifelse_opt;

static enum status read_budget(const struct options *options, size_t *budget, struct error *error) {
    enum { MOST = 1 << 30 };
    const char *beta = options_get(options, "beta");
    long bytes = 0;
    if (!beta || strcmp(beta, "auto") == 0) {
        *budget = ifelse_cache_bytes();
        return STATUS_OK;
    }
    enum status status = options_integer(options, "beta", 0, MOST, 0, &bytes, NULL);
    *budget = (size_t)bytes;
    return status ? error_set(error, status,
                              "ifelse-opt,beta=%s: beta must be auto or a number of bytes from 0 "
                              "to %d",
                              beta, MOST)
                  : STATUS_OK;
}

static enum status read_share(const struct options *options, bool *of_forest, struct error *error) {
    const char *share = options_get(options, "share");
    *of_forest = share && strcmp(share, "forest") == 0;
    if (!share || *of_forest || strcmp(share, "tree") == 0)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "ifelse-opt,share=%s: share must be one of: tree forest",
                     share);
}

static enum status read_form(const struct options *options, uint32_t n_trees,
                             struct ifelse_form *form, struct error *error) {
    long strict = 0, apart = 0;
    bool of_forest = false;
    enum status status = ifelse_read_values(&impl_ifelse_opt, options, &form->values, error);
    if (!status)
        status = read_budget(options, &form->budget, error);
    if (!status)
        status = read_share(options, &of_forest, error);
    if (!status)
        status = options_integer(options, "strict", 0, 1, 0, &strict, error);
    if (!status)
        status = options_integer(options, "apart", 0, 1, 0, &apart, error);
    if (of_forest && n_trees)
        form->budget /= n_trees;
    form->strict = strict != 0;
    form->apart = apart != 0;
    return status;
}

static enum status build(const struct ensemble *ensemble, const struct options *options,
                         struct scorer **scorer, struct error *error) {
    static const char note[] = "ifelse-opt: " IFELSE_NO_COUNTS;
    struct ifelse_form form = {.swap = true, .by_kernel = true};
    enum status status = read_form(options, ensemble->n_trees, &form, error);
    if (status)
        return status;
    form.bytes = ifelse_node_bytes(form.values == IFELSE_FLOAT_BITS, ensemble->votes);
    return ifelse_build(&impl_ifelse_opt, ensemble, &form, note, scorer, error);
}

static const struct impl_param params[] = {
    {"beta", "bytes of likely code; auto: the L1 instruction cache", "0 1000 auto", "auto"},
    {"strict", "1: end at the first node over the budget", "0 1", "0"},
    {"apart", "1: unlikely code in functions of its own", "0 1", "0"},
    {"share", "whose budget beta is: of each tree, or of all", "tree forest", "tree"},
    FRAMING_VALUES_PARAMS,
    {0},
};

const struct impl impl_ifelse_opt = {.name = "ifelse-opt",
                                     .title = "OptimizedIfTree",
                                     .source = "buschjaeger2018 Algorithm 1",
                                     .kind = IMPL_TRAVERSAL,
                                     .votes = true,
                                     .sets = true,
                                     .compiles = true,
                                     .params = params,
                                     .form = IMPL_BLOCKS,
                                     .build = build,
                                     .score = ifelse_score,
                                     .destroy = codegen_scorer_destroy};
