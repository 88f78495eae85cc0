/* Converts ensembles with set nodes for code that supports plain tests only.
 *
 * The cuts of a set divide the numbers into pieces that go left and right alternately. A set with
 * two or more cuts becomes a balanced tree of plain tests. The nodes below the set node are copied
 * for every piece. Tests whose result is already known for a piece are left out. Scores stay
 * exactly the same. */
#ifndef MODELS_REWRITE_H
#define MODELS_REWRITE_H

#include "models/ensemble.h"

/* Limits on copies of original nodes. The limit for a tree is REWRITE_MAX_GROWTH times the number
 * of the tree's nodes, plus REWRITE_FREE_NODES. The limit for a model is REWRITE_MAX_NODES. A path
 * from the root to a leaf may have at most REWRITE_MAX_DEPTH steps, original nodes and new tests
 * together. */
enum {
    REWRITE_MAX_GROWTH = 64,
    REWRITE_FREE_NODES = 1024,
    REWRITE_MAX_NODES = 16 * 1000 * 1000,
    REWRITE_MAX_DEPTH = 2048
};

/* Creates a copy with plain nodes only. It has no counts if a tree was rewritten, because the
 * counts of the copied nodes are unknown. STATUS_UNSUPPORTED if a limit is exceeded; errors begin
 * with "tree 3, node 5: ". */
enum status ensemble_rewrite_sets(const struct ensemble *ensemble, struct ensemble **plain,
                                  struct error *error);

/* Creates a copy with unchanged trees, but without the lists of categories. */
enum status ensemble_copy(const struct ensemble *ensemble, struct ensemble **copy,
                          struct error *error);

/* Ends a copy that ends with `status`: frees the builder. If that is no error, makes an ensemble
 * first, with the facts of the original that writers and readers of documents need, such as feature
 * names. Category lists are not copied, because tables are read with the lists of the original. */
enum status ensemble_finish_copy(const struct ensemble *ensemble, enum status status,
                                 struct ensemble_builder *builder,
                                 const struct ensemble_shape *shape, struct ensemble **copy,
                                 struct error *error);

/* Same as ensemble_rewrite_sets, for writers of model files. Errors name a format that can store
 * the model without rewriting. */
enum status ensemble_rewrite_for_writer(const struct ensemble *ensemble, struct ensemble **plain,
                                        struct error *error);

#endif
