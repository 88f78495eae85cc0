/* Builds the data that `rank-bytes` reads. */
#ifndef IMPLS_WALKS_RANK_BYTES_MODEL_H
#define IMPLS_WALKS_RANK_BYTES_MODEL_H

#include "impls/impl.h"
#include "impls/walks/rank_bytes_types.h"

struct rank_model {
    struct scorer scorer;
    struct rank_view view;
    size_t n_bundles, n_keys;

    /* the same as in the view */
    struct rank_block *blocks;
    uint32_t *first_exit;
    struct rank_bundle *bundles;
    uint64_t *in_table;
    uint8_t *n_roots;
    union rank_exit *exits;
    struct rank_group *groups;
    struct rank_column *columns;
    int32_t *keys;
};

static inline size_t rank_workspace(const struct rank_view *view) {
    return rank_source_keys(view) * sizeof(int32_t) + RANK_DOCS * rank_row(view);
}

/* Make spread forms (struct spread). rank_spread_as is for models of `size` bytes that begin with a
 * rank_model. */
enum status rank_spread(const struct scorer *scorer, struct spread *spread, struct error *error);
enum status rank_spread_as(const struct scorer *scorer, size_t size, struct spread *spread,
                           struct error *error);

/* With AVX-512, VBMI and GFNI. */
void rank_bytes_score(const struct scorer *scorer, struct span units, struct span docs,
                      const struct batch *batch);
extern const struct impl impl_rank_bytes;

impl_build rank_build;

static inline size_t rank_units(const struct ensemble *ensemble) {
    return ((size_t)ensemble->n_trees + RANK_BLOCK - 1) / RANK_BLOCK;
}

/* Fills in a model whose scorer has rank_units units and 1 lane. If it fails, the caller destroys
 * the scorer. */
enum status rank_make(struct rank_model *model, const struct ensemble *ensemble,
                      struct error *error);

/* What the nodes of an ensemble test. */
struct rank_tests {
    uint32_t *column; /* [n_nodes] */
    uint8_t *rank;    /* [n_nodes] the index of the node's threshold in the column */
};

/* Makes the columns of a model: the last members of the view, and the workspace. `tests` is in
 * memory of the pool. */
enum status rank_make_columns(struct rank_model *model, const struct ensemble *ensemble,
                              struct memory_pool *pool, struct rank_tests *tests,
                              struct error *error);

/* For kernels that number columns by bytes: the error of a model with over RANK_BYTE_COLUMNS. */
enum { RANK_BYTE_COLUMNS = 256 };
enum status rank_refuse_columns(const struct rank_model *model, struct error *error);

#endif
