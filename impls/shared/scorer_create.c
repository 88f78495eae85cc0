#include "impls/impl.h"

#include <stdlib.h>
#include <string.h>

void *scorer_create(size_t size, const struct impl *impl, const struct ensemble *ensemble,
                    size_t n_units, unsigned lanes, struct error *error) {
    struct scorer *made = calloc(1, size);
    if (!made) {
        error_memory(error, impl->name);
        return NULL;
    }
    *made = (struct scorer){.impl = impl,
                            .n_units = n_units,
                            .lanes = lanes,
                            .n_features = ensemble->n_features,
                            .n_outputs = ensemble->n_outputs,
                            .n_trees = ensemble->n_trees,
                            .votes = ensemble->votes};
    return made;
}

enum status scorer_finish(struct scorer *made, enum status status, struct scorer **scorer,
                          struct error *error) {
    if (!status && made->pool.failed)
        status = error_memory(error, made->impl->name);
    if (status) {
        scorer_destroy(made);
        return status;
    }
    made->bytes = made->bytes ? made->bytes : made->pool.bytes;
    *scorer = made;
    return STATUS_OK;
}

void *scorer_spread(const struct scorer *scorer, size_t size, uint32_t **tree_output,
                    struct error *error) {
    size_t aligned = (size + sizeof(uint32_t) - 1) / sizeof(uint32_t) * sizeof(uint32_t);
    struct scorer *copy = malloc(aligned + scorer->n_trees * sizeof **tree_output);
    if (!copy) {
        error_memory(error, scorer->impl->name);
        return NULL;
    }
    memcpy(copy, scorer, size);
    copy->n_outputs = scorer->n_trees;
    copy->votes = false;
    *tree_output = (uint32_t *)(void *)((char *)copy + aligned);
    for (uint32_t t = 0; t < scorer->n_trees; t++)
        (*tree_output)[t] = t;
    return copy;
}

void scorer_destroy(struct scorer *scorer) {
    if (scorer && scorer->impl->destroy)
        scorer->impl->destroy(scorer);
    if (scorer)
        memory_pool_free(&scorer->pool);
    free(scorer);
}
