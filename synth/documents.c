/* Creates documents that reach every leaf equally often. */
#include "synth/synth.h"

#include "base/memory.h"
#include "base/random.h"
#include "synth/path.h"
#include "synth/stream.h"

#include <stdlib.h>

/* Assigns a leaf to each row, in random order. NULL if out of memory. */
static uint32_t *assign_leaves(size_t n_rows, uint32_t n_leaves, uint64_t seed) {
    size_t bytes;
    if (!memory_multiply(n_rows, sizeof(uint32_t), &bytes))
        return NULL;
    uint32_t *leaves = malloc(bytes + 1); /* + 1 because malloc(0) may return NULL */
    if (!leaves)
        return NULL;
    struct random random;
    random_seed(&random, random_derive(seed, STREAM_SHUFFLE));
    for (size_t i = 0; i < n_rows; i++) { /* fills and shuffles the array (Fisher-Yates) */
        size_t j = (size_t)random_below(&random, i + 1);
        leaves[i] = leaves[j];
        leaves[j] = (uint32_t)(i % n_leaves);
    }
    return leaves;
}

static enum status fill_rows(const struct matrix *matrix, struct path *path, const uint32_t *leaves,
                             uint64_t seed, struct error *error) {
    struct random random;
    random_seed(&random, random_derive(seed, STREAM_DOCUMENTS));
    for (size_t r = 0; r < matrix->n_rows; r++) {
        float *row = matrix_row(matrix, r);
        path_fill_row(&random, row, matrix->n_features);
        if (!path_lead(path, 0, leaves[r], &random, row))
            return error_set(error, STATUS_INPUT,
                             "synthetic documents: no finite document reaches leaf %u of tree 0",
                             leaves[r]);
    }
    return STATUS_OK;
}

enum status synth_documents(const struct ensemble *ensemble, size_t n_rows, uint64_t seed,
                            struct matrix **matrix, struct error *error) {
    if (ensemble->n_trees == 0)
        return error_set(error, STATUS_INPUT, "synthetic documents: the ensemble has no trees");
    struct matrix *made = NULL;
    struct path *path = NULL;
    uint32_t *leaves = NULL;
    enum status status = matrix_create(n_rows, ensemble->n_features, &made, error);
    if (!status)
        status = path_create(ensemble, &path, error);
    if (!status) {
        leaves = assign_leaves(n_rows, ensemble_tree_leaves(ensemble, 0), seed);
        status = leaves ? fill_rows(made, path, leaves, seed, error)
                        : error_memory(error, "synthetic documents");
    }
    free(leaves);
    path_free(path);
    if (status)
        matrix_free(made);
    else
        *matrix = made;
    return status;
}
