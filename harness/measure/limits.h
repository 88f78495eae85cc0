/* Limits for the memory of commands that check or time implementations, so that a small model file
 * cannot make them take much. docs/doctor.md lists them. */
#ifndef HARNESS_MEASURE_LIMITS_H
#define HARNESS_MEASURE_LIMITS_H

#include "base/status.h"
#include "datasets/matrix.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes of probes or made-up documents with their scores, unless the user asks for more; also of
 * the scores of a block of documents. */
#define LIMIT_MADE_BYTES ((size_t)64 << 20)
/* Bytes of the documents of a call of `tune`, with their scores. */
#define LIMIT_CALL_BYTES ((size_t)256 << 20)
/* Bytes of the scores of all documents: this, or LIMIT_SCORES_GROWTH times the bytes of the
 * documents if that is more. */
#define LIMIT_SCORES_BYTES ((size_t)256 << 20)
enum { LIMIT_SCORES_GROWTH = 16 };

/* Returns the bytes of a document with its scores and the reference's scores. `stride` is the
 * number of floats of its row; 0: of a row that is made for n_features. */
size_t limit_row_bytes(size_t stride, uint32_t n_features, uint32_t n_outputs);

/* STATUS_INPUT if the scores of the documents would exceed the limit. */
enum status limit_check_scores(const struct matrix *documents, uint32_t n_outputs,
                               struct error *error);

#endif
