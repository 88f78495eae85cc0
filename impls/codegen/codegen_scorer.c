#include "impls/codegen/codegen_scorer.h"

#include <stdlib.h>

enum status codegen_scorer_build(const struct impl *impl, const struct ensemble *ensemble,
                                 const struct codegen_writer *writer, struct scorer **scorer,
                                 struct error *error) {
    struct codegen_scorer *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error, impl->name);
    enum status status = codegen_library_open(ensemble, writer, &made->library, error);
    if (status) {
        free(made);
        return status;
    }
    const struct codegen_library *library = made->library;
    made->groups = library->groups;
    made->scorer = scorer_of(impl, ensemble, library->n_groups, 1);
    made->scorer.bytes = library->n_groups * sizeof *made->groups + library->bytes;
    *scorer = &made->scorer;
    return STATUS_OK;
}

void codegen_scorer_destroy(struct scorer *scorer) {
    struct codegen_scorer *made = (struct codegen_scorer *)scorer;
    codegen_library_close(made->library);
    free(made);
}
