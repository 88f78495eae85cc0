/* libtreebench: scores documents with an ensemble of decision trees.
 *
 *     struct tb_model *model;
 *     struct tb_scorer *scorer;
 *     struct tb_context *context;
 *     struct tb_error error;
 *     if (tb_model_open("lightgbm.txt", &model, &error) ||
 *         tb_scorer_build(model, NULL, &scorer, &error) ||
 *         tb_context_create(scorer, &context, &error) ||
 *         tb_score_doubles(context, rows, n_rows, n_features, stride, scores, &error))
 *         fprintf(stderr, "%s\n", error.text);
 *
 * examples/score.c is a whole program. C99 and C++.
 *
 * Threads. Models and scorers are read-only, so any number of threads may use one at once. A
 * context is the memory of one call, so each thread needs its own. The library has no state of its
 * own, prints nothing, and leaves the locale and signals alone. It starts no threads, except those
 * of a pool that you create.
 *
 * Errors. Functions that can fail return TB_OK (0) or the kind of failure. A failure writes one
 * line for the user to *error, changes nothing else, and leaves nothing to free. `error` may be
 * NULL. A NULL model, scorer, context or path is TB_INPUT. Functions that return a property of an
 * object return 0 or NULL if the object is NULL.
 *
 * Ownership. The caller frees what it opens, builds or creates. A text belongs to the object that
 * returned it. A model may be freed once its scorers are built. A scorer must outlive its contexts.
 *
 * Stability. Every symbol carries the library version that introduced it. A program runs with any
 * later library of the same soname. */
#ifndef TREEBENCH_H
#define TREEBENCH_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TB_API __attribute__((visibility("default")))
#else
#define TB_API
#endif

/* The version of this header. */
#define TB_VERSION_MAJOR 0
#define TB_VERSION_MINOR 2
#define TB_VERSION_PATCH 0
#define TB_VERSION "0.2.0"

/* The version of the library at run time: "0.2.0". */
TB_API const char *tb_version(void);

enum tb_status {
    TB_OK = 0,
    TB_INPUT,       /* unusable arguments or file */
    TB_UNSUPPORTED, /* valid, but not supported by this reader or implementation */
    TB_MACHINE,     /* this machine lacks something: an instruction set, a compiler */
    TB_MEMORY,      /* out of memory, or a model over the limits */
    TB_IO           /* the system cannot read the file */
};

struct tb_error {
    char text[1024]; /* one line without a newline, ended by NUL */
};

/* --- models ----------------------------------------------------------------------------------- */

struct tb_model;

/* Reads a model of LightGBM, XGBoost, CatBoost, scikit-learn (through ONNX), RankLib, QuickRank,
 * jforests or treebench, gzipped or not. The content decides the format. Models that cannot be
 * represented exactly are rejected. */
TB_API enum tb_status tb_model_open(const char *path, struct tb_model **model,
                                    struct tb_error *error);
TB_API void tb_model_free(struct tb_model *model); /* NULL is fine */

TB_API size_t tb_model_trees(const struct tb_model *model);
TB_API size_t tb_model_features(const struct tb_model *model); /* at least this many per document */
TB_API size_t tb_model_outputs(const struct tb_model *model);  /* 1, or one per class */

/* The name of feature 0 .. tb_model_features - 1; NULL if the model has no names. */
TB_API const char *tb_model_feature_name(const struct tb_model *model, size_t feature);

/* The number that represents a category in documents. `text` is the category as in the
 * training data, such as "red" or "3".
 * Only some models list their categories (pandas', XGBoost's). Returns NaN, a missing value, if the
 * category is not listed or the feature has no list. */
TB_API double tb_model_category(const struct tb_model *model, size_t feature, const char *text);

/* --- implementations -------------------------------------------------------------------------- */

/* The implementations have the indices 0 .. tb_impl_count() - 1. All give the same scores bit for
 * bit, except with the option sums=float ("auto,sums=float"), which rounds and is faster
 * (docs/export.md). The name and title of a larger index are NULL. */
TB_API size_t tb_impl_count(void);
TB_API const char *tb_impl_name(size_t impl);  /* "vqs-avx2" */
TB_API const char *tb_impl_title(size_t impl); /* a name for people */
TB_API bool tb_impl_runs_here(size_t impl);    /* does this processor have the instructions? */

/* --- scorers ---------------------------------------------------------------------------------- */

struct tb_scorer;

/* `impl` is a name with options, such as "vpred,v=16". `treebench list` prints all names and
 * options. NULL means "auto", which chooses the fastest implementation for the size of each call.
 * TB_UNSUPPORTED if the implementation does not support the model, TB_MACHINE if the machine does
 * not support the implementation. */
TB_API enum tb_status tb_scorer_build(const struct tb_model *model, const char *impl,
                                      struct tb_scorer **scorer, struct tb_error *error);
TB_API void tb_scorer_free(struct tb_scorer *scorer); /* NULL is fine */

TB_API const char *tb_scorer_impl(const struct tb_scorer *scorer); /* name without options */

/* A one-line note for the user about the scorer, for example that the times stored by `treebench
 * tune` cannot be used. NULL if none. */
TB_API const char *tb_scorer_note(const struct tb_scorer *scorer);

/* The same numbers as for the scorer's model. */
TB_API size_t tb_scorer_features(const struct tb_scorer *scorer);
TB_API size_t tb_scorer_outputs(const struct tb_scorer *scorer);

/* --- scoring ---------------------------------------------------------------------------------- */

struct tb_context;

/* Creates the memory that one thread needs for calls of tb_score and tb_score_doubles. */
TB_API enum tb_status tb_context_create(const struct tb_scorer *scorer, struct tb_context **context,
                                        struct tb_error *error);
TB_API void tb_context_free(struct tb_context *context); /* NULL is fine */

/* Scores the documents 0 .. n_rows - 1; allocates nothing.
 *
 * Feature f of document i is rows[i * stride + f], for f < n_features. The stride counts floats and
 * is at least n_features. n_features is at least tb_scorer_features; additional features are
 * ignored. A smaller stride or n_features is TB_INPUT. NaN is a missing value and goes where the
 * model sends it.
 *
 * Score k of document i becomes scores[i * tb_scorer_outputs + k]: the model's base score plus the
 * leaf values of the trees of output k, in double (except with sums=float). If the trees vote, it
 * is the base score plus the number of trees that vote for class k. Otherwise it is the margin,
 * before any logistic function, softmax or the like. `rows` are aligned to float and do not overlap
 * `scores`. Both may be NULL only if n_rows is 0. */
TB_API enum tb_status tb_score(struct tb_context *context, const float *rows, size_t n_rows,
                               size_t n_features, size_t stride, double *scores,
                               struct tb_error *error);

/* Same as tb_score for documents of doubles; the stride counts doubles. If the library that trained
 * the model compares doubles (LightGBM), the scores are those of that library. With tb_score, the
 * caller rounds values to float32, which may move them across a threshold. For other models,
 * tb_score_doubles rounds values to float32. */
TB_API enum tb_status tb_score_doubles(struct tb_context *context, const double *rows,
                                       size_t n_rows, size_t n_features, size_t stride,
                                       double *scores, struct tb_error *error);

/* --- pools of threads ------------------------------------------------------------------------- */

/* A pool lets several processors work on one document. Without a pool, a call is scored by the
 * thread that makes it. That is better for throughput: score different documents in threads of your
 * own. */
struct tb_pool;

/* Starts n_threads - 1 threads, up to 255. The thread that makes the calls is the first thread of
 * the pool, so a pool of 1 thread changes nothing. Thread i + 1 is pinned to the logical processor
 * processors[i]. If `processors` is NULL, it is pinned to one that the creating thread may use but
 * does not run on. Pin the thread that makes the calls yourself.
 *
 * Threads spin while they wait for a call, and occupy their processors. After spin_us microseconds
 * without a call they sleep; 0 means 1,000. A call never waits for a thread that sleeps. It wakes
 * it, and is scored by one thread. For rare calls, choose a long time and processors that nothing
 * else uses.
 *
 * TB_INPUT if there are too many threads. TB_MACHINE if there are too few processors, or if a
 * thread cannot be started or pinned. */
TB_API enum tb_status tb_pool_create(size_t n_threads, const int *processors, unsigned spin_us,
                                     struct tb_pool **pool, struct tb_error *error);

/* Ends the threads. A context that uses the pool goes on without one. NULL is fine. */
TB_API void tb_pool_free(struct tb_pool *pool);

TB_API size_t tb_pool_threads(const struct tb_pool *pool);

/* Gives a pool to a context. Its calls of up to 16 documents then share the trees out over the
 * pool's threads. Scores stay the same bit for bit. A scorer for "auto" shares a call out only if
 * it predicts that the call then takes less time. Of other implementations, rank-bytes, rank-paths,
 * rank-levels, interleaved and gather always share out calls to models of more than 128 trees, and
 * some smaller ones: a thread takes whole units of up to 128 trees.
 *
 * A pool belongs to one context at a time; TB_INPUT if it belongs to another one. NULL takes the
 * pool from the context. Neither the pool nor the context may be in use by another thread. */
TB_API enum tb_status tb_context_use_pool(struct tb_context *context, struct tb_pool *pool,
                                          struct tb_error *error);

/* The number of threads that a call of n_rows documents uses while the pool is awake; 1 without a
 * pool. */
TB_API size_t tb_context_threads(const struct tb_context *context, size_t n_rows);

#ifdef __cplusplus
}
#endif

#endif
