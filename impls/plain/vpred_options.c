/* The options of VPRED and VPRED-HEAP. */
#include "impls/plain/pred_scorer.h"

/* There is a kernel for each of these numbers of lanes. */
#define LANES "1 4 8 16 32 64"
static const unsigned lanes[] = {1, 4, 8, 16, 32, 64};

enum { UNROLL_FULL = 1 };
#define UNROLLS "auto full"

const struct impl_param vpred_params[] = {
    {"unroll", "levels as straight-line code: with auto all up to v=8; with full also at v=16",
     UNROLLS, "auto"},
    {"v", "documents per step", LANES, "8"},
    {NULL, NULL, NULL, NULL}};

enum status vpred_read_options(const char *impl, const struct options *options, unsigned *v,
                               bool *unroll, struct error *error) {
    unsigned levels, lane;
    enum status status = options_choice(options, impl, "unroll", UNROLLS, &levels, error);
    if (!status)
        status = options_choice(options, impl, "v", LANES, &lane, error);
    if (status)
        return status;
    *v = options_get(options, "v") ? lanes[lane] : VPRED_STANDARD_V;
    *unroll = levels == UNROLL_FULL;
    if (*unroll && *v > VPRED_UNROLLED_V)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s: unroll=full has no kernels for v=%u. Use v=%d or less", impl, *v,
                         VPRED_UNROLLED_V);
    return STATUS_OK;
}
