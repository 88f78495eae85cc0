/* Takes samples of contenders in interleaved rounds, over several placements. */
#ifndef HARNESS_MEASURE_SAMPLING_H
#define HARNESS_MEASURE_SAMPLING_H

#include "harness/measure/contender.h"

struct sampling;

/* Gives the contenders their documents and scores. Their rows must be adjacent. The ensemble, the
 * documents, the request and the contenders must outlive the sampling. */
enum status sampling_begin(const struct ensemble *ensemble, const struct matrix *documents,
                           const struct measure_request *how, struct contender *contenders,
                           size_t n, struct sampling **sampling, struct error *error);

/* Calibrates the contenders whose rows are ok, takes samples of them, and summarises the samples in
 * their rows. Afterwards, the contenders have the documents and scores of the last placement. */
enum status sampling_run(struct sampling *sampling, struct error *error);
void sampling_end(struct sampling *sampling); /* NULL is allowed */

#endif
