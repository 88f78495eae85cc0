/* Learners: labelled documents in, an ensemble out. One file of this folder per learner.
 *
 * The same data, options and seed give the same ensemble. Learners check what they are given; their
 * errors name rows from 0. */
#ifndef MODELS_LEARNER_H
#define MODELS_LEARNER_H

#include "base/status.h"
#include "models/ensemble.h"

#include <stddef.h>
#include <stdint.h>

/* Documents with labels; nothing is owned. */
struct learner_data {
    const char *name; /* the file's, for errors */
    size_t n_rows;
    uint32_t n_features;
    size_t stride;           /* floats from row to row, at least n_features */
    const float *values;     /* [n_rows * stride] */
    const float *labels;     /* [n_rows] */
    const size_t *query_row; /* [n_queries + 1] where each query's rows begin; for ranking only */
    size_t n_queries;
};

/* Told after every tree, by one thread at a time; `tell` may be NULL. */
struct learner_progress {
    void (*tell)(void *context);
    void *context;
};

/* --- LambdaMART, by XGBoost -------------------------------------------------------------------
 * Boosted leaf-wise trees for NDCG, with asadi2014's parameters (section 5.1): learning rate 0.05,
 * 0.3 of the documents and 0.3 of the features for every tree. Labels are 0 to 31. A NaN is a
 * missing value, a 0 is 0. */
struct lambdamart_options {
    uint32_t n_trees;    /* at most so many */
    uint32_t max_leaves; /* at least 2 */
    uint32_t patience;   /* stop after so many trees without a better validation NDCG */
    uint64_t seed;       /* up to INT64_MAX */
    uint32_t n_threads;  /* XGBoost sums in another order with another number of threads */
    struct learner_progress progress;
};

struct lambdamart_result {
    struct ensemble *ensemble; /* up to the tree with the best validation NDCG */
    uint32_t n_grown;          /* trees until it stopped */
    double validation_ndcg; /* NDCG@10 by XGBoost, a query without relevant documents being 0; NaN
                               without validation documents */
};

/* `validation` may be NULL: then all n_trees trees are grown. */
enum status learn_lambdamart(const struct learner_data *train,
                             const struct learner_data *validation,
                             const struct lambdamart_options *options,
                             struct lambdamart_result *result, struct error *error);

/* --- CART and forests ------------------------------------------------------------------------- */
enum forest_kind {
    FOREST_CART,   /* one tree of all documents; every feature is tried at every node */
    FOREST_RANDOM, /* every tree of a bootstrap sample; the best threshold of some features */
    FOREST_EXTRA   /* every tree of all documents; one random threshold for some features each */
};

enum forest_task {
    FOREST_CLASSIFY, /* labels are classes 0, 1, ...; Gini; sqrt(features) are tried at a node */
    FOREST_REGRESS   /* any finite labels; variance; all features are tried at a node */
};

enum { FOREST_MAX_CLASSES = 1000 };

struct forest_options {
    enum forest_kind kind;
    enum forest_task task;
    uint32_t n_trees;   /* 1 for CART */
    uint32_t max_depth; /* 0: as deep as it gets, which is ENSEMBLE_MAX_DEPTH at most */
    uint64_t seed;
    uint32_t n_threads; /* of no influence on the result; 0 is 1 */
    struct learner_progress progress;
};

/* Documents must be finite. Nodes have counts: of documents, each as often as the bootstrap drew
 * it. Scores: regression   the mean of the trees' predictions; two classes  (labels 0 and 1, or -1
 * and 1) the sum over trees of the share of class 1 in the leaf less the share of the other class:
 * class 1 is where the score is over 0; more         one output for every class: the sum over trees
 * of its share in the leaf. An ensemble has one number in a leaf, so that a tree is there once for
 * every class, less what a class does not need: subtrees in which its share is the same. */
enum status learn_forest(const struct learner_data *data, const struct forest_options *options,
                         struct ensemble **ensemble, struct error *error);

#endif
