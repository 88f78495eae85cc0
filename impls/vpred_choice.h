/* The best v of this machine, as `treebench sweep` measured it: the file treebench/vpred.json in
 * $XDG_CONFIG_HOME, else in ~/.config:
 *
 *     {"cpu model": [{"depth": 7, "features": 32, "v": 16}, ...], ...} */
#ifndef IMPLS_VPRED_CHOICE_H
#define IMPLS_VPRED_CHOICE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { VPRED_STANDARD_V = 8 };

struct vpred_choice {
    uint32_t depth, features; /* where it was measured */
    uint32_t v;
};

/* The v of the nearest entry of this CPU model (distance of the logarithms of depth and number of
 * features), VPRED_STANDARD_V where there is no file or no entry. STATUS_INPUT, with the file's
 * name, when the file is damaged. */
enum status vpred_standard_v(uint32_t n_features, uint32_t depth, unsigned *v, struct error *error);

/* Replaces the entries of a CPU model, keeps those of others, and makes the folder. The file is
 * written aside and renamed; one that is damaged is an error and stays as it is. */
enum status vpred_choice_store(const char *cpu_model, const struct vpred_choice *choices,
                               size_t count, struct error *error);

#endif
