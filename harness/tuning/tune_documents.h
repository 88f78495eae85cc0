/* Chooses the documents that tune uses. There are enough that branch predictors cannot memorise
 * them, unless they would need too much memory. */
#ifndef HARNESS_TUNING_TUNE_DOCUMENTS_H
#define HARNESS_TUNING_TUNE_DOCUMENTS_H

#include "harness/tuning/tune_result.h"

struct tune_documents {
    struct matrix view;  /* what request->documents points to */
    struct matrix *made; /* freed with matrix_free; NULL: the view shows the given documents */
};

/* Sets the documents and their source in the request. If no documents are given, makes some. If too
 * few are given, adds mixtures of them. Sizes of calls that need too much memory are moved from
 * `batches` to `too_large`. Returns STATUS_MEMORY if no size remains. */
enum status tune_documents_choose(const struct matrix *given, struct tune_request *request,
                                  struct tune_documents *documents, struct error *error);

/* Copies the given documents, and adds mixtures of two of them until there are n_rows documents.
 * There are too many mixtures for branch predictors to memorise. The note of the matrix says so. */
enum status tune_documents_resample(const struct matrix *few, size_t n_rows,
                                    struct matrix **resampled, struct error *error);

#endif
