#include "harness/regress/scoring_library.h"

#include "base/loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The functions to find, and where to store their addresses. */
static const struct {
    const char *name;
    size_t at;
} functions[] = {
    {"tb_model_open", offsetof(struct scoring_library, model_open)},
    {"tb_model_free", offsetof(struct scoring_library, model_free)},
    {"tb_model_outputs", offsetof(struct scoring_library, model_outputs)},
    {"tb_model_features", offsetof(struct scoring_library, model_features)},
    {"tb_scorer_build", offsetof(struct scoring_library, scorer_build)},
    {"tb_scorer_free", offsetof(struct scoring_library, scorer_free)},
    {"tb_context_create", offsetof(struct scoring_library, context_create)},
    {"tb_context_free", offsetof(struct scoring_library, context_free)},
    {"tb_score", offsetof(struct scoring_library, score)},
};

enum status scoring_library_load(const char *path, struct scoring_library *library,
                                 struct error *error) {
    const char *why;
    /* The loader would look for a name without a slash in the folders of the system. */
    char *real = realpath(path, NULL);
    if (!real)
        return error_set(error, STATUS_IO, "%s: %s", path, strerror(errno));
    enum status status = loader_open(real, &library->handle, &why);
    free(real);
    if (status)
        return error_set(error, status, "%s: cannot be loaded: %s", path, why);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *address = dlsym(library->handle, functions[i].name);
        if (!address)
            return error_set(error, STATUS_MACHINE,
                             "%s: has no function %s. Use a libtreebench of version 0.1 or later",
                             path, functions[i].name);
        memcpy((char *)library + functions[i].at, &address, sizeof address);
    }
    return STATUS_OK;
}

static enum status fail(enum tb_status failure, const struct tb_error *why, struct error *error) {
    enum status status = failure == TB_UNSUPPORTED ? STATUS_UNSUPPORTED
                         : failure == TB_MACHINE   ? STATUS_MACHINE
                         : failure == TB_MEMORY    ? STATUS_MEMORY
                                                   : STATUS_INPUT;
    return error_set(error, status, "%s", why->text);
}

enum status loaded_model_open(const struct scoring_library *library, const char *path,
                              const char *impl, struct loaded_model *model, struct error *error) {
    struct tb_error why;
    *model = (struct loaded_model){.library = library};
    enum tb_status failure = library->model_open(path, &model->model, &why);
    if (!failure)
        failure = library->scorer_build(model->model, impl, &model->scorer, &why);
    if (!failure)
        failure = library->context_create(model->scorer, &model->context, &why);
    if (!failure)
        return STATUS_OK;
    loaded_model_close(model);
    return fail(failure, &why, error);
}

void loaded_model_close(struct loaded_model *model) {
    if (model->context)
        model->library->context_free(model->context);
    if (model->scorer)
        model->library->scorer_free(model->scorer);
    if (model->model)
        model->library->model_free(model->model);
    *model = (struct loaded_model){.library = model->library};
}
