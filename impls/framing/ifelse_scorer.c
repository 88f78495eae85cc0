#include "impls/framing/ifelse_scorer.h"

#include "impls/codegen/codegen_scorer.h"
#include "impls/framing/framing_scorer.h"

enum status ifelse_read_values(const struct impl *impl, const struct options *options,
                               enum ifelse_values *values, struct error *error) {
    static const enum ifelse_values written[] = {[FRAMING_FLOAT] = IFELSE_FLOAT,
                                                 [FRAMING_BITS] = IFELSE_FLOAT_BITS,
                                                 [FRAMING_INT16] = IFELSE_INT16,
                                                 [FRAMING_INT32] = IFELSE_INT32};
    enum framing_values read = FRAMING_FLOAT;
    enum status status = framing_read_values(impl, options, &read, error);
    *values = written[read];
    return status;
}

enum status ifelse_build(const struct impl *impl, const struct ensemble *ensemble,
                         const struct ifelse_form *form, const char *note, struct scorer **scorer,
                         struct error *error) {
    enum values_type type = form->values == IFELSE_INT16   ? VALUES_INT16
                            : form->values == IFELSE_INT32 ? VALUES_INT32
                                                           : VALUES_FLOAT;
    if (type != VALUES_FLOAT && ensemble->set)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s: does not support categories with integers. Use feature=float",
                         impl->name);
    const struct codegen_writer writer = {.impl = impl->name,
                                          .trees_per_group = SIZE_MAX,
                                          .write = ifelse_write_source,
                                          .context = form};
    enum status status = codegen_scorer_build(impl, ensemble, &writer, scorer, error);
    if (!status && !ensemble->node_count)
        (*scorer)->note = note;
    if (!status)
        (*scorer)->equal_branches = note && !ensemble->node_count;
    if (!status)
        (*scorer)->values = type;
    return status;
}

void ifelse_score(const struct scorer *scorer, struct span units, struct span docs,
                  const struct batch *batch) {
    const struct codegen_scorer *made = (const struct codegen_scorer *)scorer;
    for (size_t unit = units.begin; unit < units.end; unit++) {
        ifelse_function *score = (ifelse_function *)made->groups[unit];
        for (size_t doc = docs.begin; doc < docs.end; doc++)
            score(batch->x + doc * batch->stride, batch->scores + doc * scorer->n_outputs);
    }
}
