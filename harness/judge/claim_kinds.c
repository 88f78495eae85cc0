#include "harness/judge/claim_kinds.h"

#include <string.h>

static const struct claim_kind *const kinds[] = {
    &claim_ratio,    &claim_improvement, &claim_shrinks, &claim_speedup,
    &claim_slowdown, &claim_best_grows,  &claim_follows,
};

const struct claim_kind *claim_kind_find(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}
