/* What --impl names, where it may be given several times: implementations with parameters
 * ("vpred,v=8"), "all", and patterns ("planes*", "planes*,sums=float"). */
#ifndef HARNESS_SPECS_H
#define HARNESS_SPECS_H

#include "harness/command.h"
#include "impls/impl.h"

enum { SPEC_SIZE = 96 };

struct spec {
    char text[SPEC_SIZE];
    bool is_named; /* by the user: no pattern, and not one of all */
};

struct specs {
    struct spec *list;
    size_t count, capacity;
};

#define SPECS_HELP "vpred,v=8, 'planes*' or all; may be repeated"

/* Adds one, unless it is there already. */
enum status specs_add(struct specs *specs, const struct spec *spec, struct error *error);

/* The specs of some --impl, of "all" if there are none. `takes` says which implementations belong
 * to "all" and to patterns. Refuses names that do not exist and patterns that match nothing. The
 * caller frees the list in any case. */
enum status specs_expand(const struct flag_list *typed, bool (*takes)(const struct impl *impl),
                         struct specs *specs, struct error *error);
void specs_free(struct specs *specs);

#endif
