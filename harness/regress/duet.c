#include "harness/regress/duet.h"

#include "base/cpu.h"
#include "base/random.h"
#include "harness/counting/step.h"
#include "harness/instruments/stats.h"
#include "harness/instruments/timer.h"
#include "harness/measure/stage.h"
#include "harness/regress/scoring_library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sample takes at least this long. If a pass is shorter than a sample, an untimed pass precedes
 * each sample, because the other side has evicted code and documents from the caches. */
#define SAMPLE_NS 2e6
#define MOST_REPETITIONS ((uint64_t)1 << 20)

static const char *const side_names[DUET_SIDES] = {"base", "head"};

struct side {
    struct scoring_library library;
    struct loaded_model model;
    struct stage stage;
    double *samples; /* [rounds] ns per document */
};

struct duet {
    const struct duet_request *request;
    struct side sides[DUET_SIDES];
    uint64_t repetitions;
    size_t n_outputs;
    enum duet_side first;
};

/* A call to count. */
struct counted_call {
    const struct side *side;
    size_t n; /* documents */
};

static enum duet_side other(enum duet_side side) {
    return side == DUET_BASE ? DUET_HEAD : DUET_BASE;
}

static enum status open_side(struct duet *duet, enum duet_side name, struct random *random,
                             struct error *error) {
    const struct duet_request *request = duet->request;
    struct side *side = &duet->sides[name];
    struct error why;
    enum status status = scoring_library_load(request->libraries[name], &side->library, error);
    if (status)
        return status;
    status = loaded_model_open(&side->library, request->model, request->impl, &side->model, &why);
    if (status)
        return error_set(error, status, "%s: %s", side_names[name], why.text);
    if (side->library.model_features(side->model.model) > request->documents->n_features)
        return error_set(error, STATUS_INPUT, "%s has more features than the documents",
                         request->model);
    duet->n_outputs = side->library.model_outputs(side->model.model);
    side->samples = calloc(request->rounds, sizeof *side->samples);
    if (!side->samples ||
        !stage_open_elsewhere(request->documents, duet->n_outputs, random, &side->stage))
        return error_memory(error, "a copy of the documents");
    return STATUS_OK;
}

static enum status pass(const struct duet *duet, enum duet_side name, struct error *error) {
    const struct side *side = &duet->sides[name];
    const struct matrix *documents = &side->stage.documents;
    size_t block = duet->request->block ? duet->request->block : documents->n_rows;
    struct tb_error why;
    for (size_t begin = 0; begin < documents->n_rows; begin += block) {
        size_t left = documents->n_rows - begin;
        if (side->library.score(side->model.context, matrix_row(documents, begin),
                                left < block ? left : block, documents->n_features,
                                documents->stride, side->stage.scores + begin * duet->n_outputs,
                                &why) != TB_OK)
            return error_set(error, STATUS_INPUT, "%s: %s", side_names[name], why.text);
    }
    return STATUS_OK;
}

static enum status check_scores(const struct duet *duet, struct error *error) {
    const double *base = duet->sides[DUET_BASE].stage.scores;
    const double *head = duet->sides[DUET_HEAD].stage.scores;
    size_t count = duet->request->documents->n_rows * duet->n_outputs;
    for (size_t i = 0; i < count; i++)
        if (memcmp(&base[i], &head[i], sizeof *base) != 0)
            return error_set(
                error, STATUS_INPUT,
                "%s: document %zu scores %.17g in base, but %.17g in head: a change of "
                "scores is no matter of speed",
                duet->request->impl, i / duet->n_outputs, base[i], head[i]);
    return STATUS_OK;
}

static double time_passes(const struct duet *duet, enum duet_side side) {
    uint64_t begin = timer_cpu_ns();
    for (uint64_t i = 0; i < duet->repetitions; i++)
        pass(duet, side, NULL); /* cannot fail: it did not before */
    return (double)(timer_cpu_ns() - begin);
}

/* Finds repetitions for which the slower side's samples take long enough. Both sides have the same
 * number, so that both are disturbed alike. */
static double calibrate(struct duet *duet) {
    double took = 0;
    for (duet->repetitions = 1; duet->repetitions < MOST_REPETITIONS; duet->repetitions *= 2) {
        took = fmax(time_passes(duet, DUET_BASE), time_passes(duet, DUET_HEAD));
        if (took >= SAMPLE_NS)
            break;
    }
    return took / (double)duet->repetitions;
}

static void sample(struct duet *duet, enum duet_side side, uint32_t round, bool warmed) {
    double per = (double)duet->repetitions * (double)duet->request->documents->n_rows;
    if (warmed)
        pass(duet, side, NULL);
    duet->sides[side].samples[round] = time_passes(duet, side) / per;
}

/* Takes turns A B, B A, A B, ... */
static void take_rounds(struct duet *duet) {
    bool warmed = calibrate(duet) < SAMPLE_NS;
    for (uint32_t round = 0; round < duet->request->rounds; round++) {
        enum duet_side begins = round % 2 ? other(duet->first) : duet->first;
        sample(duet, begins, round, warmed);
        sample(duet, other(begins), round, warmed);
    }
}

static void summarise(const struct duet *duet, struct duet_result *result) {
    uint32_t rounds = duet->request->rounds;
    const double *base = duet->sides[DUET_BASE].samples;
    double *head = duet->sides[DUET_HEAD].samples;
    result->ns[DUET_BASE] = stats_median(base, rounds);
    result->ns[DUET_HEAD] = stats_median(head, rounds);
    for (uint32_t i = 0; i < rounds; i++)
        head[i] = log(head[i] / base[i]);
    result->log_ratio = stats_median(head, rounds);
}

/* Scores all documents by both sides. */
static enum status score_all(const struct duet *duet, struct error *error) {
    enum status status = pass(duet, duet->first, error);
    if (!status)
        status = pass(duet, other(duet->first), error);
    return status ? status : check_scores(duet, error);
}

static enum status measure(struct duet *duet, struct error *error) {
    struct cpu_affinity before;
    enum status status = score_all(duet, error);
    if (status)
        return status;
    cpu_pin_here(&before);
    take_rounds(duet);
    cpu_unpin(&before);
    return STATUS_OK;
}

/* --- counting --------------------------------------------------------------------------------- */

static void call_side(void *argument) {
    const struct counted_call *call = argument;
    const struct matrix *documents = &call->side->stage.documents;
    struct tb_error why;
    call->side->library.score(call->side->model.context, matrix_row(documents, 0), call->n,
                              documents->n_features, documents->stride, call->side->stage.scores,
                              &why); /* did not fail before */
}

static enum status count(struct duet *duet, struct error *error) {
    const struct duet_request *request = duet->request;
    size_t n = request->documents->n_rows;
    enum status status = score_all(duet, error);
    if (request->block && request->block < n)
        n = request->block;
    if (n > DUET_COUNTED_MOST)
        n = DUET_COUNTED_MOST;
    for (size_t i = 0; i < DUET_SIDES && !status; i++) {
        struct counted_call call = {&duet->sides[i], n};
        step_region(call_side, &call);
    }
    return status;
}

/* --- both sides ------------------------------------------------------------------------------- */

static enum status open_both(struct duet *duet, struct error *error) {
    struct random random;
    random_seed(&random, duet->request->seed);
    duet->first = random_below(&random, DUET_SIDES) ? DUET_HEAD : DUET_BASE;
    enum status status = open_side(duet, duet->first, &random, error);
    return status ? status : open_side(duet, other(duet->first), &random, error);
}

static void close_both(struct duet *duet) {
    for (size_t i = 0; i < DUET_SIDES; i++) {
        loaded_model_close(&duet->sides[i].model);
        stage_close(&duet->sides[i].stage);
        free(duet->sides[i].samples);
    }
}

enum status duet_run(const struct duet_request *request, struct duet_result *result,
                     struct error *error) {
    struct duet duet = {.request = request};
    enum status status = open_both(&duet, error);
    if (!status)
        status = measure(&duet, error);
    if (!status)
        summarise(&duet, result);
    close_both(&duet);
    return status;
}

enum status duet_count(const struct duet_request *request, struct error *error) {
    struct duet duet = {.request = request};
    enum status status = open_both(&duet, error);
    if (!status)
        status = count(&duet, error);
    close_both(&duet);
    return status;
}
