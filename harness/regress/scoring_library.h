/* A libtreebench of some build, loaded beside others. Only functions of its public interface
 * (library/treebench.h) are called, so that builds of other revisions can be loaded. */
#ifndef HARNESS_REGRESS_SCORING_LIBRARY_H
#define HARNESS_REGRESS_SCORING_LIBRARY_H

#include "base/status.h"
#include "library/treebench.h"

struct scoring_library {
    void *handle;
    enum tb_status (*model_open)(const char *, struct tb_model **, struct tb_error *);
    void (*model_free)(struct tb_model *);
    size_t (*model_outputs)(const struct tb_model *);
    size_t (*model_features)(const struct tb_model *);
    enum tb_status (*scorer_build)(const struct tb_model *, const char *, struct tb_scorer **,
                                   struct tb_error *);
    void (*scorer_free)(struct tb_scorer *);
    enum tb_status (*context_create)(const struct tb_scorer *, struct tb_context **,
                                     struct tb_error *);
    void (*context_free)(struct tb_context *);
    enum tb_status (*score)(struct tb_context *, const float *, size_t, size_t, size_t, double *,
                            struct tb_error *);
};

/* Loads a shared library. STATUS_MACHINE if it cannot be loaded or lacks a function. Libraries stay
 * loaded until the program ends, because their threads may run. */
enum status scoring_library_load(const char *path, struct scoring_library *library,
                                 struct error *error);

/* A model of such a library that is ready to score. */
struct loaded_model {
    const struct scoring_library *library;
    struct tb_model *model;
    struct tb_scorer *scorer;
    struct tb_context *context;
};

/* Reads a model and builds a scorer. STATUS_UNSUPPORTED or STATUS_MACHINE if the implementation
 * refuses the model or the machine, STATUS_INPUT if the library does not know it. */
enum status loaded_model_open(const struct scoring_library *library, const char *path,
                              const char *impl, struct loaded_model *model, struct error *error);
void loaded_model_close(struct loaded_model *model);

#endif
