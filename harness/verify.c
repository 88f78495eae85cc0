#include "harness/verify.h"

#include "base/memory.h"
#include "synth/synth.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROBES_PER_NODE = 6, /* synth_probes then meets every threshold, and both its neighbours */
    PROBES_MIN = 1024,
    PROBES_MAX = 8192,
    PROBES_BYTES_MAX = 64 * 1024 * 1024, /* where documents are very wide: fewer, but some: */
    PROBES_WIDE_MIN = 16,
    PROBES_SEED = 20140901,
    /* Documents that are scored together stay in the cache while all trees pass over them. No
     * multiple of any number of lanes: the shorter last step of an implementation is checked in
     * every block. */
    BLOCK_ROWS = 1003
};

/* Rows with the reference's scores. */
struct judged_rows {
    const struct matrix *rows; /* NULL: none */
    double *scores;            /* [n_rows * n_outputs] */
    bool probes;
};

struct verifier {
    uint32_t n_features, n_outputs;
    struct matrix *probes;
    struct judged_rows documents, edges;
};

static size_t at_most(size_t value, size_t limit) {
    return value < limit ? value : limit;
}

static size_t at_least(size_t value, size_t limit) {
    return value > limit ? value : limit;
}

/* Adds nothing but the trees: base scores are the same for all. */
static void score_block(const struct scorer *scorer, const struct matrix *rows, struct span block,
                        double *scores, void *workspace) {
    const struct plan plan = {.order = ORDER_DS};
    const struct batch batch = {matrix_row(rows, block.begin), rows->stride, scores, workspace};
    size_t count = block.end - block.begin;
    memset(scores, 0, count * scorer->n_outputs * sizeof *scores);
    scorer_run(scorer, &plan, count, &batch);
}

static struct span block_at(size_t begin, size_t n_rows) {
    return (struct span){begin, begin + at_most(n_rows - begin, BLOCK_ROWS)};
}

/* --- the reference's scores ------------------------------------------------------------------- */

static enum status judge_rows(struct judged_rows *judged, const struct matrix *rows,
                              const struct scorer *reference, struct error *error) {
    size_t n_scores, bytes;
    if (!memory_multiply(rows->n_rows, reference->n_outputs, &n_scores) ||
        !memory_multiply(n_scores, sizeof(double), &bytes))
        return error_memory(error, "the reference's scores");
    judged->scores = memory_aligned_alloc(bytes);
    if (!judged->scores)
        return error_memory(error, "the reference's scores");
    judged->rows = rows;
    for (struct span block = {0, 0}; block.end < rows->n_rows;) {
        block = block_at(block.end, rows->n_rows);
        score_block(reference, rows, block, judged->scores + block.begin * reference->n_outputs,
                    NULL);
    }
    return STATUS_OK;
}

static size_t probe_count(const struct ensemble *ensemble) {
    size_t wanted = at_most(at_least(ensemble->n_nodes * PROBES_PER_NODE, PROBES_MIN), PROBES_MAX);
    size_t row_bytes = ((size_t)ensemble->n_features + 16) * sizeof(float);
    return at_most(wanted, at_least(PROBES_BYTES_MAX / row_bytes, PROBES_WIDE_MIN));
}

static enum status fill(struct verifier *verifier, const struct ensemble *ensemble,
                        const struct matrix *documents, struct error *error) {
    struct scorer *reference;
    enum status status =
        synth_probes(ensemble, probe_count(ensemble), PROBES_SEED, &verifier->probes, error);
    if (status)
        return status;
    if ((status = scorer_build("reference", ensemble, &reference, error)))
        return status;
    status = judge_rows(&verifier->edges, verifier->probes, reference, error);
    if (!status && documents)
        status = judge_rows(&verifier->documents, documents, reference, error);
    scorer_destroy(reference);
    return status;
}

enum status verifier_create(const struct ensemble *ensemble, const struct matrix *documents,
                            struct verifier **verifier, struct error *error) {
    if (documents && documents->n_features < ensemble->n_features)
        return error_set(error, STATUS_INPUT,
                         "the documents have %" PRIu32 " features, the model needs %" PRIu32,
                         documents->n_features, ensemble->n_features);
    struct verifier *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error, "a verifier");
    made->n_features = ensemble->n_features;
    made->n_outputs = ensemble->n_outputs;
    made->edges.probes = true;
    enum status status = fill(made, ensemble, documents, error);
    if (status) {
        verifier_free(made);
        return status;
    }
    *verifier = made;
    return STATUS_OK;
}

void verifier_free(struct verifier *verifier) {
    if (!verifier)
        return;
    matrix_free(verifier->probes);
    free(verifier->documents.scores);
    free(verifier->edges.scores);
    free(verifier);
}

/* --- comparing -------------------------------------------------------------------------------- */

/* A score that is not a number differs by more than any that is. */
static double difference(double expected, double found) {
    double distance = fabs(expected - found);
    return isnan(distance) ? INFINITY : distance;
}

static void compare_block(const struct judged_rows *judged, struct span block, uint32_t n_outputs,
                          const double *found, struct verification *verification) {
    const double *expected = judged->scores + block.begin * n_outputs;
    size_t count = (block.end - block.begin) * n_outputs;
    if (memcmp(expected, found, count * sizeof *found) == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        if (memcmp(&expected[i], &found[i], sizeof *found) == 0)
            continue;
        if (verification->agrees) {
            verification->agrees = false;
            verification->document = block.begin + i / n_outputs;
            verification->probe = judged->probes;
            verification->expected = expected[i];
            verification->found = found[i];
        }
        double apart = difference(expected[i], found[i]);
        if (apart > verification->largest_difference)
            verification->largest_difference = apart;
    }
}

static void compare_rows(const struct judged_rows *judged, const struct scorer *scorer,
                         double *scores, void *workspace, struct verification *verification) {
    size_t n_rows = judged->rows ? judged->rows->n_rows : 0;
    for (struct span block = {0, 0}; block.end < n_rows;) {
        block = block_at(block.end, n_rows);
        score_block(scorer, judged->rows, block, scores, workspace);
        compare_block(judged, block, scorer->n_outputs, scores, verification);
    }
}

enum status verifier_check(const struct verifier *verifier, const struct scorer *scorer,
                           struct verification *verification, struct error *error) {
    if (scorer->n_features > verifier->n_features || scorer->n_outputs != verifier->n_outputs)
        return error_set(error, STATUS_INPUT,
                         "%s was built from another ensemble than the one to verify with",
                         scorer->impl->name);
    double *scores = memory_aligned_alloc((size_t)BLOCK_ROWS * scorer->n_outputs * sizeof *scores);
    void *workspace = scorer_workspace(scorer);
    if (!scores || !workspace) {
        free(scores);
        free(workspace);
        return error_memory(error, "scores to verify");
    }
    *verification = (struct verification){.agrees = true};
    compare_rows(&verifier->documents, scorer, scores, workspace, verification);
    compare_rows(&verifier->edges, scorer, scores, workspace, verification);
    free(scores);
    free(workspace);
    return STATUS_OK;
}
