#include "harness/cli/shared/specs.h"

#include "base/memory.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status specs_add(struct specs *specs, const struct spec *spec, struct error *error) {
    for (size_t i = 0; i < specs->count; i++)
        if (strcmp(specs->list[i].text, spec->text) == 0) {
            specs->list[i].is_named |= spec->is_named;
            return STATUS_OK;
        }
    if (!memory_grow((void **)&specs->list, &specs->capacity, specs->count, sizeof *specs->list))
        return error_memory(error, "the list of implementations");
    specs->list[specs->count++] = *spec;
    return STATUS_OK;
}

enum status specs_add_name(struct specs *specs, const char *name, bool is_named,
                           struct error *error) {
    struct spec spec = {.is_named = is_named};
    snprintf(spec.text, sizeof spec.text, "%s", name);
    return specs_add(specs, &spec, error);
}

/* Is the text an implementation with options that it has, and perhaps an order? */
static enum status check_names(const char *text, struct error *error) {
    struct variant variant;
    struct options options;
    enum status status = variant_parse(text, &variant, error);
    if (status)
        return status;
    return impl_parse(variant.spec, &options, error) ? STATUS_OK : STATUS_INPUT;
}

static enum status add_named(struct specs *specs, const char *text, struct error *error) {
    if (check_names(text, error) != STATUS_OK)
        return STATUS_INPUT;
    if (strlen(text) >= SPEC_SIZE)
        return error_set(error, STATUS_INPUT, "--impl: '%s' is too long", text);
    return specs_add_name(specs, text, true, error);
}

/* Adds each implementation whose name matches the pattern before the first comma. The parameters
 * after the comma are appended to the name. Skips implementations that lack these parameters. */
static enum status add_matching(struct specs *specs, const char *text,
                                bool (*takes)(const struct impl *impl), struct error *error) {
    size_t count, length = strcspn(text, ","), found = 0;
    const struct impl *const *impls = impl_all(&count);
    char pattern[SPEC_SIZE];
    struct variant variant; /* an order that is wrong would match nothing */
    enum status status = variant_parse(text, &variant, error);
    snprintf(pattern, sizeof pattern, "%.*s", (int)length, text);
    bool is_all = strcmp(pattern, "all") == 0;
    for (size_t i = 0; i < count && !status; i++) {
        struct spec spec = {.is_named = false};
        if (!takes(impls[i]) || (!is_all && fnmatch(pattern, impls[i]->name, 0) != 0) ||
            snprintf(spec.text, sizeof spec.text, "%s%s", impls[i]->name, text + length) >=
                SPEC_SIZE ||
            check_names(spec.text, NULL) != STATUS_OK)
            continue;
        found++;
        status = specs_add(specs, &spec, error);
    }
    if (!status && !found)
        return error_set(error, STATUS_INPUT,
                         "--impl: '%s' matches no implementation. `treebench list` prints all",
                         text);
    return status;
}

enum status specs_expand(const struct flag_texts *typed, bool (*takes)(const struct impl *impl),
                         struct specs *specs, struct error *error) {
    *specs = (struct specs){.count = 0};
    if (typed->count == 0)
        return add_matching(specs, "all", takes, error);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < typed->count && !status; i++) {
        const char *text = typed->items[i];
        bool is_all = strncmp(text, "all", 3) == 0 && (!text[3] || text[3] == ',');
        bool matches = is_all || strpbrk(text, "*?[");
        status = matches ? add_matching(specs, text, takes, error) : add_named(specs, text, error);
    }
    return status;
}

enum status specs_add_order(struct specs *specs, const struct order_choice *choice,
                            struct error *error) {
    for (size_t i = 0; i < specs->count; i++) {
        char text[VARIANT_SPEC_SIZE];
        struct spec *spec = &specs->list[i];
        variant_add_order(spec->text, choice, text);
        if (strlen(text) >= sizeof spec->text)
            return error_set(error, STATUS_INPUT, "--impl: '%s' is too long", text);
        snprintf(spec->text, sizeof spec->text, "%s", text);
    }
    return STATUS_OK;
}

void specs_free(struct specs *specs) {
    free(specs->list);
    *specs = (struct specs){.count = 0};
}

/* --- values of parameters --------------------------------------------------------------------- */

/* Makes a model with one tree of one leaf. */
static enum status make_smallest(struct ensemble **ensemble, struct error *error) {
    struct ensemble_builder *builder = ensemble_builder_create();
    if (!builder)
        return error_memory(error, "an ensemble");
    ensemble_builder_add_tree(builder, 0);
    ensemble_builder_add_leaf(builder, 0, ENSEMBLE_NO_COUNT);
    return ensemble_builder_finish(builder, &(struct ensemble_shape){.n_features = 1}, ensemble,
                                   error);
}

/* Checks the values of a variant's parameters. Only building a scorer checks them, so this function
 * builds one for the smallest model. */
static enum status check_values(const char *variant, const struct ensemble *smallest,
                                struct error *error) {
    struct variant parsed;
    struct options options;
    struct scorer *scorer;
    if (variant_parse(variant, &parsed, error) != STATUS_OK ||
        !impl_parse(parsed.spec, &options, error))
        return STATUS_INPUT;
    if (options.count == 0)
        return STATUS_OK;
    enum status status = scorer_build(parsed.spec, smallest, &scorer, error);
    if (!status)
        scorer_destroy(scorer);
    return status == STATUS_INPUT ? status : STATUS_OK;
}

enum status specs_check_values(const struct specs *specs, struct error *error) {
    struct ensemble *smallest;
    enum status status = make_smallest(&smallest, error);
    if (status)
        return status;
    for (size_t i = 0; i < specs->count && !status; i++)
        status = check_values(specs->list[i].text, smallest, error);
    ensemble_free(smallest);
    return status;
}
