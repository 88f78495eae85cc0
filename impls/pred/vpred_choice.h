/* The options of VPRED and VPRED-HEAP, and the file with the best v for this machine.
 *
 * `treebench sweep` measures the best v and writes the file, treebench/vpred.json in
 * $XDG_CONFIG_HOME, or in ~/.config if that is not set:
 *
 *     {"cpu model": [{"depth": 7, "features": 32, "v": 16}, ...], ...} */
#ifndef IMPLS_PRED_VPRED_CHOICE_H
#define IMPLS_PRED_VPRED_CHOICE_H

#include "base/status.h"
#include "impls/impl.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VPRED_STANDARD_V = 8, VPRED_UNROLLED_V = 16 };

struct vpred_choice {
    uint32_t depth, features; /* of the model on which v was measured */
    uint32_t v;
};

enum { VPRED_PARAM_UNROLL, VPRED_PARAM_V };
extern const struct impl_param vpred_params[];

/* Reads v from the file: from the entry for this CPU model whose depth and number of features are
 * nearest, on logarithmic scales. *v is VPRED_STANDARD_V if there is no entry. STATUS_INPUT, with
 * the file's name, if the file is damaged. */
enum status vpred_standard_v(uint32_t n_features, uint32_t depth, unsigned *v, struct error *error);

/* Sets *v to the value of the option, or to the default v for the ensemble if the option is not
 * given. */
enum status vpred_read_v(const char *impl, const struct ensemble *ensemble,
                         const struct options *options, unsigned *v, struct error *error);

/* Reads the option `unroll`. Sets *unroll if it is `full`. STATUS_UNSUPPORTED if there are no such
 * kernels of v lanes. */
enum status vpred_read_unroll(const char *impl, const struct options *options, unsigned v,
                              bool *unroll, struct error *error);

/* Replaces the entries of one CPU model and keeps those of other CPU models. Creates the folder if
 * it is missing. The new file is written to a temporary name and renamed. A damaged file is an
 * error and is not changed. */
enum status vpred_choice_store(const char *cpu_model, const struct vpred_choice *choices,
                               size_t count, struct error *error);

#endif
