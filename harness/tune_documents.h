/* The documents that tune measures on: enough that branch predictors cannot learn them by heart,
 * and not so many that they take memory out of proportion to the model. */
#ifndef HARNESS_TUNE_DOCUMENTS_H
#define HARNESS_TUNE_DOCUMENTS_H

#include "harness/tune.h"

struct tune_documents {
    struct matrix view;  /* what tuning->documents points at */
    struct matrix *made; /* to be freed by matrix_free; NULL: the view is of those given */
};

/* Sets the documents and the source of the tuning. Few documents are resampled, and made up if none
 * are given. Sizes of calls that would take too much memory move from `batches` to `too_large`.
 * STATUS_MEMORY if no size is left. */
enum status tune_documents_choose(const struct matrix *given, struct tuning *tuning,
                                  struct tune_documents *documents, struct error *error);

#endif
