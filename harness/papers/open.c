#include "harness/papers/open.h"

#include "harness/judge/claims.h"
#include "harness/papers/quality_report.h"
#include "harness/papers/report.h"
#include "harness/papers/sizes_report.h"

static enum status check_parts(const char *name, const struct artefact *artefact,
                               struct error *error) {
    if (artefact->is_quality)
        return quality_check(name, artefact, error);
    if (artefact->is_code_size)
        return sizes_check(name, artefact, error);
    enum status status = claims_check(name, artefact, error);
    return status ? status : report_check(name, artefact, error);
}

enum status artefact_open(const char *path, const char *scale, struct artefact *artefact,
                          struct error *error) {
    enum status status = artefact_read(path, scale, artefact, error);
    if (status)
        return status;
    status = check_parts(path, artefact, error);
    if (status)
        artefact_free(artefact);
    return status;
}
