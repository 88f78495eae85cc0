/* If-else blocks with constants, one function per tree, compiled with -O3 (buschjaeger2018).
 * CODEGEN has the same blocks, but its functions loop over the documents of a call.
 *
 *   ifelse       nested blocks (the paper's StandardIfTree, Listing 2)
 *   ifelse-swap  the likelier child of each node first (section V-A a). The text of the paper says
 *                the opposite in one place. Its Listing 3 and its program put the likelier child
 *                first.
 *   ifelse-opt   ifelse-swap with the likely nodes of each tree, as many as a budget of bytes
 *                allows, in front (OptimizedIfTree, Algorithm 1, Listing 3). The other nodes are
 *                behind labels at the end of the tree's function. The choice is made in
 *                frame_kernel.c.
 *
 * gcc 12 and clang 14 ignore where labels are: they mix the code of likely and unlikely nodes
 * again. With apart=1, unlikely blocks become functions, and the likely code is contiguous.
 *
 * One call of the generated code scores one document with all trees that were compiled together:
 * all trees of the ensemble, unless they have over 4,096 leaves in all. */
#include "impls/codegen/codegen_library.h"
#include "impls/framing/framing_scorer.h"
#include "impls/framing/ifelse_source.h"

#include <string.h>

extern const struct impl impl_ifelse, impl_ifelse_swap, impl_ifelse_opt;

#define NO_COUNTS ": the model has no counts of documents, so all branches count as equally likely"

static void ifelse_score(const struct scorer *scorer, struct span units, struct span docs,
                         const struct batch *batch) {
    const struct codegen_scorer *made = (const struct codegen_scorer *)scorer;
    for (size_t unit = units.begin; unit < units.end; unit++) {
        ifelse_function *score = (ifelse_function *)made->groups[unit];
        for (size_t doc = docs.begin; doc < docs.end; doc++)
            score(batch->x + doc * batch->stride, batch->scores + doc * scorer->n_outputs);
    }
}

/* What the descriptors have in common. */
#define IFELSE_FACTS                                                                               \
    .kind = IMPL_TRAVERSAL, .votes = true, .sets = true, .compiles = true, .build = ifelse_build,  \
    .score = ifelse_score, .destroy = codegen_scorer_destroy

/* --- options ---------------------------------------------------------------------------------- */

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

/* Reads the options of all three implementations; each is given only those that it has. */
static enum status read_form(const struct impl *impl, const struct options *options,
                             const struct ensemble *ensemble, struct ifelse_form *form,
                             struct error *error) {
    const struct {
        const char *name;
        bool *is_set;
    } flags[] = {{"hint", &form->hint}, {"strict", &form->strict}, {"apart", &form->apart}};
    unsigned of_forest = 0;
    enum status status = framing_read_values(impl, options, &form->values, error);
    if (!status)
        status = read_budget(options, &form->budget, error);
    if (!status)
        status = options_choice(options, impl->name, "share", "tree forest", &of_forest, error);
    for (size_t i = 0; !status && i < sizeof flags / sizeof *flags; i++) {
        long value = 0;
        status = options_integer(options, flags[i].name, 0, 1, 0, &value, error);
        *flags[i].is_set = value != 0;
    }
    if (of_forest && ensemble->n_trees)
        form->budget /= ensemble->n_trees;
    form->bytes = ifelse_node_bytes(form->values == FRAMING_BITS, ensemble->votes);
    return status;
}

/* --- building --------------------------------------------------------------------------------- */

static enum status ifelse_build(const struct impl *impl, const struct ensemble *ensemble,
                                const struct options *options, struct scorer **scorer,
                                struct error *error) {
    bool is_opt = impl == &impl_ifelse_opt;
    struct ifelse_form form = {.swap = impl != &impl_ifelse, .by_kernel = is_opt};
    enum status status = read_form(impl, options, ensemble, &form, error);
    enum values_type type = framing_values_type(form.values);
    if (!status && type != VALUES_FLOAT && ensemble->set)
        status = error_set(error, STATUS_UNSUPPORTED,
                           "%s: does not support categories with integers. Use feature=float",
                           impl->name);
    const struct codegen_writer writer = {.impl = impl->name,
                                          .trees_per_group = SIZE_MAX,
                                          .write = ifelse_write_source,
                                          .context = &form};
    if (!status)
        status = codegen_scorer_build(impl, ensemble, &writer, scorer, error);
    if (status)
        return status;
    (*scorer)->values = type;
    (*scorer)->equal_branches = form.swap && !ensemble->node_count;
    if ((*scorer)->equal_branches)
        (*scorer)->note = is_opt ? "ifelse-opt" NO_COUNTS : "ifelse-swap" NO_COUNTS;
    return STATUS_OK;
}

const struct impl impl_ifelse = {.name = "ifelse",
                                 .title = "StandardIfTree",
                                 .roles = IMPL_SURPASSED,
                                 .source = "buschjaeger2018 Listing 2",
                                 .params = framing_params,
                                 IFELSE_FACTS};

static const struct impl_param swap_params[] = {
    {"hint", "1: tell the compiler which child is likelier", "0 1", "0"},
    FRAMING_VALUES_PARAMS,
    {0},
};

const struct impl impl_ifelse_swap = {.name = "ifelse-swap",
                                      .title = "StandardIfTree, swapped",
                                      .roles = IMPL_SURPASSED,
                                      .source = "buschjaeger2018 V-A",
                                      .params = swap_params,
                                      IFELSE_FACTS};

static const struct impl_param opt_params[] = {
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
                                     .params = opt_params,
                                     .form = IMPL_BLOCKS,
                                     IFELSE_FACTS};
