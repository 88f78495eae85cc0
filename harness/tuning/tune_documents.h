/* Chooses the documents that tune measures on. There should be so many that branch predictors
 * cannot memorise them, but their memory is limited. */
#ifndef HARNESS_TUNING_TUNE_DOCUMENTS_H
#define HARNESS_TUNING_TUNE_DOCUMENTS_H

#include "harness/tuning/tune_result.h"

struct tune_documents {
    struct matrix view;  /* request->documents points to this member */
    struct matrix *made; /* freed by matrix_free; NULL: the view shows the given documents */
};

/* Sets the documents and their source in the request. If no documents are given, makes them. If too
 * few are given, resamples them. Sizes of calls that need too much memory move from `batches` to
 * `too_large`. Returns STATUS_MEMORY if no size is left. */
enum status tune_documents_choose(const struct matrix *given, struct tune_request *request,
                                  struct tune_documents *documents, struct error *error);

#endif
