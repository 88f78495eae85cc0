#include "dropin/scoring.h"

#include "base/float_mode.h"
#include "base/memory.h"
#include "dropin/scratch.h"
#include "impls/scorer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    THREAD_DOCS = 64,      /* a thread is not worth waking for fewer */
    FILLED_BYTES = 4 << 20 /* the most memory for a block of documents that are filled in */
};

enum status scoring_create(const struct ensemble *ensemble, const struct placing *placing,
                           const char *spec, struct scoring **scoring, struct error *error) {
    size_t base_bytes = ensemble->n_outputs * sizeof *ensemble->base;
    struct scoring *made = calloc(1, sizeof *made);
    if (!made || !(made->base = malloc(base_bytes))) {
        free(made);
        return error_memory(error, "a scorer");
    }
    memcpy(made->base, ensemble->base, base_bytes);
    made->placing = placing;
    enum status status = scorer_build(spec, ensemble, &made->scorer, error);
    if (status) {
        scoring_free(made);
        return status;
    }
    made->block = order_usual_block(made->scorer);
    *scoring = made;
    return STATUS_OK;
}

void scoring_free(struct scoring *scoring) {
    if (!scoring)
        return;
    scorer_destroy(scoring->scorer);
    free(scoring->base);
    free(scoring);
}

/* A call, the same for all its threads. */
struct scoring_call {
    const struct scoring *scoring;
    const struct rows *rows;
    const struct scores *to;
    bool fills; /* are documents filled in, and not read where they are? */
    size_t n_docs, block;
    size_t scores_at, x_at, bytes; /* offsets in the scratch of a thread, after its workspace */
};

static size_t align(size_t bytes) {
    return (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Chooses blocks so that each thread gets some, and lays out a thread's scratch. */
static void plan(struct scoring_call *call, unsigned threads) {
    const struct scoring *scoring = call->scoring;
    const struct scorer *scorer = scoring->scorer;
    size_t share = (call->n_docs + threads - 1) / threads;
    call->block = least(scoring->block, (share + THREAD_DOCS - 1) / THREAD_DOCS * THREAD_DOCS);
    call->fills = !call->rows->floats || placing_count_coded(scoring->placing) > 0;
    if (call->fills)
        call->block = least(call->block, FILLED_BYTES / (scorer->n_features * sizeof(float)) + 1);
    size_t docs = least(call->block, call->n_docs);
    call->scores_at = align(scorer->workspace);
    size_t scores = call->to->scores ? 0 : docs * scorer->n_outputs * sizeof(double);
    call->x_at = call->scores_at + align(scores);
    call->bytes = call->x_at + (call->fills ? docs * scorer->n_features * sizeof(float) : 0);
}

/* Scores the documents of a block. */
static void score_block(const struct scoring_call *call, struct span docs, char *memory) {
    const struct scorer *scorer = call->scoring->scorer;
    const size_t n_outputs = scorer->n_outputs, n = docs.end - docs.begin;
    double *scores = call->to->scores ? call->to->scores + docs.begin * n_outputs
                                      : (double *)(void *)(memory + call->scores_at);
    for (size_t i = 0; i < n; i++)
        memcpy(scores + i * n_outputs, call->scoring->base, n_outputs * sizeof *scores);
    struct batch batch = {.scores = scores, .workspace = memory};
    if (call->fills) {
        float *x = (float *)(void *)(memory + call->x_at);
        call->rows->fill(call->rows, docs, call->scoring->placing, scorer->n_features, x);
        batch.x = x;
        batch.stride = scorer->n_features;
    } else {
        batch.x = call->rows->floats + docs.begin * call->rows->stride;
        batch.stride = call->rows->stride;
    }
    scorer->impl->score(scorer, (struct span){0, scorer->n_units}, (struct span){0, n}, &batch);
    if (call->to->take)
        call->to->take(call->to, docs, scores);
}

/* Scores blocks until none is left. Returns false if out of memory. */
static bool score_blocks(const struct scoring_call *call, atomic_size_t *next) {
    char *memory = scratch(call->bytes);
    if (!memory)
        return false;
    uint64_t mode = float_mode_begin();
    for (size_t begin; (begin = atomic_fetch_add(next, call->block)) < call->n_docs;) {
        size_t left = call->n_docs - begin;
        score_block(call, (struct span){begin, begin + least(left, call->block)}, memory);
    }
    float_mode_end(mode);
    return true;
}

enum status scoring_answer(const struct scoring *scoring, const struct rows *rows, size_t n_docs,
                           unsigned threads, const struct scores *to, struct error *error) {
    struct scoring_call call = {.scoring = scoring, .rows = rows, .to = to, .n_docs = n_docs};
    size_t useful = least(threads, n_docs / THREAD_DOCS);
    unsigned team = useful > 1 ? (unsigned)useful : 1;
    plan(&call, team);
    atomic_size_t next = 0;
    atomic_bool failed = false;
    if (team == 1) {
        failed = !score_blocks(&call, &next);
    } else {
#pragma omp parallel num_threads(team)
        if (!score_blocks(&call, &next))
            failed = true;
    }
    return failed ? error_memory(error, "the documents of a call") : STATUS_OK;
}
