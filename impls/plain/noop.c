/* A `score` that does nothing. Its time is that of the loops over blocks alone (impls/order.c). */
#include "impls/impl.h"

static void noop_score(const struct scorer *scorer, struct span units, struct span docs,
                       const struct batch *batch) {
    (void)scorer, (void)units, (void)docs;
    /* The compiler must believe that the documents were read and the scores written. */
    __asm__ volatile("" : : "r"(batch->x), "r"(batch->scores) : "memory");
}

static enum status noop_build(const struct impl *impl, const struct ensemble *ensemble,
                              const struct options *options, struct scorer **scorer,
                              struct error *error) {
    (void)options;
    struct scorer *made = scorer_create(sizeof *made, impl, ensemble, ensemble->n_trees, 1, error);
    return made ? scorer_finish(made, STATUS_OK, scorer, error) : STATUS_MEMORY;
}

const struct impl impl_noop = {.name = "noop",
                               .title = "empty loop",
                               .source = "-",
                               .kind = IMPL_BASELINE,
                               .roles = IMPL_EMPTY,
                               .sets = true,
                               .votes = true,
                               .build = noop_build,
                               .score = noop_score};
