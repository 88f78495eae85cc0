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
 * Threads. Models and scorers never change once they are made: any number of threads may use one at
 * once. A context is the memory that one call works in: one for each thread. The library has no
 * state of its own, starts no threads, prints nothing, and leaves the locale and signals alone.
 *
 * Errors. What can fail returns TB_OK (0) or why it failed, and then writes one line, ready for a
 * user, into *error, which may be NULL; nothing else was changed, and there is nothing to free.
 * A NULL model, scorer, context or path is TB_INPUT; asked for its properties, it has 0 or NULL.
 *
 * Ownership. Who opens, builds or creates frees. Texts belong to what they were asked of. A model
 * may be freed as soon as its scorers are built; a scorer must outlive its contexts.
 *
 * Stability. Every symbol carries the version of the library with which it came: a program runs
 * with any later library of the same soname. */
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

/* Of this header. */
#define TB_VERSION_MAJOR 0
#define TB_VERSION_MINOR 1
#define TB_VERSION_PATCH 0
#define TB_VERSION "0.1.0"

/* "0.1.0": of the library that the program runs with. */
TB_API const char *tb_version(void);

enum tb_status {
    TB_OK = 0,
    TB_INPUT,       /* unusable arguments or file */
    TB_UNSUPPORTED, /* fine in itself, but not for this reader or this implementation */
    TB_MACHINE,     /* this machine lacks something: an instruction set, a compiler */
    TB_MEMORY,      /* no memory, or a model over the limits */
    TB_IO           /* the system refuses to read the file */
};

struct tb_error {
    char text[1024]; /* one line without its end, and a NUL */
};

/* --- models ----------------------------------------------------------------------------------- */

struct tb_model;

/* Reads a model of LightGBM, XGBoost, CatBoost, scikit-learn (through ONNX), RankLib, QuickRank,
 * jforests or treebench, gzipped or not. The format is found by the content. A model that cannot be
 * scored exactly is refused. */
TB_API enum tb_status tb_model_open(const char *path, struct tb_model **model,
                                    struct tb_error *error);
TB_API void tb_model_free(struct tb_model *model); /* NULL is fine */

TB_API size_t tb_model_trees(const struct tb_model *model);
TB_API size_t tb_model_features(const struct tb_model *model); /* that a document must have */
TB_API size_t tb_model_outputs(const struct tb_model *model);  /* 1, or one for each class */

/* The name of the feature 0 .. tb_model_features - 1; NULL where the model has no names. */
TB_API const char *tb_model_feature_name(const struct tb_model *model, size_t feature);

/* The number that stands for a category, a word or a number as text, in documents for a model that
 * lists its categories (pandas', XGBoost's). NaN, a missing value, if the list does not have it or
 * the feature has no list. */
TB_API double tb_model_category(const struct tb_model *model, size_t feature, const char *text);

/* --- implementations -------------------------------------------------------------------------- */

/* The ways to score there are, 0 .. tb_impl_count() - 1. All give the same scores, to the last bit,
 * but with the option sums=float ("auto,sums=float"), which rounds and is faster: docs/library.md.
 * Beyond the last, names and titles are NULL. */
TB_API size_t tb_impl_count(void);
TB_API const char *tb_impl_name(size_t impl);  /* "vqs-avx2" */
TB_API const char *tb_impl_title(size_t impl); /* for people */
TB_API bool tb_impl_runs_here(size_t impl);    /* has this processor the instructions? */

/* --- scorers ---------------------------------------------------------------------------------- */

struct tb_scorer;

/* `impl` is a name, with options behind it ("vpred,v=16"; `treebench list` prints them), or NULL:
 * "auto", which takes for each call what is cheapest for so many documents. TB_UNSUPPORTED where
 * the implementation cannot do the model, TB_MACHINE where the machine cannot do the
 * implementation. */
TB_API enum tb_status tb_scorer_build(const struct tb_model *model, const char *impl,
                                      struct tb_scorer **scorer, struct tb_error *error);
TB_API void tb_scorer_free(struct tb_scorer *scorer); /* NULL is fine */

TB_API const char *tb_scorer_impl(const struct tb_scorer *scorer); /* its name, without options */

/* What a user should be told of how it was built, in one line: that what `treebench tune` stored
 * cannot be used, say. NULL: nothing. */
TB_API const char *tb_scorer_note(const struct tb_scorer *scorer);

TB_API size_t tb_scorer_features(const struct tb_scorer *scorer); /* as the model's */
TB_API size_t tb_scorer_outputs(const struct tb_scorer *scorer);

/* --- scoring ---------------------------------------------------------------------------------- */

struct tb_context;

TB_API enum tb_status tb_context_create(const struct tb_scorer *scorer, struct tb_context **context,
                                        struct tb_error *error);
TB_API void tb_context_free(struct tb_context *context); /* NULL is fine */

/* Scores the documents 0 .. n_rows - 1; allocates nothing.
 *
 * Feature f of document i is rows[i * stride + f], for f < n_features; stride, in floats, is at
 * least n_features, and n_features at least tb_scorer_features: less is TB_INPUT, more is not
 * looked at. NaN is a missing value and goes where the model sends it.
 *
 * Score k of document i becomes scores[i * tb_scorer_outputs + k]: the model's base score plus the
 * leaf values of the trees of output k, in double (but see sums=float). That is the margin: before
 * any logistic function, softmax or the like. `rows` need no alignment beyond a float's, and must
 * not overlap `scores`. Both may be NULL where n_rows is 0; elsewhere that is TB_INPUT. */
TB_API enum tb_status tb_score(struct tb_context *context, const float *rows, size_t n_rows,
                               size_t n_features, size_t stride, double *scores,
                               struct tb_error *error);

/* The same for documents of doubles; stride is in doubles. A model whose maker compares doubles
 * (LightGBM) scores each value as its maker does; tb_score gives it the nearest float32 instead,
 * which may lie on another side of a threshold. For other models values are rounded to float32. */
TB_API enum tb_status tb_score_doubles(struct tb_context *context, const double *rows,
                                       size_t n_rows, size_t n_features, size_t stride,
                                       double *scores, struct tb_error *error);

#ifdef __cplusplus
}
#endif

#endif
