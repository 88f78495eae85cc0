/* Documents of integers, for scorers that read those (scorer->values). */
#ifndef IMPLS_INTEGERS_H
#define IMPLS_INTEGERS_H

#include "impls/impl.h"

/* Integers are from -limit to limit; 0 for floats. */
int32_t integers_limit(enum values_type type);

/* The distance between converted documents, in units of sizeof(float). */
size_t integers_stride(enum values_type type, uint32_t n_features);

/* Converts the first n_features values of n_docs documents; document i is at x + i * stride. `to`
 * has room for n_docs * integers_stride floats. STATUS_UNSUPPORTED, with the document and the
 * feature, if a value is not an integer of the type. */
enum status integers_convert(enum values_type type, const float *x, size_t stride, size_t n_docs,
                             uint32_t n_features, void *to, struct error *error);

#endif
