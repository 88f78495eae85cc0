/* Bit planes: an implementation made from a kernel.
 *
 * The includer defines what planes_run_tmpl.h needs, and
 *
 *   KERNEL_FAN_BITS   nodes of search trees have 2^KERNEL_FAN_BITS children
 *   KERNEL_BYTE_VALUES   values lie byte by byte (planes_vbmi_tmpl.h) if it is defined
 *   PLANES_FIXED      whether the kernel can add values in fixed point; false if not defined
 *   PLANES_COMPILER   turns nodes into machine code; nodes stay data if it is not defined
 */
#include "impls/planes/kernel/planes_run_tmpl.h"

#include "impls/planes/planes_scorer.h"
#include "impls/shared/sums_option.h"

#ifndef PLANES_COMPILER
#define PLANES_COMPILER NULL
#endif
#ifdef KERNEL_BYTE_VALUES
enum { PLANES_BYTE_VALUES = 1 };
#else
enum { PLANES_BYTE_VALUES = 0 };
#endif
#ifndef PLANES_FIXED
#define PLANES_FIXED false
#endif

static void planes_score(const struct scorer *scorer, struct span units, struct span docs,
                         const struct batch *batch) {
    const struct planes_scorer *planes = (const struct planes_scorer *)scorer;
    const struct planes_model *model = &planes->model;
    size_t begin = units.begin * PLANES_UNIT, end = units.end * PLANES_UNIT;
    end = end < model->n_bundles ? end : model->n_bundles;
    const struct planes_view view = {.n_columns = scorer->n_features,
                                     .n_outputs = scorer->n_outputs,
                                     .features = model->features,
                                     .n_features = model->n_features,
                                     .bundles = model->bundles + begin,
                                     .n_bundles = end - begin,
                                     .n_blocks = planes->n_blocks,
                                     .block_bytes = planes->block_bytes,
                                     .xors = model->xors.runs,
                                     .n_xors = model->xors.n_runs,
                                     .in_chain = planes->in_chain};
    kernel_run(&view, batch->x + docs.begin * batch->stride, batch->stride, docs.end - docs.begin,
               batch->scores + docs.begin * scorer->n_outputs, batch->workspace);
}

_Static_assert(sizeof(struct kernel_work) <= (size_t)PLANES_WORK * KERNEL_PLANE_BYTES,
               "PLANES_WORK is too small");
_Static_assert(sizeof(struct kernel_work) % KERNEL_PLANE_BYTES == 0,
               "the tests after struct kernel_work must be aligned to whole planes");

static enum status planes_build(const struct impl *impl, const struct ensemble *ensemble,
                                const struct options *options, struct scorer **scorer,
                                struct error *error) {
    unsigned sums;
    enum status status = options_choice(options, impl->name, "sums", SUMS_WORDS, &sums, error);
    if (status)
        return status;
    const struct planes_shape shape = {.impl = impl->name,
                                       .fan_bits = KERNEL_FAN_BITS,
                                       .plane_bytes = KERNEL_PLANE_BYTES,
                                       .compiler = PLANES_COMPILER,
                                       .byte_values = PLANES_BYTE_VALUES,
                                       .fixed = PLANES_FIXED,
                                       .float_codes = sums != SUMS_DOUBLE ? KERNEL_FLOAT_CODES : 0,
                                       .in_chain = sums == SUMS_CHAIN};
    return planes_scorer_build(impl, ensemble, &shape, sizeof(struct kernel_work), scorer, error);
}

/* What the descriptors of all kernels have in common. */
#define PLANES_FACTS                                                                               \
    .source = "docs/floors.md", .kind = IMPL_TRAVERSAL, .sets = true, .build = planes_build,       \
    .score = planes_score, .destroy = planes_scorer_destroy
