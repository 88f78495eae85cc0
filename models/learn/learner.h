/* Learners train an ensemble on labelled documents. Each learner has its own file.
 *
 * The same data, options and seed give the same ensemble. Learners check their input. Errors number
 * rows from 0. */
#ifndef MODELS_LEARN_LEARNER_H
#define MODELS_LEARN_LEARNER_H

#include "base/status.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Labelled documents. The caller owns everything. */
struct learner_data {
    const char *name; /* name of the file, for errors */
    size_t n_rows;
    uint32_t n_features;
    size_t stride;           /* floats from row to row, at least n_features */
    const float *values;     /* [n_rows * stride] */
    const float *labels;     /* [n_rows] */
    const size_t *query_row; /* [n_queries + 1] first row of each query; for ranking only */
    size_t n_queries;
};

/* Called after every tree, by one thread at a time, and at first for every tree that was kept.
 * `tell` may be NULL. */
struct learner_progress {
    void (*tell)(void *context, bool is_kept);
    void *context;
};

/* --- LambdaMART, by XGBoost -------------------------------------------------------------------
 *
 * Boosted leaf-wise trees for NDCG. Labels are 0 to 31. NaN is a missing value, 0 is not. */
struct lambdamart_options {
    uint32_t n_trees;     /* the largest number of trees */
    uint32_t max_leaves;  /* at least 2 */
    double learning_rate; /* asadi2014, section 4.2: 0.05 */
    double share;         /* of the documents and of the features, per tree; there 0.3 */
    uint32_t n_pairs;     /* documents that each document is paired with, per tree */
    uint32_t patience;    /* stop after this many trees without a better validation NDCG */
    uint64_t seed;        /* at most INT64_MAX */
    uint32_t n_threads;   /* changes the order of XGBoost's additions, and therefore the result */
    /* A file for the trees, in XGBoost's format; NULL: none. It is written every minute and at the
     * end. If it exists, its trees are the first ones. With a share of 1, the result is the same as
     * without an interruption. Not supported with validation documents. */
    const char *keep;
    struct learner_progress progress;
};

struct lambdamart_result {
    struct ensemble *ensemble; /* ends with the tree that gives the best validation NDCG */
    uint32_t n_grown;          /* number of trees grown before it stopped */
    /* NDCG@10 computed by XGBoost, where a query without relevant documents counts as 0. NaN
     * without validation documents. */
    double validation_ndcg;
};

/* The most bytes that training takes besides the documents, to within a quarter. `validation` may
 * be NULL. docs/training.md derives them. */
uint64_t lambdamart_memory(const struct learner_data *train, const struct learner_data *validation,
                           const struct lambdamart_options *options);

/* If `validation` is NULL, all n_trees trees are grown. */
enum status learn_lambdamart(const struct learner_data *train,
                             const struct learner_data *validation,
                             const struct lambdamart_options *options,
                             struct lambdamart_result *result, struct error *error);

/* --- CART and forests ------------------------------------------------------------------------- */
enum forest_kind {
    FOREST_CART,   /* one tree of all documents; every feature is tried at every node */
    FOREST_RANDOM, /* each tree from a bootstrap sample; the best threshold of some features */
    FOREST_EXTRA /* each tree from all documents; one random threshold for each of some features */
};

enum forest_task {
    FOREST_CLASSIFY, /* labels are classes 0, 1, ...; Gini; tries sqrt(features) per node */
    FOREST_REGRESS   /* any finite labels; variance; tries all features at every node */
};

enum { FOREST_MAX_CLASSES = 1000 };

struct forest_options {
    enum forest_kind kind;
    enum forest_task task;
    bool sum_shares;    /* classification: leaves hold shares instead of votes */
    uint32_t n_trees;   /* 1 for CART */
    uint32_t max_depth; /* 0: no limit except ENSEMBLE_MAX_DEPTH */
    uint64_t seed;
    uint32_t n_threads; /* does not affect the result; 0 means 1 */
    struct learner_progress progress;
};

/* Documents must be finite. Nodes have counts of documents, counting repeated draws of the
 * bootstrap. The meaning of scores:
 *   - regression: the mean of the trees' predictions;
 *   - classification: a vote per tree, for the first class with the largest count in the leaf. Of
 * the labels -1 and 1, -1 is class 0;
 *   - sum_shares, two classes: the sum over trees of the share of class 1 in the leaf minus the
 * share of the other class, so class 1 is predicted if the score is above 0;
 *   - sum_shares, more classes: one output per class, the sum over trees of the class's share in
 * the leaf.
 *
 * A leaf of an ensemble holds one number. With sum_shares, each tree is therefore stored once per
 * class. In each copy, subtrees in which the share of that class is constant become single leaves.
 */
enum status learn_forest(const struct learner_data *data, const struct forest_options *options,
                         struct ensemble **ensemble, struct error *error);

/* Grows a forest for classification once, and returns it with votes and with shares (sum_shares).
 * The two have the same trees. `options->sum_shares` is ignored. On failure, both are unchanged. */
enum status learn_forest_both(const struct learner_data *data, const struct forest_options *options,
                              struct ensemble **votes, struct ensemble **shares,
                              struct error *error);

#endif
