/* A slowdown of a known size, for `make gate-power`: of each EVERY groups of documents, the kernel
 * scores one twice, into scores that nobody reads.
 *
 * Branch predictors would know a group that was just scored. The second time is therefore for
 * another group: the rows of the group in the middle between two repetitions are copied. */
#ifndef TESTS_PLANTS_WORK_H
#define TESTS_PLANTS_WORK_H

#include "impls/impl.h"

#include <string.h>

enum { PLANT_ROWS = 16 * 1024, PLANT_SCORES = 1024 };

static void plant_work(const struct scorer *scorer, struct span units, struct span docs,
                       const struct batch *batch, size_t lanes, size_t every,
                       void (*score)(const struct scorer *scorer, struct span units,
                                     struct span docs, const struct batch *batch)) {
    static float rows[PLANT_ROWS];
    static double scores[PLANT_SCORES];
    static size_t groups, n_kept, kept_stride;
    for (size_t doc = docs.begin; doc < docs.end; doc += lanes) {
        size_t n_docs = docs.end - doc < lanes ? docs.end - doc : lanes;
        groups++;
        if (groups % every == every / 2 && n_docs * batch->stride <= PLANT_ROWS) {
            n_kept = n_docs;
            kept_stride = batch->stride;
            memcpy(rows, batch->x + doc * batch->stride, n_docs * batch->stride * sizeof *rows);
        }
        if (groups % every == 0 && n_kept && kept_stride == batch->stride &&
            n_kept * scorer->n_outputs <= PLANT_SCORES) {
            struct batch again = *batch;
            again.x = rows;
            again.scores = scores;
            score(scorer, units, (struct span){0, n_kept}, &again);
        }
    }
}

#endif
