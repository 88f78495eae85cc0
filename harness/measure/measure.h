/* Measures a cell. Verifies the scores, calibrates the length of samples, takes samples in
 * interleaved rounds, and counts events. */
#ifndef HARNESS_MEASURE_MEASURE_H
#define HARNESS_MEASURE_MEASURE_H

#include "base/status.h"
#include "datasets/matrix.h"
#include "harness/measure/request.h"
#include "harness/rows/row.h"
#include "models/ensemble.h"

/* Measures `variants` ("vpred,v=8") on one workload and fills rows[i] for variant i. The caller
 * initialises each row and sets its members under "asked", except `lanes` and the blocks, which
 * depend on the scorer. If a variant fails, its row has the status and the reason. The function
 * fails only if no variant can be measured (for example, if memory runs out). */
enum status measure_cell(const struct ensemble *ensemble, const struct matrix *documents,
                         const char *const *variants, size_t n_variants,
                         const struct measure_request *how, struct row *rows, struct error *error);

/* Part of a row's note if the ensemble has no counts, but the implementation orders nodes by them.
 */
#define MEASURE_EQUAL_BRANCHES "without counts of documents, all branches count as equally likely"

/* The reason of a variant that was not built because build_until_ns was over. */
#define MEASURE_NO_TIME "there was no time. Increase --seconds"

#endif
