#include "harness/regress/duet.h"

#include "base/cpu.h"
#include "base/loader.h"
#include "base/order.h"
#include "base/random.h"
#include "harness/counting/step.h"
#include "harness/instruments/stats.h"
#include "harness/instruments/timer.h"
#include "harness/measure/stage.h"
#include "library/treebench.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A sample takes at least this long. If a pass is shorter than a sample, an untimed pass precedes
 * each sample, because the other side has evicted code and documents from the caches. */
#define SAMPLE_NS 2e6
#define MOST_REPETITIONS ((uint64_t)1 << 20)

/* --- a library -------------------------------------------------------------------------------- */

/* Functions of the public interface (library/treebench.h), so that builds of other revisions can be
 * loaded. */
#define FUNCTIONS(USE)                                                                             \
    USE(model_open)                                                                                \
    USE(model_free)                                                                                \
    USE(model_outputs)                                                                             \
    USE(model_features)                                                                            \
    USE(scorer_build)                                                                              \
    USE(scorer_free)                                                                               \
    USE(context_create)                                                                            \
    USE(context_free)                                                                              \
    USE(score)

/* A libtreebench of some build, loaded beside others. */
#define MEMBER(name) __typeof__(tb_##name) *name;
struct scoring_library {
    void *handle;
    FUNCTIONS(MEMBER)
};

#define ENTRY(name) {"tb_" #name, offsetof(struct scoring_library, name)},
static const struct {
    const char *name;
    size_t at;
} functions[] = {FUNCTIONS(ENTRY)};

/* Loads a shared library. STATUS_MACHINE if it cannot be loaded or lacks a function. Libraries stay
 * loaded until the program ends, because their threads may run. */
static enum status load_library(const char *path, struct scoring_library *library,
                                struct error *error) {
    const char *why;
    /* The loader would look for a name without a slash in the folders of the system. */
    char *real = realpath(path, NULL);
    if (!real)
        return error_set(error, STATUS_IO, "%s: %s", path, strerror(errno));
    enum status status = loader_open(real, &library->handle, &why);
    free(real);
    if (status)
        return error_set(error, status, "%s: cannot be loaded: %s", path, why);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *address = dlsym(library->handle, functions[i].name);
        if (!address)
            return error_set(error, STATUS_MACHINE,
                             "%s: has no function %s. Use a libtreebench of version 0.1 or later",
                             path, functions[i].name);
        memcpy((char *)library + functions[i].at, &address, sizeof address);
    }
    return STATUS_OK;
}

static enum status status_of(enum tb_status failure) {
    return failure == TB_UNSUPPORTED ? STATUS_UNSUPPORTED
           : failure == TB_MACHINE   ? STATUS_MACHINE
           : failure == TB_MEMORY    ? STATUS_MEMORY
                                     : STATUS_INPUT;
}

/* --- a side ----------------------------------------------------------------------------------- */

struct side {
    struct scoring_library library;
    struct tb_model *model;
    struct tb_scorer *scorer;
    struct tb_context *context;
    struct stage stage;
    double *samples; /* [rounds] ns per document */
};

struct duet {
    const struct duet_request *request;
    struct side sides[PAIR_SIDES];
    uint64_t repetitions;
    size_t n_outputs;
    enum pair_side first;
};

/* A call to count. */
struct counted_call {
    const struct side *side;
    size_t n; /* documents */
};

static enum pair_side other(enum pair_side side) {
    return side == PAIR_BASE ? PAIR_HEAD : PAIR_BASE;
}

/* Reads a model and builds a scorer. STATUS_UNSUPPORTED or STATUS_MACHINE if the implementation
 * refuses the model or the machine, STATUS_INPUT if the library does not know it. */
static enum status open_model(const struct duet_request *request, enum pair_side name,
                              struct side *side, struct error *error) {
    struct tb_error why;
    enum tb_status failure = side->library.model_open(request->model, &side->model, &why);
    if (!failure)
        failure = side->library.scorer_build(side->model, request->impl, &side->scorer, &why);
    if (!failure)
        failure = side->library.context_create(side->scorer, &side->context, &why);
    return failure ? error_set(error, status_of(failure), "%s: %s", pair_side_names[name], why.text)
                   : STATUS_OK;
}

static enum status open_side(struct duet *duet, enum pair_side name, struct random *random,
                             struct error *error) {
    const struct duet_request *request = duet->request;
    struct side *side = &duet->sides[name];
    enum status status = load_library(request->libraries[name], &side->library, error);
    if (!status)
        status = open_model(request, name, side, error);
    if (status)
        return status;
    if (side->library.model_features(side->model) > request->documents->n_features)
        return error_set(error, STATUS_INPUT, "%s has more features than the documents",
                         request->model);
    duet->n_outputs = side->library.model_outputs(side->model);
    side->samples = calloc(request->rounds, sizeof *side->samples);
    if (!side->samples ||
        !stage_open_elsewhere(request->documents, duet->n_outputs, random, &side->stage))
        return error_memory(error, "a copy of the documents");
    return STATUS_OK;
}

static enum status pass(const struct duet *duet, enum pair_side name, struct error *error) {
    const struct side *side = &duet->sides[name];
    const struct matrix *documents = &side->stage.documents;
    size_t block = duet->request->block ? duet->request->block : documents->n_rows;
    struct tb_error why;
    for (size_t begin = 0; begin < documents->n_rows; begin += block) {
        size_t left = documents->n_rows - begin;
        if (side->library.score(side->context, matrix_row(documents, begin),
                                left < block ? left : block, documents->n_features,
                                documents->stride, side->stage.scores + begin * duet->n_outputs,
                                &why) != TB_OK)
            return error_set(error, STATUS_INPUT, "%s: %s", pair_side_names[name], why.text);
    }
    return STATUS_OK;
}

static enum status check_scores(const struct duet *duet, struct error *error) {
    const double *base = duet->sides[PAIR_BASE].stage.scores;
    const double *head = duet->sides[PAIR_HEAD].stage.scores;
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

static double time_passes(const struct duet *duet, enum pair_side side) {
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
        took = fmax(time_passes(duet, PAIR_BASE), time_passes(duet, PAIR_HEAD));
        if (took >= SAMPLE_NS)
            break;
    }
    return took / (double)duet->repetitions;
}

static void sample(struct duet *duet, enum pair_side side, uint32_t round, bool warmed) {
    double per = (double)duet->repetitions * (double)duet->request->documents->n_rows;
    if (warmed)
        pass(duet, side, NULL);
    duet->sides[side].samples[round] = time_passes(duet, side) / per;
}

/* Takes turns A B, B A, A B, ... */
static void take_rounds(struct duet *duet) {
    bool warmed = calibrate(duet) < SAMPLE_NS;
    for (uint32_t round = 0; round < duet->request->rounds; round++) {
        enum pair_side begins = round % 2 ? other(duet->first) : duet->first;
        sample(duet, begins, round, warmed);
        sample(duet, other(begins), round, warmed);
    }
}

static void summarise(const struct duet *duet, struct pair *result) {
    uint32_t rounds = duet->request->rounds;
    const double *base = duet->sides[PAIR_BASE].samples;
    double *head = duet->sides[PAIR_HEAD].samples;
    result->value[PAIR_BASE] = stats_median(base, rounds);
    result->value[PAIR_HEAD] = stats_median(head, rounds);
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
    call->side->library.score(call->side->context, matrix_row(documents, 0), call->n,
                              documents->n_features, documents->stride, call->side->stage.scores,
                              &why); /* did not fail before */
}

static enum status count(struct duet *duet, struct error *error) {
    const struct duet_request *request = duet->request;
    size_t n_rows = request->documents->n_rows;
    size_t n =
        smaller(request->block ? smaller(request->block, n_rows) : n_rows, DUET_COUNTED_MOST);
    enum status status = score_all(duet, error);
    for (size_t i = 0; i < PAIR_SIDES && !status; i++) {
        struct counted_call call = {&duet->sides[i], n};
        step_region(call_side, &call);
    }
    return status;
}

/* --- both sides ------------------------------------------------------------------------------- */

static enum status open_both(struct duet *duet, struct error *error) {
    struct random random;
    random_seed(&random, duet->request->seed);
    duet->first = random_below(&random, PAIR_SIDES) ? PAIR_HEAD : PAIR_BASE;
    enum status status = open_side(duet, duet->first, &random, error);
    return status ? status : open_side(duet, other(duet->first), &random, error);
}

static void close_side(struct side *side) {
    if (side->context)
        side->library.context_free(side->context);
    if (side->scorer)
        side->library.scorer_free(side->scorer);
    if (side->model)
        side->library.model_free(side->model);
    stage_close(&side->stage);
    free(side->samples);
}

static void close_both(struct duet *duet) {
    for (size_t i = 0; i < PAIR_SIDES; i++)
        close_side(&duet->sides[i]);
}

enum status duet_run(const struct duet_request *request, struct pair *result, struct error *error) {
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
