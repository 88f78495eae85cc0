/* CODEGEN: the ensemble as generated if-else C code, compiled. */
#include "impls/codegen_library.h"

#include <stdlib.h>

extern const struct impl impl_codegen;

struct codegen {
    struct scorer scorer;
    struct codegen_library *library;
    codegen_tree *trees[]; /* [n_units] */
};

static void codegen_score(const struct scorer *scorer, struct span units, const float *x,
                          size_t stride, struct span docs, double *scores) {
    const struct codegen *codegen = (const struct codegen *)scorer;
    for (size_t unit = units.begin; unit < units.end; unit++)
        codegen->trees[unit](x, stride, docs.begin, docs.end, scores);
}

static void codegen_destroy(struct scorer *scorer) {
    struct codegen *codegen = (struct codegen *)scorer;
    codegen_library_close(codegen->library);
    free(codegen);
}

static enum status codegen_build(const struct ensemble *ensemble, const struct options *options,
                                 struct scorer **scorer, struct error *error) {
    (void)options;
    size_t table = ensemble->n_trees * sizeof(codegen_tree *);
    struct codegen *codegen = calloc(1, sizeof *codegen + table);
    if (!codegen)
        return error_memory(error, "codegen");
    size_t code = 0;
    enum status status =
        codegen_library_open(ensemble, codegen->trees, &codegen->library, &code, error);
    if (status) {
        free(codegen);
        return status;
    }
    codegen->scorer = (struct scorer){.impl = &impl_codegen,
                                      .n_units = ensemble->n_trees,
                                      .lanes = 1,
                                      .n_features = ensemble->n_features,
                                      .n_outputs = ensemble->n_outputs,
                                      .bytes = table + code};
    *scorer = &codegen->scorer;
    return STATUS_OK;
}

const struct impl impl_codegen = {.name = "codegen",
                                  .title = "CODEGEN",
                                  .source = "asadi2014 section 3",
                                  .kind = IMPL_TRAVERSAL,
                                  .build = codegen_build,
                                  .score = codegen_score,
                                  .destroy = codegen_destroy};
