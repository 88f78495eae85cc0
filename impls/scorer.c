/* Finds implementations in the registry, and builds scorers by name. */
#include "impls/scorer.h"

#include "base/cpu.h"
#include "base/float_mode.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "models/rewrite.h"
#include "models/votes.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define REGISTER(name) extern const struct impl impl_##name;
#include "impls/registry.def"
#undef REGISTER

#define REGISTER(name) +1
enum {
    BUILT_IN = 0
#include "impls/registry.def"
};
#undef REGISTER

enum { REGISTRY_MAX = BUILT_IN + IMPL_ADDED_MAX, NAMES_SIZE = 512 };

#define REGISTER(name) &impl_##name,
static const struct impl *registry[REGISTRY_MAX] = {
#include "impls/registry.def"
};
#undef REGISTER
static size_t n_registered = BUILT_IN;

const struct impl *const *impl_all(size_t *count) {
    *count = n_registered;
    return registry;
}

bool impl_add(const struct impl *impl) {
    if (n_registered == REGISTRY_MAX)
        return false;
    registry[n_registered++] = impl;
    return true;
}

bool impl_runs_here(const struct impl *impl) {
    return !(impl->cpu & ~cpu_features());
}

bool impl_is_here(const struct impl *impl) {
    char text[NAMES_SIZE];
    return !impl->find || impl->find(text, sizeof text) != STATUS_MACHINE;
}

bool impl_competes(const struct impl *impl) {
    return impl->kind == IMPL_TRAVERSAL && !(impl->roles & (IMPL_REFERENCE | IMPL_CHOOSER)) &&
           impl_runs_here(impl);
}

const struct impl *impl_with_role(enum impl_role role) {
    size_t i = 0;
    while (!(registry[i]->roles & role) || !impl_runs_here(registry[i]))
        i++;
    return registry[i];
}

const struct impl *impl_with_form(enum impl_form form) {
    size_t i = 0;
    while (registry[i]->form != form)
        i++;
    return registry[i];
}

/* Appends a name to a list with commas between names. Truncates the list if the buffer is full. */
static void append_name(char names[static NAMES_SIZE], const char *name) {
    size_t used = strlen(names);
    snprintf(names + used, NAMES_SIZE - used, "%s%s", used ? ", " : "", name);
}

/* Returns the name of the implementation with this title, such as qs for "QuickScorer". NULL if no
 * title matches. */
static const char *name_of_title(const char *title) {
    for (size_t i = 0; i < n_registered; i++)
        if (strcasecmp(registry[i]->title, title) == 0)
            return registry[i]->name;
    return NULL;
}

/* Sets the error, which suggests a similar name. If there is none, the error lists the
 * implementations that run on this machine. */
static void refuse_name(const char *name, struct error *error) {
    char list[NAMES_SIZE] = "", others[80] = "";
    const char *names[REGISTRY_MAX];
    size_t lacking = 0;
    for (size_t i = 0; i < n_registered; i++) {
        names[i] = registry[i]->name;
        if (impl_runs_here(registry[i]) && impl_is_here(registry[i]))
            append_name(list, names[i]);
        else
            lacking++;
    }
    if (lacking)
        snprintf(others, sizeof others, " (`treebench list` prints %zu more that do not run here)",
                 lacking);
    const char *titled = name_of_title(name);
    const char *nearest = titled ? titled : nearest_name(name, names, n_registered);
    bool for_arm = strlen(name) > 5 && strcmp(name + strlen(name) - 5, "-neon") == 0;
    const char *machines = for_arm ? " (-neon is for ARM, -avx2 and -avx512 are for x86)" : "";
    if (strpbrk(name, "*?["))
        error_set(error, STATUS_INPUT,
                  "'%s' is a pattern, but one implementation must be named here. `treebench list` "
                  "prints all",
                  name);
    else if (nearest)
        error_set(error, STATUS_INPUT,
                  "no implementation '%s'%s: did you mean '%s'? `treebench list` prints all", name,
                  machines, nearest);
    else
        error_set(error, STATUS_INPUT, "no implementation '%s'%s; available: %s%s", name, machines,
                  list, others);
}

const struct impl *impl_find(const char *name, struct error *error) {
    for (size_t i = 0; i < n_registered; i++)
        if (strcmp(registry[i]->name, name) == 0)
            return registry[i];
    if (error)
        refuse_name(name, error);
    return NULL;
}

void impl_version(const struct impl *impl, char *text, size_t size) {
    char where[512];
    snprintf(text, size, "%s", impl->edition ? impl->edition : "");
    if (impl->version && impl->find(where, sizeof where) == STATUS_OK)
        impl->version(text, size);
}

bool impl_has_option(const struct impl *impl, const char *name) {
    for (const struct impl_param *p = impl->params; p && p->name; p++)
        if (strcmp(p->name, name) == 0)
            return true;
    return false;
}

static enum status refuse_option(const struct impl *impl, const char *name, struct error *error) {
    char names[NAMES_SIZE] = "";
    for (const struct impl_param *p = impl->params; p && p->name; p++)
        append_name(names, p->name);
    if (names[0] == '\0')
        return error_set(error, STATUS_INPUT, "%s: no option '%s'. It has no options", impl->name,
                         name);
    return error_set(error, STATUS_INPUT, "%s: no option '%s'. Its options are: %s", impl->name,
                     name, names);
}

static enum status check_cpu(const struct impl *impl, struct error *error) {
    unsigned missing = impl->cpu & ~cpu_features();
    if (!missing)
        return STATUS_OK;
    char names[NAMES_SIZE];
    cpu_feature_names(missing, names, sizeof names);
    bool is_hidden = !(missing & ~cpu_hidden_features());
    return error_set(error, STATUS_MACHINE,
                     "%s: needs %s, which %s. `treebench list` prints what runs here", impl->name,
                     names, is_hidden ? "TREEBENCH_CPU hides" : "this processor does not have");
}

const struct impl *impl_parse(const char *spec, struct options *options, struct error *error) {
    char name[OPTION_TEXT_SIZE];
    if (options_parse(spec, name, options, error))
        return NULL;
    const struct impl *impl = impl_find(name, error);
    for (size_t i = 0; impl && i < options->count; i++)
        if (!impl_has_option(impl, options->pairs[i].name)) {
            refuse_option(impl, options->pairs[i].name, error);
            return NULL;
        }
    return impl;
}

/* Builds a scorer. Set nodes are rewritten if the implementation does not support sets. */
static enum status build_without_sets(const struct impl *impl, const struct ensemble *ensemble,
                                      const struct options *options, struct scorer **scorer,
                                      struct error *error) {
    if (!ensemble->set || impl->sets)
        return impl->build(impl, ensemble, options, scorer, error);
    struct ensemble *plain;
    struct error reason;
    enum status status = ensemble_rewrite_sets(ensemble, &plain, &reason);
    if (status == STATUS_UNSUPPORTED)
        return error_set(
            error, status,
            "%s: does not support categories, and %s. Use planes, codegen or struct-plus",
            impl->name, reason.text);
    if (status)
        return error_set(error, status, "%s: %s", impl->name, reason.text);
    status = impl->build(impl, plain, options, scorer, error);
    ensemble_free(plain);
    return status;
}

/* Builds a scorer. An ensemble that votes is converted if the implementation does not support
 * votes.
 */
static enum status build(const struct impl *impl, const struct ensemble *ensemble,
                         const struct options *options, struct scorer **scorer,
                         struct error *error) {
    if (!ensemble->votes || impl->votes)
        return build_without_sets(impl, ensemble, options, scorer, error);
    struct ensemble *outputs;
    struct error reason;
    enum status status = ensemble_votes_to_outputs(ensemble, &outputs, &reason);
    if (status)
        return error_set(error, status, "%s: does not support votes, and %s. Use struct-plus",
                         impl->name, reason.text);
    status = build_without_sets(impl, outputs, options, scorer, &reason);
    if (status == STATUS_UNSUPPORTED)
        error_set(error, status, "%s (trees are numbered after conversion to one tree per class)",
                  reason.text);
    else if (status)
        error_set(error, status, "%s", reason.text);
    ensemble_free(outputs);
    return status;
}

static double wall_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

enum status scorer_build(const char *spec, const struct ensemble *ensemble, struct scorer **scorer,
                         struct error *error) {
    struct options options;
    const struct impl *impl = impl_parse(spec, &options, error);
    if (!impl)
        return STATUS_INPUT;
    enum status status = check_cpu(impl, error);
    if (status)
        return status;
    double begin = wall_ns();
    uint64_t mode = float_mode_begin();
    status = build(impl, ensemble, &options, scorer, error);
    float_mode_end(mode);
    if (!status)
        (*scorer)->build_ns = wall_ns() - begin;
    return status;
}

void *scorer_workspace(const struct scorer *scorer) {
    return memory_aligned_alloc(scorer->workspace);
}

void scorer_run(const struct scorer *scorer, const struct plan *plan, size_t n_docs,
                const struct batch *batch) {
    order_run(scorer, plan, (struct span){0, scorer->n_units}, (struct span){0, n_docs}, batch);
}
