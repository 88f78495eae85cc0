#include "harness/trained.h"

enum status trained_load(const char *directory, const struct workload *workload,
                         struct ensemble **ensemble, struct matrix **documents,
                         struct error *error) {
    (void)directory;
    (void)ensemble;
    (void)documents;
    return error_set(error, STATUS_UNSUPPORTED, "%s: models are not trained yet", workload->data);
}
