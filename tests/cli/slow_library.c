/* A libtreebench that scores everything three times, and so takes three times as long. REAL is the
 * path of the library that it calls. ADDED is added to the last score of each call. CALLS is a file
 * to which each call appends a line: NAME and the number
 * of documents. */
#include "library/treebench.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

#ifndef ADDED
#define ADDED 0
#endif

static void *find(const char *name) {
    static void *real;
    if (!real)
        real = dlopen(REAL, RTLD_NOW | RTLD_LOCAL);
    return real ? dlsym(real, name) : NULL;
}

/* Defines a function that calls the real one of this name. */
#define FORWARD(type, name, parameters, arguments)                                                 \
    TB_API type name parameters {                                                                  \
        type(*real) parameters;                                                                    \
        *(void **)&real = find(#name);                                                             \
        return real arguments;                                                                     \
    }

FORWARD(enum tb_status, tb_model_open, (const char *p, struct tb_model **m, struct tb_error *e),
        (p, m, e))
FORWARD(void, tb_model_free, (struct tb_model * m), (m))
FORWARD(size_t, tb_model_outputs, (const struct tb_model *m), (m))
FORWARD(size_t, tb_model_features, (const struct tb_model *m), (m))
FORWARD(enum tb_status, tb_scorer_build,
        (const struct tb_model *m, const char *i, struct tb_scorer **s, struct tb_error *e),
        (m, i, s, e))
FORWARD(void, tb_scorer_free, (struct tb_scorer * s), (s))
FORWARD(enum tb_status, tb_context_create,
        (const struct tb_scorer *s, struct tb_context **c, struct tb_error *e), (s, c, e))
FORWARD(void, tb_context_free, (struct tb_context * c), (c))

TB_API enum tb_status tb_score(struct tb_context *context, const float *rows, size_t n_rows,
                               size_t n_features, size_t stride, double *scores,
                               struct tb_error *error) {
    enum tb_status (*real)(struct tb_context *, const float *, size_t, size_t, size_t, double *,
                           struct tb_error *);
    *(void **)&real = find("tb_score");
    enum tb_status status = TB_OK;
    for (int i = 0; i < 3; i++)
        status = real(context, rows, n_rows, n_features, stride, scores, error);
    scores[n_rows - 1] += ADDED;
#ifdef CALLS
    FILE *calls = fopen(CALLS, "a");
    fprintf(calls, "%s %zu\n", NAME, n_rows);
    fclose(calls);
#endif
    return status;
}
