/* The values of --impl. A value is a variant ("vpred,v=8"), a pattern ("planes*,sums=float") or
 * "all". */
#ifndef HARNESS_CLI_SHARED_SPECS_H
#define HARNESS_CLI_SHARED_SPECS_H

#include "harness/cli/shared/command.h"
#include "impls/scorer.h"
#include "impls/variant.h"

enum { SPEC_SIZE = 96 };

struct spec {
    char text[SPEC_SIZE];
    bool is_named; /* true: the user typed this name; false: "all" or a pattern matched it */
};

struct specs {
    struct spec *list;
    size_t count, capacity;
};

#define SPECS_HELP "vpred,v=8, 'planes*' or all; may be repeated"

/* Add a spec, or one of a name, unless the list already contains it. */
enum status specs_add(struct specs *specs, const struct spec *spec, struct error *error);
enum status specs_add_name(struct specs *specs, const char *name, bool is_named,
                           struct error *error);

/* Expands the values of --impl into a list of specs. Without values, expands "all". "all" and
 * patterns match only implementations for which `takes` returns true. An unknown name and a pattern
 * that matches nothing are errors. The caller frees the list even after an error. */
enum status specs_expand(const struct flag_texts *typed, bool (*takes)(const struct impl *impl),
                         struct specs *specs, struct error *error);
void specs_free(struct specs *specs);

/* Adds the order to each spec that has none of its own. */
enum status specs_add_order(struct specs *specs, const struct order_choice *choice,
                            struct error *error);

/* Finds mistakes in the values of parameters, such as v=3, before a model is read. A model that an
 * implementation does not support is not a mistake. */
enum status specs_check_values(const struct specs *specs, struct error *error);

#endif
